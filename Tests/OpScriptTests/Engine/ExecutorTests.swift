import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import OpScript

#if canImport(Glibc)
import Glibc
#endif

/// The executors of Lua code.
struct ExecutorTests {
    /// A script object whose property is read where Lua runs.
    private final class Place: ScriptObject {
        static let scriptTypeName = "Place"
        static let scriptPropertyNames = ["isHere"]
        let thread: pthread_t

        init(_ thread: pthread_t) { self.thread = thread }

        func scriptProperty(_ name: String) -> ScriptValue? {
            name == "isHere" ? .boolean(pthread_equal(thread, pthread_self()) != 0) : nil
        }
    }

    private static let script = """
        local total = 0
        local queue = OperationQueue()
        for i = 1, 20 do
            queue:addOperation(work.square(i)).completionBlock = function(op) total = total + op.result end
        end
        queue:waitUntilAllOperationsAreFinished()
        sleep(0.001)
        result = total
        isHere = place.isHere
        """

    private func makeEngine(_ executor: ScriptEngine.Configuration.ScriptExecutor) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = executor
        let engine = ScriptEngine(configuration)
        engine.register("square") { (number: Int) in number * number }
        return engine
    }

    @Test func `a host pumps a run from its own loop`() async throws {
        let engine = makeEngine(.manual)
        let (total, isHere, succeeded) = try await blocking { try Self.pump(engine) }
        #expect(total == 2870)
        #expect(isHere)
        #expect(succeeded == 20)
        #expect(try engine.poll() == .idle)
    }

    /// A host's loop, on the thread that calls.
    private static func pump(_ engine: ScriptEngine) throws -> (Int, Bool, Int) {
        let place = Place(pthread_self())
        let box = Outcome()
        Task {
            do {
                try await engine.set("place", place)
                let report = try await engine.run(code: script)
                let found = try await (
                    engine.get("result", as: Int.self), engine.get("isHere", as: Bool.self)
                )
                box.content.withLock { $0 = .success((found.0, found.1, report.succeeded)) }
            } catch {
                box.content.withLock { $0 = .failure(error) }
            }
        }
        while true {
            if let outcome = box.content.withLock({ $0 }) { return try outcome.get() }
            if case .busy = try engine.poll(budget: .milliseconds(1)) { continue }
            sched_yield()
        }
    }

    /// `exit` writes the text of streams without a lock: a thread that flushes them meanwhile writes it twice.
    @Test func `after the report, the engine leaves the streams of its host alone`() async throws {
        let engine = makeEngine(.manual)
        try await blocking {
            let file = tmpfile()!
            defer { fclose(file) }
            let number = fileno(file)
            setvbuf(file, nil, _IOFBF, 4_096)
            let stream = UInt(bitPattern: file)
            let hasEnded = Mutex(false)
            engine.start(
                source: Array("async(function() sleep(0) end)".utf8),
                named: "=code",
                script: nil,
                interpreter: [],
                arguments: []
            ) { report in
                #expect(report.error == nil)
                fputs("0 succeeded\n", UnsafeMutablePointer(bitPattern: stream))
                hasEnded.withLock { $0 = true }
            }
            while !hasEnded.withLock({ $0 }) { try engine.poll() }
            #expect(try engine.poll() == .idle)
            var status = stat()
            fstat(number, &status)
            #expect(status.st_size == 0)
        }
    }

    @Test func `a budget bounds how long a poll takes, and the rest continues later`() async throws {
        let engine = makeEngine(.manual)
        let run = Task {
            try await engine.run(
                code: "for i = 1, 50 do async(function() for n = 1, 1000 do sleep(0) end end) end"
            )
        }
        var busy = 0
        while true {
            let result = try engine.poll(budget: .zero)
            if result == .busy { busy += 1 }
            if result == .idle, busy > 0 { break }
            await Task.yield()
        }
        #expect(try await run.value.succeeded == 50)
        // Each turn used the budget up.
        #expect(busy > 50_000)
    }

    @Test func `polling from inside or without need is refused`() async throws {
        let manual = makeEngine(.manual)
        final class Poller: ScriptObject {
            static let scriptTypeName = "Poller"
            static let scriptPropertyNames = ["poll"]
            let engine: ScriptEngine

            init(_ engine: ScriptEngine) { self.engine = engine }

            func scriptProperty(_ name: String) -> ScriptValue? {
                do {
                    try engine.poll()
                    return .text("polled")
                } catch {
                    return .text("\(error)")
                }
            }
        }
        let poller = Poller(manual)
        let found = Task {
            try await manual.set("poller", poller)
            let text = try await manual.evaluate("poller.poll", as: String.self)
            try await manual.evaluate("poller = nil; collectgarbage()")
            return text
        }
        let isDone = Task { _ = await found.result }
        let flag = Mutex(false)
        Task {
            await isDone.value
            flag.withLock { $0 = true }
        }
        while !flag.withLock({ $0 }) {
            try manual.poll()
            await Task.yield()
        }
        #expect(
            try await found.value
                == "the engine is in use already: by another thread, or by a closure that it has called"
        )
        #expect(throws: ScriptError.self) { try makeEngine(.dedicatedThread).poll() }
        manual.shutdown()
        #expect(throws: ScriptError.self) { try manual.poll() }
    }

    /// A script object whose property says whether it is read on the main actor's queue: which thread serves that may
    /// change.
    private final class MainQueue: ScriptObject {
        static let scriptTypeName = "MainQueue"
        static let scriptPropertyNames = ["isHere"]
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        init() { _ = Self.key }

        func scriptProperty(_ name: String) -> ScriptValue? {
            name == "isHere" ? .boolean(DispatchQueue.getSpecific(key: Self.key) == true) : nil
        }
    }

    @Test func `on the main actor all Lua runs on the main queue`() async throws {
        let engine = makeEngine(.mainActor)
        try await engine.set("place", MainQueue())
        let report = try await engine.run(code: Self.script)
        #expect(report.succeeded == 20)
        #expect(try await engine.get("result", as: Int.self) == 2870)
        #expect(try await engine.get("isHere", as: Bool.self))
        engine.shutdown()
        await engine.waitUntilClosed()
    }

    @Test func `a dropped engine on the main actor is closed`() async throws {
        weak var object: Place?
        do {
            let engine = makeEngine(.mainActor)
            let place = await MainActor.run { Place(pthread_self()) }
            object = place
            try await engine.set("place", place)
            try await engine.evaluate("Timer.scheduledTimer(3600, true, function() return place end)")
        }
        while object != nil { await Task.yield() }
        #expect(object == nil)
    }
}

