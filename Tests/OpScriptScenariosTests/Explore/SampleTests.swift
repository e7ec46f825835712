import Foundation
import OpScript
import OpScriptScenarios
import Testing

/// The samples in `scripts/scenarios`: each has a defect that the usual order does not show, and a twin without it.
@Suite struct SampleTests {
    @Test func `there are ten, and ten twins`() throws {
        #expect(try Self.files("buggy").count == 10)
        #expect(try Self.files("mended").map(\.name) == Self.files("buggy").map(\.name))
    }

    @Test(arguments: try files("buggy")) func `the usual order does not show the defect`(_ file: ScenarioFile)
        async throws
    {
        let scenario = try #require(await Scenarios.runner().list(file).scenarios.first)
        #expect(await Scenarios.runner().run(scenario, in: file).outcome == .passed)
    }

    @Test(arguments: try files("buggy"), ExplorationPlan.Strategy.allCases)
    func `the defect is found, and comes again`(_ file: ScenarioFile, _ strategy: ExplorationPlan.Strategy)
        async throws
    {
        var runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        runner.exploration = ExplorationPlan(strategy, iterations: 1000)
        let found = await runner.run(scenario, in: file)
        #expect(found.outcome == .failed)
        let words = try #require(found.interleaving).split(separator: " ")
        let place = try #require(words.firstIndex(of: "--replay"))
        runner.exploration = nil
        let replay: ScenarioReplay? = ScenarioReplay(String(words[place + 1]))
        runner.replay = replay
        #expect(try #require(replay).schedule.turns.count <= 8)
        for _ in 1...3 {
            let again = await runner.run(scenario, in: file)
            #expect(again.problems == found.problems)
        }
    }

    @Test(arguments: try files("mended"), ExplorationPlan.Strategy.allCases)
    func `the twin never fails`(_ file: ScenarioFile, _ strategy: ExplorationPlan.Strategy) async throws {
        var runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        runner.exploration = ExplorationPlan(strategy, iterations: 50)
        let result = await runner.run(scenario, in: file)
        #expect(result.outcome == .passed, "\(result.interleaving ?? "") \(result.problems)")
    }

    private static func files(_ folder: String) throws -> [ScenarioFile] {
        var place = URL(fileURLWithPath: #filePath)
        for _ in 1...4 { place.deleteLastPathComponent() }
        return try ScenarioFinder.find([place.appendingPathComponent("scripts/scenarios/\(folder)").path])
    }
}

extension ScenarioFile {
    fileprivate var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
