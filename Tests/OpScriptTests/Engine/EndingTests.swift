import OpScript
import Synchronization
import Testing

/// The ends of engines: cancelled, shut down, dropped.
struct EndingTests {
    @Test func `cancelling the task that runs a script cancels the run`() async throws {
        let engine = ScriptEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("begun") { _ = hasBegun.yield() }
        let run = Task {
            try await engine.run(code: "OperationQueue():addOperation(work.begun()); pcall(sleep, 3600)")
        }
        for await _ in begun { break }
        run.cancel()
        let error = await scriptError { _ = try await run.value }
        #expect(error?.code == .cancelled && error?.report?.wasCancelled == true)
        #expect(try await !engine.run(code: "").wasCancelled)
    }

    @Test func `cancel with nothing running does nothing to the next run`() async throws {
        let engine = ScriptEngine()
        engine.cancel()
        #expect(try await !engine.run(code: "sleep(0)").wasCancelled)
        engine.cancel()
        #expect(try await !engine.run(code: "sleep(0)").wasCancelled)
    }

    @Test func `cancel does not affect later requests`() async throws {
        let engine = Self.polled()
        engine.cancel()
        let value = try await Self.poll(engine) {
            try await engine.evaluate("(function() sleep(0.001) return 7 end)()", as: Int.self)
        }
        #expect(value == 7)
    }