/// The result of a run, for the thread that pumps it.
private final class Outcome: Sendable {
    let content = Mutex<Result<(Int, Bool, Int), any Error>?>(nil)
}

/// The system refuses a thread for the script.
@Suite(.timeLimit(.minutes(10)))
struct RefusedScriptThreadTests {
    @Test func `requests are refused with the reason until there is a thread`() async throws {
        let isRefusing = Mutex(true)
        let engine = ScriptEngine(ScriptEngine.Configuration()) { parts in
            ScriptThread(parts) { body in
                !isRefusing.withLock { $0 } && ScriptThread.startSystemThread(body)
            }
        }
        func isRefusal(_ error: any Error) -> Bool {
            guard let error = error as? ScriptError, error.code == .host else { return false }
            return error.message.hasPrefix("the system provides no thread for scripts")
        }
        await #expect { try await engine.run(code: "") } throws: { isRefusal($0) }
        await #expect { try await engine.evaluate("1", as: Int.self) } throws: { isRefusal($0) }
        isRefusing.withLock { $0 = false }
        #expect(try await engine.evaluate("1", as: Int.self) == 1)
        #expect(try await engine.run(code: "").exitCode == 0)
    }

    @Test func `an engine that never got a thread can be shut down`() async throws {
        let engine = ScriptEngine(ScriptEngine.Configuration()) { ScriptThread($0) { _ in false } }
        await #expect(throws: ScriptError.self) { try await engine.run(code: "") }
        engine.shutdown()
        await engine.waitUntilClosed()
    }
}
