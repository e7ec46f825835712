/// What became of one run of a scenario.
package struct ScenarioResult: Sendable {
    /// How it ended.
    package enum Outcome: Sendable, Equatable {
        case passed
        case failed
        /// With the reason, where it gave one.
        case pending(String?)
    }

    /// Which one ran.
    package var scenario: Scenario
    /// What went wrong.
    package var problems: [ScenarioProblem] = []
    /// What it left behind.
    package var leaks: [ScenarioLeak] = []
    /// What should be known and makes nothing fail.
    package var notes: [String] = []
    /// The reason of a scenario that is pending.
    package var pendingReason: String??
    /// What it printed.
    package var output: [UInt8] = []
    /// Seconds that it took, for who waited.
    package var duration = 0.0
    /// Seconds that it took by its own clock, where it came to its end.
    package var ownSeconds: Double?

    /// Makes the result of a scenario that has not run.
    package init(_ scenario: Scenario) { self.scenario = scenario }

    /// How it ended.
    package var outcome: Outcome {
        if !problems.isEmpty || !leaks.isEmpty { return .failed }
        if let pendingReason { return .pending(pendingReason) }
        return .passed
    }
}
