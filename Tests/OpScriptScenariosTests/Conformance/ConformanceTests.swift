import OpScript
import OpScriptScenarios
import Testing

/// The rules of the scheduler, as the scenarios in `scripts/scenarios/conformance` state them.
@Suite struct ConformanceTests {
    @Test(arguments: try ScenarioFile.shipped("conformance"), Conformance.Way.allCases)
    func `the scheduler keeps its rules`(_ file: ScenarioFile, _ way: Conformance.Way) async throws {
        let runner = Conformance.runner(way)
        let listing = await runner.list(file)
        #expect(listing.problems == [])
        #expect(listing.scenarios.count >= 5)
        var explored = 0
        for scenario in listing.scenarios {
            let result = await runner.run(scenario, in: file)
            #expect(
                result.outcome == .passed,
                "\(scenario.name): \(result.problems.map(\.message)) \(result.leaks) \(result.interleaving?.text ?? "")"
            )
            #expect(scenario.isReal == (way == .real))
            if let count = result.interleavings, count > 1 { explored += 1 }
        }
        // The scenarios must contain events that may happen in several orders.
        #expect(way == .usual || way == .real ? explored == 0 : explored >= 1)
    }
}
