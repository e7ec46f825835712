internal import OpScript

extension ScenarioRunner {
    /// Runs a scenario through many interleavings; the result is that of the last good one, or of the one that fails,
    /// shrunk.
    func explore(_ scenario: Scenario, in file: ScenarioFile, _ plan: ExplorationPlan) async -> ScenarioResult
    {
        var explorer = Explorer(plan)
        var last = ScenarioResult(scenario)
        var duration = 0.0
        while !Task.isCancelled, let choices = explorer.next() {
            last = await runOnce(scenario, in: file, choices)
            duration += last.duration
            explorer.ended(choices, failure: Self.signature(of: last))
        }
        if let found = explorer.found, !Task.isCancelled {
            last = await runOnce(scenario, in: file, ChoiceSource(.replay(found.schedule)))
            duration += last.duration
            last.interleaving = ScenarioInterleaving(
                plan: plan,
                iteration: found.iteration,
                firstLength: found.firstLength,
                replay: ScenarioReplay(index: scenario.index, schedule: found.schedule),
                seed: seed,
                options: replayOptions,
                file: file.path
            )
        }
        last.notes += explorer.warnings.filter { !last.notes.contains($0) }
        last.interleavings = explorer.iterations
        last.duration = duration
        return last
    }

    /// The identity of a failure; nil if there is none.
    private static func signature(of result: ScenarioResult) -> String? {
        guard result.outcome == .failed else { return nil }
        guard let first = result.problems.first else { return "leak" }
        return "\(first.kind.rawValue) \(first.context) \(first.code ?? "") \(first.place ?? "")"
    }
}
