import OpScript
import OpScriptScenarios
import Testing

/// The samples in `scripts/scenarios`: each has a defect that the usual order does not show, and a twin without it.
@Suite struct SampleTests {
    @Test func `there are ten, and ten twins`() throws {
        #expect(try ScenarioFile.shipped("buggy").count == 10)
        #expect(try ScenarioFile.shipped("mended").map(\.name) == ScenarioFile.shipped("buggy").map(\.name))
    }

    @Test(arguments: try ScenarioFile.shipped("buggy")) func `the usual order does not show the defect`(
        _ file: ScenarioFile
    )
        async throws
    {
        let scenario = try #require(await Scenarios.runner().list(file).scenarios.first)
        #expect(await Scenarios.runner().run(scenario, in: file).outcome == .passed)
    }

    @Test(arguments: try ScenarioFile.shipped("buggy"), ExplorationPlan.Strategy.allCases)
    func `the defect is found, and can be repeated`(
        _ file: ScenarioFile,
        _ strategy: ExplorationPlan.Strategy
    )
        async throws
    {
        var runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        runner.exploration = ExplorationPlan(strategy, iterations: 1000)
        let found = await runner.run(scenario, in: file)
        #expect(found.outcome == .failed)
        let interleaving = try #require(found.interleaving)
        #expect(interleaving.iteration <= 1000 && interleaving.replay.schedule.turns.count <= 8)
        runner.exploration = nil
        runner.replay = interleaving.replay
        for _ in 1...3 {
            let again = await runner.run(scenario, in: file)
            #expect(again.problems == found.problems)
        }
    }

    @Test(arguments: try ScenarioFile.shipped("buggy"))
    func `the defect is found with any seed`(_ file: ScenarioFile) async throws {
        var runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        for seed in UInt64(1)...5 {
            runner.seed = seed
            runner.exploration = ExplorationPlan(.pct, iterations: 1000, seed: seed)
            let found = await runner.run(scenario, in: file)
            #expect(found.outcome == .failed, "seed \(seed)")
            #expect(try #require(found.interleaving).iteration <= 1000)
        }
    }

    @Test(arguments: try ScenarioFile.shipped("mended"), ExplorationPlan.Strategy.allCases)
    func `the twin never fails`(_ file: ScenarioFile, _ strategy: ExplorationPlan.Strategy) async throws {
        var runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        runner.exploration = ExplorationPlan(strategy, iterations: 50)
        let result = await runner.run(scenario, in: file)
        #expect(result.outcome == .passed, "\(result.interleaving?.text ?? "") \(result.problems)")
    }
}
