import Dispatch
import OpScript
import OpScriptFoundation
import Testing

@Suite struct NativeDispatchQueueTests {
    private let engine = ScriptEngine()
    private let order = Log()

    init() {
        let order = order
        engine.register("note") { (text: String) in order.append(text) }
    }

    private func run(_ queue: DispatchQueue, _ code: String) async throws -> ScriptReport {
        try engine.adopt(queue, as: "host.disk", access: .full)
        return try await engine.run(code: "local queue = OperationQueue.named 'host.disk'\n" + code)
    }

    @Test func aSerialQueueRunsOneAfterTheOther() async throws {
        let queue = DispatchQueue(label: "disk")
        let report = try await run(
            queue,
            """
            local inside, most = 0, 0
            local function body()
                inside = inside + 1
                most = math.max(most, inside)
                await(work.note("lua"))
                inside = inside - 1
            end
            queue:addOperations { body, body, work.note("closure"), body }
            queue:waitUntilAllOperationsAreFinished()
            assert(most == 1)
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["lua", "lua", "closure", "lua"])
    }

    @Test func aConcurrentQueueRunsSideBySide() async throws {
        let queue = DispatchQueue(label: "disk", attributes: .concurrent)
        let first = DispatchSemaphore(value: 0)
        let second = DispatchSemaphore(value: 0)
        engine.register("first") {
            second.signal()
            first.wait()
        }
        engine.register("second") {
            first.signal()
            second.wait()
        }
        let report = try await run(
            queue,
            """
            queue:addOperations { work.first(), work.second() }
            queue:waitUntilAllOperationsAreFinished()
            """
        )
        #expect(report.succeeded == 2)
    }

    @Test func bodiesRunOnTheQueue() async throws {
        let queue = DispatchQueue(label: "disk")
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "it is the disk's")
        engine.register("where") { DispatchQueue.getSpecific(key: key) ?? "elsewhere" }
        let report = try await run(
            queue,
            """
            local op = work.where()
            queue:addOperation(op)
            assert(await(op) == "it is the disk's")
            """
        )
        #expect(report.exitCode == 0)
    }

    @Test func aSuspendedQueueRunsNothing() async throws {
        let queue = DispatchQueue(label: "disk")
        queue.suspend()
        let order = order
        engine.register("resume") {
            order.append("resumed")
            queue.resume()
        }
        let report = try await run(
            queue,
            """
            local op, cancelled = work.note("ran"), work.note("cancelled")
            queue:addOperations { op, cancelled }
            cancelled:cancel()
            cancelled:waitUntilFinished()
            assert(cancelled.outcome == "cancelled" and op.state == "ready")
            await(work.resume())
            await(op)
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["resumed", "ran"])
    }

    @Test func aScriptCanSuspendItAndDropIt() async throws {
        let queue = DispatchQueue(label: "disk")
        let report = try await run(
            queue,
            """
            assert(queue.maxConcurrentOperationCount == -1 and not queue.isSuspended)
            local ok, problem = pcall(function() queue.maxConcurrentOperationCount = 2 end)
            assert(not ok and problem.code == "misuse")
            queue.isSuspended = true
            queue.isSuspended = true
            local op = work.note("ran")
            queue:addOperation(op)
            await(work.note("first"))
            queue.isSuspended = false
            queue.isSuspended = false
            await(op)
            queue.isSuspended = true
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["first", "ran"])
    }

    @Test func globalQueuesCannotBeSuspended() async throws {
        let report = try await run(
            DispatchQueue.global(),
            """
            local ok, problem = pcall(function() queue.isSuspended = true end)
            assert(not ok and problem.code == "misuse")
            local op = work.note("ran")
            queue:addOperation(op)
            await(op)
            """
        )
        #expect(report.exitCode == 0)
    }
}
