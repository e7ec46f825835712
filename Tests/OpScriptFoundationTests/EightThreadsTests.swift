import Foundation
import Logging
import OpScript
import OpScriptFoundation
import Synchronization
import Testing

/// A host that calls everything from eight threads at once; mainly for the thread sanitizer.
@Suite struct EightThreadsTests {
    final class Guest: Sendable {
        private let visits = Mutex(0)
        func visit() -> Int {
            visits.withLock { visits in
                visits += 1
                return visits
            }
        }
    }

    actor Host {
        private var guests = 0
        func welcome() -> Int {
            guests += 1
            return guests
        }
    }

    @Test(.timeLimit(.minutes(15))) func `eight threads call everything at once`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.tracksStatus = true
        configuration.sliceLimit = .seconds(600)
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        configuration.standardError = { _ in }
        let engine = ScriptEngine(configuration)
        let victim = ScriptEngine(configuration)
        let guest = Guest()
        engine.expose(Guest.self) { type in
            type.initializer { Guest() }
            type.method("visit") { (guest: Guest) in guest.visit() }
        }
        try await engine.set("guest", guest)
        try await engine.evaluate("sum = 0; function add(n) sum = sum + n; return sum end")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 1...8 {
                group.addTask {
                    try await Self.onThread {
                        for round in 1...8 { try Self.everything(engine, victim, index, round) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await engine.get("sum") == 64)
        #expect(guest.visit() == 65)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 {
                group.addTask {
                    try await Self.onThread {
                        victim.cancel()
                        engine.shutdown()
                        victim.shutdown()
                    }
                }
            }
            try await group.waitForAll()
        }
        await engine.waitUntilClosed()
        await victim.waitUntilClosed()
    }

    private static func everything(
        _ engine: ScriptEngine,
        _ victim: ScriptEngine,
        _ index: Int,
        _ round: Int
    ) throws {
        let name = "own\(index).round\(round)"
        engine.register(name, "One's own.") { (context: WorkContext, number: Int) in
            context.logger.info("called")
            context.progress.report(completed: 1, of: 1)
            return context.isCancelled ? 0 : number
        }
        engine.register("\(name)_later") { (function: ScriptFunction) async throws -> Int in
            try await function(round, as: Int.self)
        }
        if index == 1, round == 2 {
            engine.expose(Host.self) { type in
                type.initializer { Host() }
                type.method("welcome") { (host: Host) async in await host.welcome() }
            }
        }
        let native = OperationQueue()
        try engine.adopt(native, as: "host.\(name)")
        try engine.adopt(DispatchQueue(label: name), as: "disk.\(name)")
        let events = engine.events
        let reader = Task {
            for await event in events where event.name == name { return true }
            return false
        }
        try wait {
            let report = try await engine.run(
                code: """
                    local native = OperationQueue.named "host.\(name)"
                    local op = native:addOperation(work.\(name)(1))
                    OperationQueue.named("disk.\(name)"):addOperation(function() end)
                    assert(await(op) == 1 and guest:visit() > 0)
                    """
            )
            #expect(report.failed == 0)
            try await engine.call("add", 1)
            try await engine.set("slot\(index)", round)
            #expect(try await engine.get("slot\(index)") == round)
            let doubled = try await engine.evaluate(
                "await(work.\(name)_later(function(n) return n * 2 end))",
                as: Int.self
            )
            #expect(doubled == round * 2)
            let function = try await engine.evaluate("function(n) return n + 1 end", as: ScriptFunction.self)
            #expect(try await function(round, as: Int.self) == round + 1)
            let operation = try await engine.evaluate("work.\(name)(7)", as: ScriptOperation.self)
            #expect(try await operation.value(as: Int.self) == 7)
            #expect(try await operation.outcome == .succeeded)
            let endless = try await engine.evaluate("work.sleep(3600)", as: ScriptOperation.self)
            let end = Task { try await endless.finished }
            endless.cancel()
            #expect(try await end.value == .cancelled)
            let request = Task { try await engine.evaluate("sleep(3600)") }
            request.cancel()
            await #expect(throws: ScriptError.self) { try await request.value }
            _ = await reader.value
        }
        _ = engine.status
        // An operation that all threads cancel, and an own one that is released in the middle.
        let run = Task { try? await victim.run(code: "sleep(0.001)") }
        victim.cancel()
        try wait { _ = await run.value }
        let own = ScriptEngine()
        let dropped = Task { [weak own] in try? await own?.evaluate("sleep(3600)") }
        own.shutdown()
        try wait { _ = await dropped.value }
        native.waitUntilAllOperationsAreFinished()
    }

    private final class Problem: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    /// Waits on this thread, which does not belong to Swift's pool.
    private static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
        let isDone = DispatchSemaphore(value: 0)
        let problem = Problem()
        Task {
            do { try await body() } catch { problem.error.withLock { $0 = error } }
            isDone.signal()
        }
        isDone.wait()
        if let error = problem.error.withLock({ $0 }) { throw error }
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread { continuation.resume(with: Result(catching: body)) }.start()
        }
    }
}
