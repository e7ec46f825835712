import Foundation
import OpScript
import OpScriptFoundation
import Testing

/// The access of scripts to a queue that the host has adopted for submitting only.
@Suite struct QueueAccessTests {
    private let engine = ScriptEngine()

    private static let changes = [
        "isSuspended = true", "isSuspended = false", "maxConcurrentOperationCount = 99", "failFast = true",
        "qualityOfService = 'background'", "name = 'mine'",
    ]

    private func refusal(of change: String) -> String {
        let setting = change.prefix { $0 != " " }
        return "'\(setting)' of the queue 'host.one' cannot be changed: the host has adopted 'host.one' for "
            + "submitting only; in Swift: adopt(queue, as: \"host.one\", access: .full)"
    }

    private func attempt(_ change: String) async throws -> String {
        try await engine.evaluate(
            """
            local queue = OperationQueue.named "host.one"
            local ok, problem = pcall(function() queue.\(change) end)
            assert(not ok and problem.code == "misuse", tostring(problem))
            return problem.message
            """,
            as: String.self
        )
    }

    @Test(arguments: changes)
    func aSettingOfAnOperationQueueIsRefused(_ change: String) async throws {
        let native = OperationQueue()
        native.maxConcurrentOperationCount = 3
        native.qualityOfService = .utility
        try engine.adopt(native, as: "host.one")
        #expect(try await attempt(change).hasSuffix(refusal(of: change)))
        #expect(native.maxConcurrentOperationCount == 3)
        #expect(!native.isSuspended)
        #expect(native.qualityOfService == .utility)
    }

    @Test(arguments: changes.filter { !$0.hasPrefix("max") })
    func aSettingOfADispatchQueueIsRefused(_ change: String) async throws {
        let native = DispatchQueue(label: "disk")
        try engine.adopt(native, as: "host.one", access: .submitOnly)
        #expect(try await attempt(change).hasSuffix(refusal(of: change)))
        native.sync {}
    }

    @Test func scriptsSubmitWaitObserveAndCancel() async throws {
        let native = OperationQueue()
        native.maxConcurrentOperationCount = 3
        try engine.adopt(native, as: "host.one")
        let report = try await engine.run(
            code: """
                local queue = OperationQueue.named "host.one"
                local counts = {}
                queue:observe("operationCount", function(change) counts[#counts + 1] = change.new end)
                queue.userInfo = "mine"
                assert(queue.userInfo == "mine" and queue.name == "host.one" and not queue.failFast)
                assert(queue.maxConcurrentOperationCount == 3 and not queue.isSuspended)
                local ran, last = 0
                queue:addOperations({ function() ran = ran + 1 end, function() ran = ran + 1 end }, true)
                queue:addBarrierBlock(function() last = ran end)
                assert(queue:waitUntilAllOperationsAreFinished() and last == 2 and #counts > 0)
                local op = queue:addOperation(function() sleep(3600) end)
                queue:cancelAllOperations()
                op:waitUntilFinished()
                assert(op.outcome == "cancelled")
                """
        )
        #expect(report.exitCode == 0)
        drain(native)
    }

    @Test func fullAccessChangesTheQueue() async throws {
        let native = OperationQueue()
        try engine.adopt(native, as: "host.one", access: .full)
        try await engine.evaluate(
            """
            local queue = OperationQueue.named "host.one"
            queue.maxConcurrentOperationCount = 2
            queue.isSuspended, queue.failFast, queue.name = true, true, "mine"
            queue.qualityOfService = "background"
            assert(queue.failFast and queue.name == "mine" and queue.qualityOfService == "background")
            """
        )
        #expect(native.maxConcurrentOperationCount == 2)
        #expect(native.isSuspended)
    }
}
