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

    /// Runs a scenario twice. If the first run passes and the second one differs, the scenario fails with the first
    /// difference.
    func runTwice(_ scenario: Scenario, in file: ScenarioFile) async -> ScenarioResult {
        let (first, second) = (KeptTrace(), KeptTrace())
        var result = await runOnce(scenario, in: file, nil, trace: first)
        guard result.outcome != .failed, !Task.isCancelled else { return result }
        let again = await runOnce(scenario, in: file, nil, trace: second)
        result.duration += again.duration
        if Task.isCancelled { return result }
        if let difference = KeptTrace.difference(first, second) {
            result.problems = [ScenarioProblem(.failure, difference)]
        } else if again.outcome != result.outcome {
            result.problems = [
                ScenarioProblem(
                    .failure,
                    "the second run has another outcome than the first, with the same trace:"
                )
            ]
        }
        if result.outcome == .failed { result.problems += again.problems }
        return result
    }

    /// The identity of a failure; nil if there is none.
    private static func signature(of result: ScenarioResult) -> String? {
        guard result.outcome == .failed else { return nil }
        guard let first = result.problems.first else { return "leak" }
        return "\(first.kind.rawValue) \(first.context) \(first.code ?? "") \(first.place ?? "")"
    }
}
