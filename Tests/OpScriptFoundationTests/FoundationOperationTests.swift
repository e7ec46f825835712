import Foundation
import OpScript
import OpScriptFoundation
import Synchronization
import Testing

/// Native code that depends on a script's operation.
@Suite struct FoundationOperationTests {
    private let native = OperationQueue()
    private let order = Log()

    private func makeEngine() -> ScriptEngine {
        let engine = ScriptEngine()
        let order = order
        engine.register("note") { (text: String) in order.append(text) }
        return engine
    }

    @Test func nativeCodeRunsAfterIt() async throws {
        let engine = makeEngine()
        let native = native
        let order = order
        engine.register("watch") { (operation: ScriptOperation) in
            let watched = operation.foundationOperation
            #expect(watched.name == "page" && !watched.isFinished)
            let after = BlockOperation {
                #expect(watched.isFinished && !watched.isCancelled)
                order.append("native")
            }
            after.addDependency(watched)
            native.addOperation(after)
        }
        _ = try await engine.run(
            code: """
                local page = Operation { name = "page", work = "note", args = { "script" } }
                await(work.watch(page))
                await(page)
                """
        )
        drain(native)
        #expect(order.texts == ["script", "native"])
    }

    @Test func cancellingGoesBothWays() async throws {
        let engine = makeEngine()
        let watched = Mutex<[Operation]>([])
        engine.register("watch") { (operation: ScriptOperation) in
            let end = operation.foundationOperation
            watched.withLock { $0.append(end) }
        }
        engine.register("cancelSecond") { watched.withLock { $0[1] }.cancel() }
        _ = try await engine.run(
            code: """
                local queue = OperationQueue { isSuspended = true }
                local first, second = work.note("first"), work.note("second")
                queue:addOperations { first, second }
                await(work.watch(first))
                await(work.watch(second))
                first:cancel()
                await(work.cancelSecond())
                queue.isSuspended = false
                await.settled { first, second }
                assert(first.outcome == "cancelled" and second.outcome == "cancelled")
                """
        )
        let ends = watched.withLock { $0 }
        await wait(for: ends)
        #expect(ends.allSatisfy { $0.isFinished && $0.isCancelled })
    }

    @Test func whenTheEngineGoesItFinishesAsCancelled() async throws {
        let kept = Mutex<Operation?>(nil)
        do {
            let engine = makeEngine()
            engine.register("watch") { (operation: ScriptOperation) in
                let end = operation.foundationOperation
                kept.withLock { $0 = end }
            }
            _ = try await engine.run(code: "kept = Gate 'never' await(work.watch(kept))")
            engine.shutdown()
        }
        let end = try #require(kept.withLock { $0 })
        await wait(for: [end])
        #expect(end.isCancelled)
    }

    /// Ends when all have finished.
    private func wait(for operations: [Operation]) async {
        await withCheckedContinuation { continuation in
            let last = BlockOperation { continuation.resume() }
            for operation in operations { last.addDependency(operation) }
            native.addOperation(last)
        }
    }
}
