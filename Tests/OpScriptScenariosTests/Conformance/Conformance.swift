import OpScript
import OpScriptScenarios
import OpScriptWorks
import Scheduling

/// Runs the scenarios of conformance.
enum Conformance {
    /// The clock, and the orders.
    enum Way: String, CaseIterable {
        case usual, pct, dfs, real
    }

    static func runner(_ way: Way, planting defect: PlantedDefect? = nil) -> ScenarioRunner {
        var runner = Scenarios.runner()
        runner.register = { $0.registerStandardWorks() }
        runner.configuration.control.plantedDefect = defect
        // The limit for a run that a defect makes endless.
        runner.stepLimit = 10_000
        switch way {
        case .usual: break
        case .pct: runner.exploration = ExplorationPlan(.pct, iterations: 25)
        case .dfs: runner.exploration = ExplorationPlan(.dfs, iterations: 50, depth: 2)
        case .real: runner.isReal = true
        }
        return runner
    }

    /// The failing scenarios among some of a file.
    static func failures(
        among scenarios: [Scenario],
        of file: ScenarioFile,
        _ way: Way,
        _ defect: PlantedDefect
    ) async -> [ScenarioResult] {
        var runner = runner(way, planting: defect)
        runner.exploration?.iterations = 100
        var failures: [ScenarioResult] = []
        for scenario in scenarios {
            let result = await runner.run(scenario, in: file)
            if result.outcome == .failed { failures.append(result) }
        }
        return failures
    }

    /// One of them in one interleaving.
    static func run(
        _ scenario: Scenario,
        of file: ScenarioFile,
        _ replay: ScenarioReplay,
        _ defect: PlantedDefect
    )
        async -> ScenarioResult
    {
        var runner = runner(.usual, planting: defect)
        runner.replay = replay
        return await runner.run(scenario, in: file)
    }
}
