/// Runs the scenarios of some files, and tells a reporter.
package struct ScenarioSuite: Sendable {
    /// The files, in order.
    package var files: [ScenarioFile]
    /// How each scenario is run.
    package var runner: ScenarioRunner

    /// Makes a suite.
    package init(files: [ScenarioFile], runner: ScenarioRunner) {
        self.files = files
        self.runner = runner
    }

    /// Runs all, one after the other; what was not run when the task is cancelled is left out.
    package func run(_ reporter: inout some ScenarioReporter) async -> ScenarioSummary {
        var summary = ScenarioSummary()
        let start = ContinuousClock.now
        for file in files {
            if Task.isCancelled { break }
            let listing = await runner.list(file)
            reporter.fileBegan(file.path, listing)
            summary.problems += listing.problems.count
            for scenario in listing.scenarios {
                if Task.isCancelled { break }
                let result = await runner.run(scenario, in: file)
                if Task.isCancelled, result.outcome == .failed { break }
                summary.count(result)
                reporter.ended(result)
            }
        }
        summary.seconds = (ContinuousClock.now - start).inSeconds
        summary.wasCancelled = Task.isCancelled
        reporter.finished(summary)
        return summary
    }
}

/// How many scenarios ended in which way.
package struct ScenarioSummary: Sendable, Equatable {
    /// Scenarios that passed.
    package var passed = 0
    /// Scenarios that failed.
    package var failed = 0
    /// Scenarios that are pending.
    package var pending = 0
    /// What went wrong outside of scenarios.
    package var problems = 0
    /// Seconds that all took.
    package var seconds = 0.0
    /// Whether it was cancelled before all had run.
    package var wasCancelled = false

    /// Whether all is well.
    package var isGood: Bool { failed == 0 && problems == 0 && !wasCancelled }

    mutating func count(_ result: ScenarioResult) {
        switch result.outcome {
        case .passed: passed += 1
        case .failed: failed += 1
        case .pending: pending += 1
        }
    }
}
