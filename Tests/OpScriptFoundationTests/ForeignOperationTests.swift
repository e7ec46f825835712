import Foundation
import OpScript
import OpScriptFoundation
import Testing

@Suite struct ForeignOperationTests {
    private let engine = ScriptEngine()
    private let native = OperationQueue()
    private let order = Log()

    init() throws {
        let order = order
        try engine.adopt(native, as: "host.network")
        engine.register("note") { (text: String) in order.append(text) }
    }

    /// Lets scripts have an operation by a function.
    private func give(_ operation: Operation) { engine.register("give") { operation } }

    private func block(_ name: String, _ body: @escaping @Sendable () -> Void = {}) -> BlockOperation {
        let order = order
        let operation = BlockOperation {
            order.append(name)
            body()
        }
        operation.name = name
        return operation
    }

    @Test func theHostRunsItAndAScriptDependsOnIt() async throws {
        let operation = block("native")
        let native = native
        engine.register("submit") { native.addOperation(operation) }
        give(operation)
        let report = try await engine.run(
            code: """
                local op = await(work.give())
                assert(op.name == "native" and op == await(work.give()) and not op.isFinished)
                local seen
                op:observe("isFinished", function(change) seen = change.new end)
                op.completionBlock = function(o) assert(o == op) work.note("completion") end
                local after = work.note("after")
                after:addDependency(op)
                OperationQueue.default:addOperation(after)
                await(work.submit())
                await(after)
                assert(op.outcome == "succeeded" and seen and op.result == nil)
                """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["native", "after"])
    }

    @Test(arguments: ["OperationQueue()", "OperationQueue.named 'host.network'"])
    func aScriptRunsItInAQueue(_ queue: String) async throws {
        give(block("native"))
        let report = try await engine.run(
            code: """
                local op = await(work.give())
                local before = work.note("before")
                op:addDependency(before)
                local queue = \(queue)
                queue:addOperations { op, before }
                await(op)
                assert(op.outcome == "succeeded" and op.queue == queue)
                local ok, problem = pcall(queue.addOperation, queue, op)
                assert(not ok and problem.code == "misuse")
                """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["before", "native"])
    }

    @Test func itsOwnDependenciesAreWaitedFor() async throws {
        let first = block("first")
        let second = block("second")
        second.addDependency(first)
        let native = native
        engine.register("submit") { native.addOperation(first) }
        give(second)
        let report = try await engine.run(
            code: """
                local op = await(work.give())
                OperationQueue():addOperation(op)
                await(work.submit())
                await(op)
                """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["first", "second"])
    }

    @Test func oneThatIsInAQueueCannotBeAdded() async throws {
        native.isSuspended = true
        let operation = block("native")
        native.addOperation(operation)
        let native = native
        engine.register("resume") { native.isSuspended = false }
        give(operation)
        let report = try await engine.run(
            code: """
                local op = await(work.give())
                local ok, problem = pcall(function() OperationQueue():addOperation(op) end)
                assert(not ok and problem.code == "misuse" and problem.message:find("in a queue of the host's already", 1, true))
                ok, problem = pcall(op.finish, op)
                assert(not ok and problem.code == "misuse")
                ok, problem = pcall(op.start, op)
                assert(not ok and problem.code == "misuse")
                await(work.resume())
                await(op)
                """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["native"])
    }

    @Test func cancellingGoesBothWays() async throws {
        native.isSuspended = true
        let mine = block("mine")
        let theirs = block("theirs")
        for operation in [mine, theirs] { native.addOperation(operation) }
        let native = native
        engine.register("both") { [mine as Operation, theirs] }
        engine.register("cancelTheirs") {
            theirs.cancel()
            native.isSuspended = false
        }
        let report = try await engine.run(
            code: """
                local both = await(work.both())
                both[1]:cancel()
                assert(both[1].outcome == nil or both[1].outcome == "cancelled")
                await(work.cancelTheirs())
                await.settled(both)
                assert(both[1].outcome == "cancelled" and both[2].outcome == "cancelled")
                """
        )
        #expect(report.exitCode == 0)
        #expect(mine.isCancelled)
        #expect(order.texts.isEmpty)
    }

    @Test func anAsynchronousOneKeepsItsPlaceUntilItsEnd() async throws {
        let operation = AsynchronousOperation()
        give(operation)
        let order = order
        engine.register("finish") {
            order.append("finish")
            operation.finish()
        }
        let report = try await engine.run(
            code: """
                local op = await(work.give())
                local queue = OperationQueue { maxConcurrentOperationCount = 1 }
                queue:addOperations { op, work.note("after") }
                await(work.finish())
                queue:waitUntilAllOperationsAreFinished()
                """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["finish", "after"])
    }
}

/// Ends when the test wants it.
private final class AsynchronousOperation: Operation, @unchecked Sendable {
    // @unchecked because all mutable state is behind `lock`.
    private let lock = NSLock()
    private var hasStarted = false
    private var hasEnded = false

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { hasStarted && !hasEnded } }
    override var isFinished: Bool { lock.withLock { hasStarted && hasEnded } }

    override func start() {
        let isOver = lock.withLock {
            hasStarted = true
            return hasEnded
        }
        if isOver { didChangeValue(forKey: "isFinished") }
    }

    func finish() {
        let isOver = lock.withLock {
            hasEnded = true
            return hasStarted
        }
        if isOver { didChangeValue(forKey: "isFinished") }
    }
}
