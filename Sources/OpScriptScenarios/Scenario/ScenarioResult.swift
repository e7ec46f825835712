internal import OpScript

/// The result of one run of a scenario.
package struct ScenarioResult: Sendable {
    /// The outcome of a run.
    package enum Outcome: Sendable, Equatable {
        case passed
        case failed
        /// With the reason, if it has one.
        case pending(String?)
    }

    /// The scenario that ran.
    package var scenario: Scenario
    /// The problems.
    package var problems: [ScenarioProblem] = []
    /// The objects that it left behind.
    package var leaks: [ScenarioLeak] = []
    /// Notes that do not make the scenario fail.
    package var notes: [String] = []
    /// The reason of a scenario that is pending.
    package var pendingReason: String??
    /// Its output.
    package var output: [UInt8] = []
    /// Seconds of real time that it took.
    package var duration = 0.0
    /// Seconds that it took by its own clock, if it ended.
    package var ownSeconds: Double?

    /// The number among several runs, from 1; nil if there is only one.
    package var round: Int?

    /// The seed of its randomness; nil on the real clock, or if it did not run.
    package var seed: UInt64?

    /// The scenario's name, with the number among several runs.
    package var name: String { scenario.name + (round.map { " (run \($0))" } ?? "") }
    /// How many interleavings were tried, if they were explored.
    package var interleavings: Int?
    /// The failing interleaving, and the way to repeat it.
    package var interleaving: ScenarioInterleaving?
    /// The library's messages about its failed assertions, if its run ends with it.
    private var assertions: [ScriptTable] = []

    /// Creates the result of a scenario that has not run.
    package init(_ scenario: Scenario) { self.scenario = scenario }

    /// Takes the library's message about its end.
    mutating func take(_ end: ScriptTable) {
        problems = end.tables("problems").map { ScenarioProblem($0) }
        leaks = end.tables("leaks").map { ScenarioLeak($0) }
        notes = end.texts("notes")
        assertions = end.tables("assertions")
        ownSeconds = end.number("seconds")
        if let reason = end.text("skipped") { pendingReason = .some(reason) }
        if end.flag("isPending") { pendingReason = .some(nil) }
    }

    /// Takes the error that ended its run.
    mutating func take(_ error: ScriptError) {
        // Cancellations that this error caused are not reported, and objects that were left then are not
        // leftovers of the scenario.
        problems.removeAll { $0.code == "cancelled" }
        problems.insert(ScenarioProblem(error, among: assertions), at: 0)
        leaks = []
    }

    /// Its outcome.
    package var outcome: Outcome {
        if !problems.isEmpty || !leaks.isEmpty { return .failed }
        if let pendingReason { return .pending(pendingReason) }
        return .passed
    }
}
