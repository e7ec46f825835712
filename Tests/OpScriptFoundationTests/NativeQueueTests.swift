import Foundation
import OpScript
import OpScriptFoundation
import Synchronization
import Testing

@Suite struct NativeQueueTests {
    private let engine = ScriptEngine()
    private let native = OperationQueue()
    private let order = Log()

    init() throws {
        let order = order
        let native = native
        engine.register("note") { (text: String) in order.append(text) }
        engine.register("resume") { native.isSuspended = false }
        try engine.adopt(native, as: "host.network", access: .full)
    }

    private func run(_ code: String) async throws -> ScriptReport {
        try await engine.run(code: "local queue = OperationQueue.named 'host.network'\n" + code)
    }

    @Test func aSuspendedQueueOfWidthOneRunsHighFirst() async throws {
        native.maxConcurrentOperationCount = 1
        native.isSuspended = true
        let native = native
        engine.register("look") {
            #expect(native.operations.map(\.name) == ["low", "high"])
            #expect(native.operations.map(\.queuePriority) == [.low, .high])
            #expect(native.operations.allSatisfy { $0.isReady && !$0.isExecuting && !$0.isFinished })
        }
        let report = try await run(
            """
            local low = Operation { name = "low", work = "note", args = { "low" }, queuePriority = "low" }
            local high = Operation { name = "high", work = "note", args = { "high" }, queuePriority = "high" }
            queue:addOperations { low, high }
            await(work.look())
            assert(low.state == "ready" and low.queue == queue)
            await(work.resume())
            queue:waitUntilAllOperationsAreFinished()
            assert(low.outcome == "succeeded" and high.outcome == "succeeded")
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["high", "low"])
        #expect(native.operations.isEmpty)
    }

    @Test func aPriorityThatIsChangedLaterCounts() async throws {
        native.maxConcurrentOperationCount = 1
        native.isSuspended = true
        _ = try await run(
            """
            local a, b = work.note("a"), work.note("b")
            queue:addOperations { a, b }
            b.queuePriority = "veryHigh"
            await(work.resume())
            queue:waitUntilAllOperationsAreFinished()
            """
        )
        #expect(order.texts == ["b", "a"])
    }

    @Test func luaBodiesTakeTheirTurnThere() async throws {
        native.maxConcurrentOperationCount = 1
        let native = native
        engine.register("executing") { native.operations.filter(\.isExecuting).compactMap(\.name) }
        let report = try await run(
            """
            local seen
            local first = Operation { name = "first", main = function(op)
                assert(OperationQueue.current == queue and op.isExecuting)
                seen = await(work.executing())
                return 7
            end }
            local second = Operation { name = "second", main = function() assert(first.isFinished) end }
            queue:addOperations { first, second }
            assert(await(first) == 7)
            await(second)
            assert(#seen == 1 and seen[1] == "first")
            """
        )
        #expect(report.exitCode == 0)
        #expect(report.succeeded == 2 && report.steps == 1)
    }

    @Test func everyKindOfBodyEndsThere() async throws {
        engine.register("later") { () async in await Task.yield() }
        engine.register("twice") { (context: WorkContext) throws in
            if context.attempt == 1 { throw ScriptError(.failed, "not yet") }
        }
        native.maxConcurrentOperationCount = 1
        let report = try await run(
            """
            OperationQueue.setResource("gpu", 1)
            local group = GroupOperation { work.note("inside"), function() end }
            local asynchronous = Operation { start = function(op) async(function() op:finish(1) end) end }
            local again = Operation { work = "twice", retry = { attempts = 2 } }
            local slow = Operation { work = "twice", retry = { attempts = 2, delay = 0.001 } }
            local needy = Operation { work = "note", args = { "gpu" }, resources = { gpu = 1 } }
            local needier = Operation { main = function() end, resources = { gpu = 1 } }
            local all = { group, asynchronous, again, slow, needy, needier, work.later(), work.sleep(0) }
            queue:addOperations(all)
            queue:addBarrierBlock(function() for _, op in ipairs(all) do assert(op.isFinished, op.name) end end)
            queue:waitUntilAllOperationsAreFinished()
            for _, op in ipairs(all) do assert(op.outcome == "succeeded", tostring(op)) end
            assert(again.attempt == 2 and slow.attempt == 2)
            """
        )
        #expect(report.exitCode == 0)
        drain(native)
    }

    @Test func dependenciesCrossFromOneKindOfQueueToTheOther() async throws {
        native.maxConcurrentOperationCount = 1
        let native = native
        engine.register("unready") { native.operations.filter { !$0.isReady }.compactMap(\.name) }
        let report = try await run(
            """
            local gate = Gate "gate"
            local own = OperationQueue()
            local a = Operation { name = "a", work = "note", args = { "a" } }
            local b = Operation { name = "b", work = "note", args = { "b" } }
            local c = Operation { name = "c", work = "note", args = { "c" } }
            a:addDependency(gate) b:addDependency(a) c:addDependency(b)
            queue:addOperations { c, a }
            own:addOperation(b)
            local unready = await(work.unready())
            assert(#unready == 2 and unready[1] == "c" and unready[2] == "a")
            gate:finish()
            await(c)
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["a", "b", "c"])
    }

    @Test func aDependencyThatComesLateHoldsItBackAgain() async throws {
        native.isSuspended = true
        _ = try await run(
            """
            local a, b = work.note("a"), work.note("b")
            queue:addOperation(b)
            assert(b.isReady)
            b:addDependency(a)
            await(work.resume())
            assert(not b.isReady)
            queue:addOperation(a)
            queue:waitUntilAllOperationsAreFinished()
            """
        )
        #expect(order.texts == ["a", "b"])
    }

    @Test func cancellingOnEitherSideCancelsOnTheOther() async throws {
        native.maxConcurrentOperationCount = 1
        native.isSuspended = true
        let native = native
        engine.register("cancelAll") { native.cancelAllOperations() }
        engine.register("cancelled") { native.operations.filter(\.isCancelled).compactMap(\.name) }
        let report = try await run(
            """
            local gate = Gate "never"
            local ready = Operation { name = "ready", work = "note", args = { "ready" } }
            local unready = Operation { name = "unready", main = function() error "it ran" end, dependencies = { gate } }
            local mine = Operation { name = "mine", work = "note", args = { "mine" } }
            queue:addOperations { ready, unready, mine }
            mine:cancel()
            local cancelled = await(work.cancelled())
            assert(#cancelled == 1 and cancelled[1] == "mine")
            await(work.cancelAll())
            await.settled { ready, unready, mine }
            for _, op in ipairs { ready, unready, mine } do
                assert(op.isCancelled and op.outcome == "cancelled", op.name)
            end
            gate:finish()
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts.isEmpty)
        native.isSuspended = false
        drain(native)
    }

    @Test func nativeCancellationReachesABodyThatExecutes() async throws {
        let native = native
        engine.register("untilCancelled") { (context: WorkContext) in
            let cancelled = DispatchSemaphore(value: 0)
            context.onCancel { cancelled.signal() }
            native.cancelAllOperations()
            cancelled.wait()
        }
        let report = try await run(
            """
            local closure = work.untilCancelled()
            queue:addOperation(closure)
            closure:waitUntilFinished()
            assert(closure.outcome == "cancelled")

            local told
            local lua = Operation { main = function(op)
                local ok, problem = pcall(sleep, 3600)
                told = problem.code
            end }
            queue:addOperation(lua)
            local asker = work.untilCancelled()
            queue:addOperation(asker)
            queue:waitUntilAllOperationsAreFinished()
            assert(lua.outcome == "cancelled" and (told == "cancelled" or told == nil))
            """
        )
        #expect(report.exitCode == 0)
    }

    @Test func theQueuesPropertiesAreTheNativeOnes() async throws {
        native.maxConcurrentOperationCount = 3
        _ = try await run(
            """
            assert(queue.name == "host.network" and queue == OperationQueue.named "host.network")
            assert(queue.maxConcurrentOperationCount == 3 and not queue.isSuspended)
            local seen = {}
            queue:observe("isSuspended", function(change) seen[#seen + 1] = change.new end)
            queue.maxConcurrentOperationCount = 2
            queue.isSuspended = true
            assert(queue.isSuspended)
            sleep(0)
            assert(seen[1] == true)
            """
        )
        #expect(native.maxConcurrentOperationCount == 2)
        #expect(native.isSuspended)
    }

    @Test func anUnknownNameNamesTheNearest() async throws {
        await #expect {
            try await engine.run(code: "OperationQueue.named 'host.netwrok'")
        } throws: { error in
            "\(error)".hasSuffix(
                "the host has registered no queue 'host.netwrok' (did you mean 'host.network'?)"
            )
        }
    }

    @Test func aNameIsTakenOnce() throws {
        #expect(throws: ScriptError.self) { try engine.adopt(OperationQueue(), as: "host.network") }
        #expect(throws: ScriptError.self) { try engine.adopt(OperationQueue(), as: "") }
    }

    @Test func theHostsMainQueueKeepsItsRules() async throws {
        try engine.adopt(OperationQueue.main, as: "host.main", access: .full)
        _ = try await engine.run(
            code: """
                local main = OperationQueue.named "host.main"
                local ok, problem = pcall(function() main.isSuspended = true end)
                assert(not ok and problem.code == "misuse")
                ok, problem = pcall(function() main.maxConcurrentOperationCount = 4 end)
                assert(not ok and problem.code == "misuse")
                """
        )
    }

    @Test func whatWaitsForTheHostIsNoDeadlock() async throws {
        native.isSuspended = true
        let native = native
        let engine = engine
        let isWaiting = DispatchSemaphore(value: 0)
        engine.register("waiting") { isWaiting.signal() }
        // Only the host is left to end the script's wait. The host resumes the queue after the wait has
        // begun.
        Thread.detachNewThread {
            isWaiting.wait()
            native.isSuspended = false
        }
        let report = try await run(
            """
            local op = work.note("at last")
            queue:addOperation(op)
            async(function() await(work.waiting()) end)
            await(op)
            """
        )
        #expect(report.exitCode == 0)
        #expect(order.texts == ["at last"])
    }

    @Test func whatNobodyCanReadyIsADeadlock() async throws {
        let report = try await run(
            """
            local op = work.note("never")
            op:addDependency(Gate "endless")
            queue:addOperation(op)
            local ok, problem = pcall(await, op)
            assert(not ok and problem.code == "deadlock", tostring(problem))
            op:cancel()
            """
        )
        #expect(report.exitCode == 0)
    }
}

/// The notes of bodies, from any thread.
final class Log: Sendable {
    private let state = Mutex<[String]>([])

    var texts: [String] { state.withLock { $0 } }

    func append(_ text: String) { state.withLock { $0.append(text) } }
}

/// Waits for a queue; for tests that have nothing else to do.
func drain(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }
