import Dispatch
import OpScript
import Synchronization
import Testing

/// `os.exit` in an engine that continues: later runs behave as in a new engine.
@Suite(.timeLimit(.minutes(10)))
struct ExitTests {
    @Test func `bodies that wait do not hold up a later run`() async throws {
        let engine = ScriptEngine()
        let code = "async(function() sleep(3600) end) sleep(0.01) os.exit(3)"
        #expect(try await engine.run(code: code).exitCode == 3)
        #expect(try await engine.run(code: "").exitCode == 0)
    }

    @Test func `bodies are started in a later run`() async throws {
        let engine = ScriptEngine()
        #expect(try await engine.run(code: "async(os.exit) async(print)").exitCode == 0)
        let report = try await engine.run(code: "result = await(async(function() return 7 end))")
        #expect(report.succeeded == 1)
        #expect(try await engine.get("result", as: Int.self) == 7)
    }

    @Test func `asynchronous operations, sleeps, groups and blocks end with the run`() async throws {
        let engine = ScriptEngine()
        let code = """
            local queue = OperationQueue { maxConcurrentOperationCount = 1 }
            queue:addOperation(Operation { start = function() end })
            queue:addOperation(print)
            OperationQueue():addOperation(work.sleep(3600))
            OperationQueue():addOperation(GroupOperation { BlockOperation(function() sleep(3600) end) })
            local blocks = BlockOperation(function() sleep(3600) end)
            blocks:addExecutionBlock(function() sleep(3600) end)
            OperationQueue():addOperation(blocks)
            Operation { start = function() end }:start()
            sleep(0.01)
            os.exit(0)
            """
        #expect(try await engine.run(code: code).exitCode == 0)
        let report = try await engine.run(code: "sleep(0.01)")
        #expect(report.stuck == [])
        #expect(report.succeeded + report.failed + report.cancelled + report.skipped == 0)
        #expect(try await engine.run(code: "await(async(sleep, 0))").succeeded == 1)
    }

    @Test func `completion blocks of very many that had ended are not called, and not counted`() async throws
    {
        let engine = ScriptEngine()
        engine.register("nothing") { () in }
        let code = """
            called = 0
            local queue = OperationQueue()
            for i = 1, 100000 do
                queue:addOperation(work.nothing()).completionBlock = function() called = called + 1 end
            end
            os.exit(0)
            """
        _ = try await engine.run(code: code)
        let report = try await engine.run(code: "sleep(0.01)")
        #expect(try await engine.evaluate("called", as: Int.self) == 0)
        #expect(report.succeeded + report.failed + report.cancelled + report.skipped == 0)
    }

    @Test func `groups and work items that were entered notify no queue`() async throws {
        let engine = ScriptEngine()
        let gate = Gate()
        engine.register("blocked") { gate.pass() }
        let code = """
            told = 0
            local function tell() told = told + 1 end
            local queue = DispatchQueue { attributes = "concurrent" }
            group = DispatchGroup()
            queue:async { work.blocked(), group = group }
            queue:async { function() sleep(3600) end, group = group }
            group:notify(queue, tell)
            local item = DispatchWorkItem(function() sleep(3600) end)
            queue:async(item)
            item:notify(queue, tell)
            sleep(0.01)
            os.exit(0)
            """
        _ = try await engine.run(code: code)
        gate.open()
        _ = try await engine.run(code: "group:wait() sleep(0.01)")
        #expect(try await engine.evaluate("told", as: Int.self) == 0)
    }

    @Test func `a closure that still executes neither holds up a later run nor is counted there`()
        async throws
    {
        let engine = ScriptEngine()
        let gate = Gate()
        engine.register("blocked") { () throws in
            gate.pass()
            throw ScriptError(.failed, "too late")
        }
        engine.register("begun") { gate.hasBegun }
        let code = """
            local queue = OperationQueue()
            queue:addOperation(work.blocked()).completionBlock = function() late = true end
            while not await(work.begun()) do end
            os.exit(0)
            """
        _ = try await engine.run(code: code)
        // It ends without that closure, which ends in the next one.
        #expect(try await engine.run(code: "await(async(sleep, 0))").succeeded == 1)
        gate.open()
        let report = try await engine.run(code: "for i = 1, 100 do await(work.begun()) end")
        #expect(report.steps == 100)
        #expect(report.failures.isEmpty && report.cancelled == 0 && report.failed == 0)
        #expect(try await engine.evaluate("late == nil", as: Bool.self))
    }

    @Test func `queues that were suspended take operations in a later run`() async throws {
        let engine = ScriptEngine()
        let code = """
            queue = OperationQueue { isSuspended = true }
            queue:addOperation(print)
            os.exit(0)
            """
        _ = try await engine.run(code: code)
        #expect(
            try await engine.run(code: "assert(not queue.isSuspended) await(async(sleep, 0))").succeeded == 1
        )
        #expect(try await engine.run(code: "queue:addOperation(function() end)").succeeded == 1)
    }
}

/// Holds a closure until it is opened.
private final class Gate: Sendable {
    private let begun = Mutex(false)
    private let opened = DispatchSemaphore(value: 0)

    var hasBegun: Bool { begun.withLock { $0 } }

    func open() { opened.signal() }

    func pass() {
        begun.withLock { $0 = true }
        opened.wait()
    }
}
