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
    /// Scenarios that were not chosen.
    package var leftOut = 0
    /// Seconds that all took.
    package var seconds = 0.0
    /// Whether it was cancelled before all had run.
    package var wasCancelled = false
    /// Whether the first failure ended it.
    package var endedEarly = false
    /// What decided the order, where it was shuffled.
    package var shuffleSeed: UInt64?

    /// Makes one of nothing.
    package init() {}

    /// Whether all is well.
    package var isGood: Bool { failed == 0 && problems == 0 && !wasCancelled }
    /// Whether none was run.
    package var isEmpty: Bool { passed + failed + pending == 0 }

    mutating func count(_ result: ScenarioResult) {
        switch result.outcome {
        case .passed: passed += 1
        case .failed: failed += 1
        case .pending: pending += 1
        }
    }
}
