package import OpScript

/// A failing interleaving of a scenario, and the way to repeat it.
package struct ScenarioInterleaving: Sendable, Equatable {
    /// The plan by which it was found.
    package var plan: ExplorationPlan
    /// The number of the iteration that found it, from 1.
    package var iteration: Int
    /// How many choices left the usual order when it was first found.
    package var firstLength: Int
    /// The scenario and its schedule, shrunk.
    package var replay: ScenarioReplay
    /// The seed of all other randomness.
    package var seed: UInt64
    /// Further options of the command that it needs.
    package var options: [String]
    /// The path of the file.
    package var file: String

    /// The strategy that found it, in one word.
    package var strategy: String { plan.strategy.rawValue }

    /// Its choices as text.
    package var schedule: String { replay.schedule.description }

    /// The words behind `opscript test` that run it again.
    package var command: String {
        (["--seed", "\(seed)", "--replay", "\(replay)"] + options + [ShellWord.quoted(file)])
            .joined(separator: " ")
    }

    /// A readable line about how it was found.
    package var text: String {
        let length = replay.schedule.turns.count
        let shrunk = length < firstLength ? ", shrunk from \(firstLength) choices to \(length)" : ""
        return
            "interleaving \(iteration) of \(plan.iterations) (\(plan.strategy.rawValue), seed "
            + "\(plan.seed))\(shrunk): \(command)"
    }
}
