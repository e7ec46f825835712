import OpScript
import OpScriptScenarios
import Testing

/// The exploration of scenarios, and the properties that no interleaving may change.
@Suite struct ExplorationTests {
    private func explore(_ text: String, _ plan: ExplorationPlan) async -> ScenarioResult? {
        var runner = Scenarios.runner()
        runner.exploration = plan
        runner.seed = plan.seed
        runner.stepLimit = 20_000
        let file = Scenarios.file(text)
        guard let scenario = await runner.list(file).scenarios.first else { return nil }
        return await runner.run(scenario, in: file)
    }

    @Test(arguments: ExplorationPlan.Strategy.allCases)
    func `promises of the contract never vary`(_ strategy: ExplorationPlan.Strategy) async throws {
        let text = """
            it("keeps its order", function()
                local seen = {}
                local function note(name) return function() seen[#seen + 1] = name end end
                local serial = OperationQueue { maxConcurrentOperationCount = 1 }
                local a, b, c = Operation(note "a"), Operation(note "b"), Operation(note "c")
                c.queuePriority = "high"
                serial:addOperations({ a, b, c }, true)
                assert.same({ "c", "a", "b" }, seen)
                seen = {}
                for place = 1, 3 do Timer.scheduledTimer { interval = 1, block = note(place) } end
                local semaphore = DispatchSemaphore(0)
                for place = 4, 6 do async(function() semaphore:wait() note(place)() end) end
                sleep(0)
                for _ = 1, 3 do semaphore:signal() end
                sleep(2)
                assert.same({ 4, 5, 6, 1, 2, 3 }, seen)
                seen = {}
                local d = OperationQueue.default:addOperation(Operation { main = function() sleep(1) end, completionBlock = note "completion" })
                async(function() await(d) note "first"() end)
                async(function() await(d) note "second"() end)
                sleep(2)
                assert.same({ "completion", "first", "second" }, seen)
            end)
            """
        let result = try #require(await explore(text, ExplorationPlan(strategy, iterations: 100)))
        #expect(result.outcome == .passed, "\(result.problems)")
    }

    @Test func `a time limit and the end of its operation may come in either order at one moment`()
        async throws
    {
        let text = """
            it("ends in time", function()
                local op = Operation { timeout = 1, main = function() sleep(1) end }
                local ok, problem = pawait(op)
                assert.%(ok)
            end)
            """
        for assertion in ["is_true", "is_false"] {
            let result = try #require(
                await explore(text.replacing("%", with: assertion), ExplorationPlan(.dfs, iterations: 20))
            )
            #expect(result.outcome == .failed)
        }
    }

    @Test func `a bounded depth-first search ends when everything was tried`() async throws {
        let text = """
            it("three at once", function()
                local all = {}
                for place = 1, 3 do all[place] = async(function() sleep(1) end) end
                await.all(all)
            end)
            """
        let one = try #require(await explore(text, ExplorationPlan(.dfs, depth: 1)))
        let two = try #require(await explore(text, ExplorationPlan(.dfs, depth: 2)))
        #expect(one.outcome == .passed && two.outcome == .passed)
        let few = try #require(one.interleavings)
        let more = try #require(two.interleavings)
        #expect(few > 2 && few < more && more < 1000)
    }

    @Test func `a failure with leftovers is shrunk, and its command is printed`() async throws {
        let text = """
            it("counts", function()
                local order = {}
                local all = {}
                for place = 1, 4 do
                    all[place] = async(function() sleep(1) order[#order + 1] = place end)
                end
                await.all(all)
                assert.not_same({ 1, 2, 4, 3 }, order)
            end)
            """
        let result = try #require(await explore(text, ExplorationPlan(.random, iterations: 1000, seed: 3)))
        #expect(result.outcome == .failed)
        let told = try #require(result.interleaving).text
        #expect(told.contains("(random, seed 3)") && told.contains("--seed 3 --replay 1@"))
    }

    @Test func `simultaneous real works are named, since which one ends first is not a choice`() async throws
    {
        let cases = [
            ("await.all { work.http.get('a'), work.http.get('b') }", true),
            ("await(work.http.get('a')) await(work.http.get('b'))", false),
            ("simulate('http.get', 'instant') await.all { work.http.get('a'), work.http.get('b') }", false),
        ]
        for (body, isNamed) in cases {
            let text = "it('x', function() \(body) end)"
            let result = try #require(await explore(text, ExplorationPlan(.random, iterations: 3)))
            #expect(result.outcome == .passed)
            let notes = result.notes.filter { $0.contains("real works run at once ('http.get')") }
            #expect(notes.count == (isNamed ? 1 : 0), "\(result.notes)")
        }
    }

    @Test func `a schedule that does not fit is a single error`() async throws {
        var runner = Scenarios.runner()
        let file = Scenarios.file("it('x', function() sleep(1) end)")
        let scenario = try #require(await runner.list(file).scenarios.first)
        runner.replay = ScenarioReplay("1@7:1/2")
        let result = await runner.run(scenario, in: file)
        #expect(result.problems.count == 1 && result.notes == [])
        #expect(
            result.problems.first?.message.hasPrefix("the schedule does not fit this scenario: the run has")
                == true
        )
    }

    @Test func `a scenario without an end stops at its limit of steps`() async throws {
        let result = try #require(
            await explore(
                "it('x', function() while true do sleep(0) end end)",
                ExplorationPlan(.pct, iterations: 3)
            )
        )
        let message = try #require(result.problems.first).message
        #expect(
            message.contains(
                "it took 20000 steps and did not end; still running: the wait at job_spec.lua:1"
            )
        )
    }

    @Test func `the text of a schedule reads as it was written`() {
        for text in ["none", "1:1/2", "3:1/2,17:2/4"] { #expect(Schedule(text)?.description == text) }
        for text in ["", "1", "1:0/2", "1:2/2", "2:1/2,1:1/2", "a:1/2", "1:1/2,", "-1:1/2", "1:1/2/3"] {
            #expect(Schedule(text) == nil, "\(text)")
        }
        #expect(ScenarioReplay("2@3:1/2")?.description == "2@3:1/2")
        #expect(ScenarioReplay("0@none") == nil && ScenarioReplay("3:1/2") == nil)
    }
}
