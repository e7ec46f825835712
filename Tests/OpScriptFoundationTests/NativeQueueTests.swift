import Foundation
import OpScript
import OpScriptFoundation
import Synchronization
import Testing

@Suite struct NativeQueueTests {
    @Test func aSuspendedQueueOfWidthOneRunsHighFirst() async throws {
        let native = OperationQueue()
        native.maxConcurrentOperationCount = 1
        native.isSuspended = true
        let engine = ScriptEngine()
        try engine.adopt(native, as: "host.network")
        let order = Mutex<[String]>([])
        engine.register("note") { (text: String) in order.withLock { $0.append(text) } }
        engine.register("resume") {
            #expect(native.operations.map(\.name) == ["low", "high"])
            #expect(native.operations.allSatisfy { $0.isReady && !$0.isExecuting && !$0.isFinished })
            native.isSuspended = false
        }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue.named "host.network"
                local low = Operation { name = "low", work = "note", args = { "low" }, queuePriority = "low" }
                local high = Operation { name = "high", work = "note", args = { "high" }, queuePriority = "high" }
                queue:addOperations { low, high }
                await(work.resume())
                queue:waitUntilAllOperationsAreFinished()
                assert(low.outcome == "succeeded" and high.outcome == "succeeded")
                """
        )
        #expect(report.exitCode == 0)
        #expect(order.withLock { $0 } == ["high", "low"])
    }
}
