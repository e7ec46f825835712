package import OpScript

/// An interleaving of a scenario that fails, and how to run it again.
package struct ScenarioInterleaving: Sendable, Equatable {
    /// How it was looked for.
    package var plan: ExplorationPlan
    /// Which of the plan's iterations it was, from 1.
    package var iteration: Int
    /// How many choices left the usual order when it was met first.
    package var firstLength: Int
    /// The scenario and its schedule, shrunk.
    package var replay: ScenarioReplay
    /// What fixes all other chance.
    package var seed: UInt64
    /// Further options of the command that it needs.
    package var options: [String]
    /// The path of the file.
    package var file: String

    /// How it was looked for, in one word.
    package var strategy: String { plan.strategy.rawValue }

    /// Its choices as text.
    package var schedule: String { replay.schedule.description }

    /// What is to be written behind `opscript test` to run it again.
    package var command: String {
        (["--seed", "\(seed)", "--replay", "\(replay)"] + options + [ShellWord.quoted(file)])
            .joined(separator: " ")
    }

    /// How it was found, in one line for people.
    package var text: String {
        let length = replay.schedule.turns.count
        let shrunk = length < firstLength ? ", shrunk from \(firstLength) choices to \(length)" : ""
        return
            "interleaving \(iteration) of \(plan.iterations) (\(plan.strategy.rawValue), seed "
            + "\(plan.seed))\(shrunk): \(command)"
    }
}
