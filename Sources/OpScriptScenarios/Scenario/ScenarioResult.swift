internal import OpScript

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

    /// Which of several runs it was, from 1; nil where there is only one.
    package var round: Int?

    /// What fixed chance in it; nil on the real clock, or where it did not run.
    package var seed: UInt64?

    /// The scenario's name, and which of several runs it was.
    package var name: String { scenario.name + (round.map { " (run \($0))" } ?? "") }
    /// How many interleavings were tried, where they were explored.
    package var interleavings: Int?
    /// The interleaving that fails and how to run it again.
    package var interleaving: ScenarioInterleaving?

    /// Makes the result of a scenario that has not run.
    package init(_ scenario: Scenario) { self.scenario = scenario }

    /// Takes what the library tells of its end.
    mutating func take(_ end: ScriptTable) {
        problems = end.tables("problems").map { ScenarioProblem($0) }
        leaks = end.tables("leaks").map { ScenarioLeak($0) }
        notes = end.texts("notes")
        ownSeconds = end.number("seconds")
        if let reason = end.text("skipped") { pendingReason = .some(reason) }
        if end.flag("isPending") { pendingReason = .some(nil) }
    }

    /// Takes the error that ended its run.
    mutating func take(_ error: ScriptError) {
        // What was cancelled because of it is no news, and what was left then is none of its doing.
        problems.removeAll { $0.code == "cancelled" }
        problems.insert(ScenarioProblem(error), at: 0)
        leaks = []
    }

    /// How it ended.
    package var outcome: Outcome {
        if !problems.isEmpty || !leaks.isEmpty { return .failed }
        if let pendingReason { return .pending(pendingReason) }
        return .passed
    }
}
