import OpScript
import Testing

/// The counts of a report contain the operations that the script added, and not the steps of waiters.
@Suite struct CountingTests {
    private func report(_ code: String) async throws -> ScriptReport {
        let engine = ScriptEngine()
        engine.register("fail") { throw ScriptError(.failed, "no disk") }
        engine.register("say") { 1 }
        do {
            return try await engine.run(code: code, named: "@job.lua")
        } catch let error as ScriptError {
            return try #require(error.report)
        }
    }

    /// An engine with a status, and a work that fails.
    private func statusEngine() -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.tracksStatus = true
        let engine = ScriptEngine(configuration)
        engine.register("fail") { throw ScriptError(.failed, "no disk") }
        return engine
    }

    private struct Case: Sendable, CustomTestStringConvertible {
        let code: String
        /// Succeeded, failed, handled, cancelled, skipped, not run, steps.
        let counts: [Int]
        var testDescription: String { code }

        init(_ counts: [Int], _ code: String) {
            self.code = code
            self.counts = counts
        }
    }

    private static let cases = [
        Case([0, 0, 0, 0, 0, 0, 1], "await(work.say())"),
        Case([0, 0, 0, 0, 0, 0, 20], "for i = 1, 20 do pawait(work.fail()) end"),
        Case([0, 0, 0, 0, 0, 0, 2], "await.settled { work.fail(), work.say() }"),
        Case([1, 0, 0, 0, 0, 0, 1], "await(async(function() return await(work.say()) end))"),
        Case([0, 1, 0, 0, 0, 0, 1], "async(function() await(work.fail()) end)"),
        Case([0, 0, 1, 0, 0, 0, 1], "pawait(async(function() await(work.fail()) end))"),
        Case([1, 0, 0, 0, 0, 0, 0], "OperationQueue.default:addOperation(work.say())"),
        Case([1, 0, 0, 0, 0, 0, 0], "await(OperationQueue.default:addOperation(work.say()))"),
        // The dependencies that a wait submits with an operation are steps as well.
        Case([0, 0, 0, 0, 0, 0, 2], "local a, b = work.say(), work.say() b:addDependency(a) await(b)"),
        Case(
            [0, 1, 0, 0, 2, 2, 0],
            """
            local q, a, b, c = OperationQueue(), work.fail(), work.say(), work.say()
            b:addDependency(a) c:addDependency(b) q:addOperations { a, b, c }
            """
        ),
        // Each failure inside a group counts, and the group's own; if that is handled, all are.
        Case(
            [1, 3, 0, 0, 0, 0, 0],
            "OperationQueue():addOperation(GroupOperation { work.fail(), work.fail(), work.say() })"
        ),
        Case(
            [1, 0, 2, 0, 0, 0, 0],
            "pawait(OperationQueue.default:addOperation(GroupOperation { work.fail(), work.say() }))"
        ),
        Case(
            [0, 0, 3, 0, 0, 0, 0],
            """
            local group = GroupOperation { GroupOperation { work.fail() } }
            OperationQueue():addOperation(group)
            group:waitUntilFinished()
            pawait(group)
            """
        ),
        Case(
            [0, 0, 3, 0, 0, 0, 0],
            """
            OperationQueue():addOperation(GroupOperation {
                GroupOperation { work.fail() }, allowsFailure = true,
            })
            """
        ),
        Case(
            [1, 0, 1, 0, 0, 0, 0],
            """
            local failing = work.fail()
            failing.allowsFailure = true
            OperationQueue():addOperation(GroupOperation { failing })
            """
        ),
        // The blocks of a block operation are a part of it.
        Case(
            [1, 1, 1, 0, 0, 0, 0],
            "OperationQueue():addOperation(BlockOperation(work.fail(), work.say()))"
        ),
        // One that executes when it is cancelled has begun.
        Case(
            [0, 0, 0, 2, 0, 1, 0],
            """
            local q = OperationQueue { maxConcurrentOperationCount = 1 }
            local a, b = work.sleep(1000), work.say()
            q:addOperations { a, b }
            while not a.isExecuting do sleep(0) end
            b:cancel() a:cancel()
            """
        ),
        // The waiter is gone before the step fails, and nothing takes the failure: it counts, as does the gate.
        Case(
            [1, 1, 0, 1, 1, 1, 1],
            """
            local gate = Gate "gate"
            local step, after = Operation(function() error "late" end), work.say()
            step:addDependency(gate)
            after:addDependency(step)
            local waiter = async(function() await(step) end)
            sleep(0.001)
            OperationQueue():addOperation(after)
            waiter:cancel()
            gate:finish()
            """
        ),
    ]

    @Test(arguments: cases) private func `the counts are those of the rule`(_ example: Case) async throws {
        let report = try await report(example.code)
        let counts = [
            report.succeeded, report.failed, report.handled, report.cancelled, report.skipped, report.notRun,
            report.steps,
        ]
        #expect(counts == example.counts, "\(example.code): \(report.failures.map(\.message))")
    }

    @Test func `a failure has the names of what was skipped because of it`() async throws {
        let report = try await report(
            """
            local q = OperationQueue { maxConcurrentOperationCount = 1 }
            local a, b = work.fail(), work.fail()
            local list = { a, b }
            for i = 1, 14 do
                local op = work.say()
                op.name = "step " .. i
                -- In a chain behind the first failure, and each by itself behind the second.
                op:addDependency(i <= 12 and (i == 1 and a or list[#list]) or b)
                list[#list + 1] = op
            end
            q:addOperations(list)
            """
        )
        #expect(report.failures.map(\.notRun.count) == [12, 2])
        #expect(report.failures[0].notRun.names == (1...10).map { "step \($0)" })
        #expect(report.failures[1].notRun.names == ["step 13", "step 14"])
        #expect(report.notRunForOtherReasons.count == 0)
    }

    @Test func `an operation that does not run for another reason than a failure has a name as well`()
        async throws
    {
        let report = try await report(
            """
            local q = OperationQueue()
            local function named(name) local op = work.say() op.name = name return op end
            local a, b, c, d = named "a", named "b", named "c", named "d"
            b:addDependency(a, "failed")
            c:addDependency(b, "succeeded")
            d:cancel()
            q:addOperations { a, b, c, d }
            """
        )
        #expect(report.succeeded == 1 && report.notRun == 3 && report.failures.isEmpty)
        #expect(Set(report.notRunForOtherReasons.names) == ["b", "c", "d"])
    }

    @Test func `the failure of a group says how many are inside`() async throws {
        let report = try await report(
            """
            local first, second, last = work.fail(), work.fail(), work.say()
            first.name, second.name = "first", "second"
            local group = GroupOperation { name = "group", first, second, work.say() }
            last:addDependency(group)
            OperationQueue { maxConcurrentOperationCount = 1 }:addOperations { group, last }
            """
        )
        let failures = Dictionary(uniqueKeysWithValues: report.failures.map { ($0.name, $0) })
        #expect(failures.mapValues(\.failedInside) == ["first": 0, "second": 0, "group": 2])
        #expect(failures["group"]?.notRun.count == 1)
        #expect(report.failures.last?.name == "group")
    }

    @Test func `a failure that a wait is about to deliver is none in the status`() async throws {
        let engine = statusEngine()
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        engine.register("compile") { () async in for await _ in stream { break } }
        engine.register("status") { [unowned engine] in
            let status = engine.status
            return "\(status.finished)/\(status.total) \(status.failed) \(status.failures.count)"
        }
        engine.register("open") { gate.finish() }
        let report = try await engine.run(
            code: """
                local waiter = async(function() await.settled { work.fail(), work.compile() } end)
                local text
                repeat sleep(0.01) text = await(work.status()) until text:find " 1$"
                assert(text == "0/1 0 1", text)
                await(work.open())
                """
        )
        #expect(report.succeeded == 1 && report.failed == 0)
    }

    @Test(.timeLimit(.minutes(5))) func `the use of a run is known while it lasts`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.tracksStatus = true
        configuration.standardOutput = { _ in }
        let engine = ScriptEngine(configuration)
        engine.register("usage") { [unowned engine] in
            let usage = engine.usage
            return [usage.memory, usage.peakMemory, usage.outputBytes, usage.operations]
        }
        let report = try await engine.run(
            code: """
                local text = ("x"):rep(50000000)
                print "12345"
                local memory, peak, output, operations
                repeat
                    sleep(0.01)
                    memory, peak, output, operations = table.unpack(await(work.usage()))
                until memory > 50000000 and output == 6 and operations > 0
                assert(peak >= memory)
                text = nil
                collectgarbage()
                repeat sleep(0.01) memory = await(work.usage())[1] until memory < 50000000
                """
        )
        #expect(report.usage.memory < 50_000_000 && report.usage.peakMemory > 50_000_000)
    }

    @Test func `operations between attempts are counted, and steps stand beside their waiters`() async throws
    {
        let engine = statusEngine()
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        engine.register("compile") { () async in for await _ in stream { break } }
        engine.register("status") { [unowned engine] in
            let status = engine.status
            let texts = status.running.map { "\($0.name): \($0.text ?? "")" }
            return "\(status.finished)/\(status.total) \(status.runningCount) \(status.retryingCount) "
                + texts.joined(separator: ", ")
        }
        engine.register("open") { gate.finish() }
        let report = try await engine.run(
            code: """
                local again = work.fail()
                again.retry = { attempts = 2, delay = 3600 }
                again.allowsFailure = true
                local file = Operation { name = "file", main = function() await(work.compile()) end }
                OperationQueue.default:addOperations { again, file }
                local text
                repeat sleep(0.01) text = await(work.status()) until text:find("^0/2 %d 1 file: compile")
                again:cancel()
                await(work.open())
                """
        )
        #expect(report.succeeded == 1 && report.cancelled == 1 && report.notRun == 0)
    }
}
