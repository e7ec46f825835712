import OpScript
import OpScriptRecord
import OpScriptSlurm
import Synchronization
import Testing

/// Queues on a cluster in memory, with scripts on virtual time.
@Suite struct ClusterSimulationTests {
    /// Runs a script, which prints with `print`, and returns its lines.
    private func run(_ script: String, seed: UInt64 = 0, clock: ScriptEngine.Configuration.Clock = .virtual)
        async throws -> String
    {
        let output = Lines()
        let engine = engine {
            $0.clock = clock
            $0.seed = seed
            $0.standardOutput = { output.add($0) }
        }
        let report = try await engine.run(code: script)
        #expect(report.error == nil)
        return output.text
    }

    /// Runs a script on virtual time, and returns its record.
    private func record(_ script: String) async throws -> RunRecord {
        let engine = engine { $0.recordsRuns = true }
        return try #require(try await engine.run(code: script).record)
    }

    /// An engine with a cluster and a work.
    private func engine(_ change: (inout ScriptEngine.Configuration) -> Void) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.installsSimulation = true
        configuration.clock = .virtual
        configuration.clusters["slurm"] = SlurmExecutor(
            SlurmSettings(share: "/nowhere", worker: []) { "test" }
        )
        change(&configuration)
        let engine = ScriptEngine(configuration)
        engine.register("step", onVirtualTime: .instant) { (number: Int) in number }
        return engine
    }

    private final class Lines: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        func add(_ line: [UInt8]) { bytes.withLock { $0 += line } }
        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    }

    @Test func aRecordHasTheNodesAndTheWaitsForThem() async throws {
        let record = try await record(
            """
            simulate("step", { duration = 10 })
            simulate("slurm", { nodes = 1 })
            local queue = OperationQueue { on = "slurm" }
            queue:addOperations({ work.step(1), work.step(2) }, true)
            """
        )
        let operations = record.operations
        #expect(operations.map(\.runner) == [.node("n1"), .node("n1")])
        #expect(operations.map { $0.duration / 1_000_000_000 } == [10, 10])
        #expect(operations.map(\.submitted) == [0, 0])
        let starts = operations.map { ($0.started ?? 0) / 1_000_000_000 }
        #expect(starts == [0, 10])
    }

    /// The wait for a slot of the queue stays what it was; only the wait after it is one for a node.
    @Test func theCriticalPathGoesThroughTheQueue() async throws {
        let record = try await record(
            """
            simulate("step", { duration = 10 })
            local queue = OperationQueue { on = "slurm", maxConcurrentOperationCount = 1 }
            for n = 1, 5 do queue:addOperation(work.step(n)) end
            queue:waitUntilAllOperationsAreFinished()
            """
        )
        let path = record.criticalPath()
        #expect(path.operations == [0, 1, 2, 3, 4])
        #expect(path.running / 1_000_000_000 == 50)
        #expect(path.waiting.keys.contains(.node) && (path.waiting[.node] ?? 0) < 2_000_000_000)
    }

    @Test func anAdditionThatIsRefusedChangesNothing() async throws {
        let text = try await run(
            """
            simulate("step", { duration = 10 })
            simulate("slurm", { nodes = 1 })
            local queue = OperationQueue { on = "slurm" }
            local first, second = work.step(1), work.step(2)
            queue:addOperation(first)
            queue:addOperation(second)
            sleep(2)
            local isTaken = pcall(queue.addOperation, queue, first)
            print(isTaken, (pcall(queue.addOperations, queue, { work.step(3), second })))
            print(first.progress.localizedDescription, second.progress.localizedDescription)
            queue:waitUntilAllOperationsAreFinished()
            print(first.outcome, second.outcome, clock.now() // 1)
            """
        )
        #expect(
            text == """
                false\tfalse
                on n1\tpending (Resources)
                succeeded\tsucceeded\t20.0

                """
        )
    }

    @Test func bodiesWaitForANodeAndTimePasses() async throws {
        let text = try await run(
            """
            simulate("step", { duration = 10, result = 4 })
            simulate("slurm", { nodes = 2 })
            local queue, ops = OperationQueue { on = "slurm" }, {}
            for place = 1, 4 do
                ops[place] = work.step(place)
                queue:addOperation(ops[place])
            end
            sleep(5)
            print(ops[1].progress.localizedDescription, ops[3].progress.localizedDescription)
            ops[4]:cancel()
            for place, op in ipairs(ops) do
                op:waitUntilFinished()
                print(place, op.outcome, op.result, clock.now() < 15 and "first" or "second")
            end
            """
        )
        #expect(
            text == """
                on n1\tpending (Resources)
                1\tsucceeded\t4\tfirst
                2\tsucceeded\t4\tfirst
                3\tsucceeded\t4\tsecond
                4\tcancelled\tnil\tsecond

                """
        )
    }

    /// The limit of an operation counts its execution alone; that of a job is Slurm's.
    @Test func limitsEndBodies() async throws {
        let text = try await run(
            """
            simulate("step", { duration = 100, result = 1 })
            simulate("slurm", { nodes = 1 })
            local queue = OperationQueue { on = "slurm", time = 60 }
            local pilots = OperationQueue { on = "slurm", pilots = { max = 1 } }
            local function add(queue, name, timeout, retry)
                local op = work.step(1)
                op.name, op.allowsFailure, op.timeout, op.retry = name, true, timeout, retry
                queue:addOperation(op)
                return op
            end
            local ops = {
                add(pilots, "a", 30), add(pilots, "b", 200), add(pilots, "c", 30, { attempts = 2 }),
                add(queue, "d"), add(queue, "e", 30),
            }
            for _, op in ipairs(ops) do
                op:waitUntilFinished()
                print(op.outcome, op.attempt, op.error and op.error.code, op.error and op.error.message)
            end
            """
        )
        #expect(
            text == """
                failed\t1\ttimeout\t'a' timed out after 30 s
                succeeded\t1\tnil\tnil
                failed\t2\ttimeout\t'c' timed out after 30 s
                failed\t1\ttimeout\t'd': the job 1_0 was ended by Slurm at its time limit
                failed\t1\ttimeout\t'e' timed out after 30 s

                """
        )
    }

    @Test func aBodyIsLostAtMostFourTimes() async throws {
        let text = try await run(
            """
            local runs = 0
            simulate("step", function() runs = runs + 1 return runs end)
            simulate("slurm", { faults = 1 })
            local queue = OperationQueue { on = "slurm" }
            local again, once = work.step(1), work.step(2)
            once.recording = "once"
            for _, op in ipairs { again, once } do
                op.allowsFailure = true
                queue:addOperation(op)
                op:waitUntilFinished()
                local isRight = op == again and runs >= 4 or op == once and runs <= 1
                local text = op.error.message
                print(op.error.code, isRight, text:match("lost 4 times") or text:match("not repeated"))
                runs = 0
            end
            """
        )
        #expect(text == "failed\ttrue\tlost 4 times\nunknown\ttrue\tnot repeated\n")
    }

    /// With all faults: each operation ends once, one that succeeds has run, and an effect is had at most once.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func nothingIsLostOrRepeated(_ seed: UInt64) async throws
    {
        let script = """
            simulate("slurm", { nodes = 20, faults = 0.05 })
            local effects, ends, outcomes = {}, {}, {}
            simulate("step", function(n)
                sleep(math.random() * 20)
                effects[n] = (effects[n] or 0) + 1
                if n % 7 == 0 then error("seven") end
                return n
            end)
            local jobs = OperationQueue { on = "slurm" }
            local pilots = OperationQueue { on = "slurm", pilots = { max = 5 } }
            for n = 1, 200 do
                local op = work.step(n)
                if n % 3 == 0 then op.recording = "once" end
                if n % 11 == 0 then op.timeout = 5 end
                if n % 13 == 0 then op.retry = { attempts = 3, delay = 1 } end
                op.allowsFailure = true
                op.completionBlock = function()
                    ends[n] = (ends[n] or 0) + 1
                    outcomes[n] = op.outcome
                end
                (n % 2 == 0 and jobs or pilots):addOperation(op)
                if n % 50 == 0 then sleep(3) end
                if n % 17 == 0 then op:cancel() end
            end
            jobs:waitUntilAllOperationsAreFinished()
            pilots:waitUntilAllOperationsAreFinished()
            for n = 1, 200 do
                if ends[n] ~= 1 then print("ends", n, ends[n]) end
                if n % 3 == 0 and n % 13 ~= 0 and (effects[n] or 0) > 1 then print("effects", n, effects[n]) end
                if outcomes[n] == "succeeded" and not effects[n] then print("no effect", n) end
            end
            print(clock.now())
            """
        let first = try await run(script, seed: seed)
        #expect(first.hasSuffix("\n") && first.split(separator: "\n").count == 1, "\(first)")
        #expect(try await run(script, seed: seed) == first)
    }

    /// The clock of the cluster is that of the run, whenever an operation comes to it.
    @Test(arguments: ["", ", pilots = { max = 1 }"]) func theClusterKnowsTheTime(_ options: String)
        async throws
    {
        let text = try await run(
            """
            simulate("step", { duration = 10, result = 1 })
            local queue = OperationQueue { on = "slurm"\(options) }
            for _ = 1, 2 do
                sleep(1000)
                local start = clock.now()
                local op = work.step(1)
                op.timeout = 30
                queue:addOperation(op)
                op:waitUntilFinished()
                print(op.outcome, clock.now() - start < 13)
            end
            """
        )
        #expect(text == "succeeded\ttrue\nsucceeded\ttrue\n")
    }

    /// A body that waits for ever is a deadlock there, too; questions to Slurm are no reason to wait.
    @Test(arguments: ["", ", pilots = { max = 1 }"]) func aBodyThatWaitsForEverIsADeadlock(_ options: String)
        async throws
    {
        let text = try await run(
            """
            local gate = Gate "gate"
            simulate("step", function() gate:waitUntilFinished() end)
            local queue = OperationQueue { on = "slurm"\(options) }
            local op = work.step(1)
            op.allowsFailure = true
            queue:addOperation(op)
            op:waitUntilFinished()
            print(op.error.code)
            gate:cancel()
            """
        )
        #expect(text == "deadlock\n")
    }

    /// No body begins because another one is cancelled, if it is cancelled as well.
    @Test func allAreCancelledTogether() async throws {
        let text = try await run(
            """
            local began = 0
            simulate("step", function() began = began + 1 sleep(100) end)
            simulate("slurm", { nodes = 1 })
            local queue = OperationQueue { on = "slurm", pilots = { max = 1 } }
            for n = 1, 5 do queue:addOperation(work.step(n)) end
            sleep(10)
            queue:cancelAllOperations()
            queue:waitUntilAllOperationsAreFinished()
            print(began, clock.now() < 20)
            """
        )
        #expect(text == "1\ttrue\n")
    }

    @Test func mistakesHaveErrors() async throws {
        let text = try await run(
            """
            local function problem(...) return (select(2, pcall(...)).message:gsub("^.-: ", "")) end
            print(problem(simulate, "slurm", { node = 3 }))
            print(problem(simulate, "slurm", { nodes = 0 }))
            print(problem(simulate, "slurm", { nodes = 1e7 }))
            print(problem(simulate, "slurm", { faults = 1.1 }))
            print(problem(simulate, "slurm", "real"))
            OperationQueue { on = "slurm" }:addOperation(work.step(1))
            sleep(1)
            print(problem(simulate, "slurm", { nodes = 3 }))
            """
        )
        #expect(
            text == """
                simulate has no option 'node' for a cluster (there are 'nodes', 'faults')
                bad value for 'nodes' (a whole number from 1 to 1000000 expected, got 0)
                bad value for 'nodes' (a whole number from 1 to 1000000 expected, got 10000000.0)
                bad value for 'faults' (a number from 0 to 1 expected, got 1.1)
                bad argument #2 to 'simulate' (table with 'nodes' or 'faults' expected for the cluster 'slurm', got string)
                the cluster 'slurm' is in use: call simulate("slurm", …) before that

                """
        )
    }
}