    @Test func `cancel ends leftovers of requests, and later requests run`() async throws {
        let engine = ScriptEngine()
        try await engine.evaluate("ended = 0; async(function() pcall(sleep, 3600) ended = ended + 1 end)")
        try await engine.evaluate("queue = OperationQueue { isSuspended = true }; queue:addOperation(print)")
        let waiting = Task { try await engine.evaluate("begun = true sleep(3600)") }
        while try await engine.evaluate("begun == nil", as: Bool.self) {}
        engine.cancel()
        #expect(try await engine.evaluate("(function() sleep(0.001) return 7 end)()", as: Int.self) == 7)
        await #expect { try await waiting.value } throws: { ($0 as? ScriptError)?.code == .cancelled }
        #expect(try await engine.evaluate("ended", as: Int.self) == 1)
        #expect(
            try await engine.evaluate("queue.operationCount == 0 and not queue.isSuspended", as: Bool.self)
        )
    }

    @Test func `a cancel that comes while a run ends is not taken for the next one`() async throws {
        let engine = Self.polled()
        let first = Mutex<Task<ScriptReport, any Error>?>(nil)
        let switched = Switch { first.withLock { $0 }?.cancel() }
        let script = "while not set do set = switch.isSet end os.exit(5)"
        let reports = try await Self.poll(engine) {
            try await engine.set("switch", switched)
            let run = Task { try await engine.run(code: script) }
            first.withLock { $0 = run }
            // Both are requested before the first one begins.
            let next = Task { try await engine.run(code: "sleep(0.001)") }
            let error = await scriptError { _ = try await run.value }
            return [try #require(error?.report), try await next.value]
        }
        #expect(reports.map(\.exitCode) == [5, 0])
        #expect(reports.map(\.wasCancelled) == [true, false])
    }

    /// An engine that waits for being polled.
    private static func polled() -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .manual
        return ScriptEngine(configuration)
    }

    /// Polls until the closure's request is there, and long after the request.
    private static func poll<Value: Sendable>(
        _ engine: ScriptEngine,
        until body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isOver = Mutex(false)
        let result = Task {
            defer { isOver.withLock { $0 = true } }
            return try await body()
        }
        while !isOver.withLock({ $0 }) {
            for _ in 0..<100 { await Task.yield() }
            _ = try engine.poll()
        }
        let value = try await result.value
        engine.shutdown()
        _ = try? engine.poll()
        return value
    }

    @Test func `a run that was requested and cancelled before it began is cancelled`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .manual
        let engine = ScriptEngine(configuration)
        let first = Task { try await engine.run(code: "sleep(3600)", named: "@first.lua") }
        while try engine.poll() == .idle { await Task.yield() }
        let second = Task { try await engine.run(code: "sleep(3600)", named: "@second.lua") }
        second.cancel()
        first.cancel()
        let both = Task { await [first.result, second.result] }
        let isDone = Atomic<Bool>(false)
        async let watcher: Void = {
            _ = await both.value
            isDone.store(true, ordering: .releasing)
        }()
        while !isDone.load(ordering: .acquiring) {
            try engine.poll()
            await Task.yield()
        }
        await watcher
        for ending in await both.value {
            guard case .failure(let error as ScriptError) = ending else {
                throw ScriptError(.failed, "no error")
            }
            #expect(error.code == .cancelled && error.report?.wasCancelled == true)
        }
    }

    @Test func `after shutdown everything is refused with a typed error`() async throws {
        let engine = ScriptEngine()
        let function = try await engine.evaluate("function() return 1 end", as: ScriptFunction.self)
        #expect(try await function(as: Int.self) == 1)
        engine.shutdown()
        engine.shutdown()
        await engine.waitUntilClosed()
        func isGone(_ error: any Error) -> Bool { (error as? ScriptError)?.code == .host }
        await #expect { try await engine.run(code: "") } throws: { isGone($0) }
        await #expect { try await engine.evaluate("1", as: Int.self) } throws: { isGone($0) }
        await #expect { try await engine.set("a", 1) } throws: { isGone($0) }
        await #expect { try await function() } throws: { isGone($0) }
        engine.cancel()
    }

    @Test func `shutdown in the middle of a run ends it`() async throws {
        let engine = ScriptEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("begun") { _ = hasBegun.yield() }
        let run = Task {
            try await engine.run(code: "OperationQueue():addOperation(work.begun()); sleep(3600)")
        }
        let request = Task { try await engine.evaluate("sleep(3600)") }
        for await _ in begun { break }
        engine.shutdown()
        await #expect { try await run.value } throws: { ($0 as? ScriptError)?.code == .host }
        await #expect { try await request.value } throws: { ($0 as? ScriptError)?.code == .host }
    }

    @Test func `shutdown stops Lua code that never waits`() async throws {
        let engine = ScriptEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("begun") { _ = hasBegun.yield() }
        let run = Task {
            try await engine.run(code: "OperationQueue():addOperation(work.begun()); while true do end")
        }
        for await _ in begun { break }
        engine.shutdown()
        await #expect { try await run.value } throws: { ($0 as? ScriptError)?.code == .host }
        await engine.waitUntilClosed()
    }

    @Test func `an engine that is dropped while timers run closes its state`() async throws {
        weak var seen: Probe?
        var engine: ScriptEngine? = ScriptEngine()
        do {
            let probe = Probe()
            seen = probe
            try await engine?.set("probe", probe)
        }
        try await engine?.evaluate("Timer.scheduledTimer(3600, true, function() return probe end)")
        let function = try await engine?.evaluate("function() return probe end", as: ScriptFunction.self)
        #expect(seen != nil)
        engine = nil
        while seen != nil { await Task.yield() }
        await #expect { try await function?() } throws: { ($0 as? ScriptError)?.code == .host }
    }

    @Test func `os exit in a host ends the run and not the process`() async throws {
        let engine = ScriptEngine()
        let report = try await engine.run(code: "async(sleep, 3600) os.exit(7)")
        #expect(report.exitCode == 7)
        await #expect { try await engine.evaluate("os.exit(3)") } throws: {
            ($0 as? ScriptError)?.code == .cancelled
        }
        #expect(try await engine.evaluate("2", as: Int.self) == 2)
    }

    @Test func `after os exit no callback of that run is called, not even in a later run`() async throws {
        let engine = ScriptEngine()
        engine.register("nothing") { () in }
        let code = """
            called, observed = 0, 0
            local queue = OperationQueue { isSuspended = true }
            queue:observe("operationCount", function() observed = observed + 1 end)
            for i = 1, 1000 do
                local op = work.nothing()
                op:observe("isFinished", function() observed = observed + 1 end)
                op.completionBlock = function()
                    called = called + 1
                    if called == 500 then seen = observed os.exit(7) end
                end
                queue:addOperation(op)
            end
            queue.isSuspended = false
            """
        #expect(try await engine.run(code: code).exitCode == 7)
        #expect(try await engine.run(code: "sleep(0) sleep(0.01)").exitCode == 0)
        #expect(try await engine.evaluate("called", as: Int.self) == 500)
        #expect(try await engine.evaluate("observed == seen", as: Bool.self))
    }
}

/// An object that acts on the script thread when a script reads it.
private final class Switch: ScriptObject {
    static let scriptTypeName = "Switch"
    static let scriptPropertyNames = ["isSet"]
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func scriptProperty(_ name: String) -> ScriptValue? {
        action()
        return .boolean(true)
    }
}

/// An object whose end can be observed.
private final class Probe: ScriptObject {
    static let scriptTypeName = "Probe"
    static let scriptPropertyNames: [String] = []

    func scriptProperty(_ name: String) -> ScriptValue? { nil }
}
