internal import ArgumentParser
internal import OpScript

/// The options for exploring interleavings, of the command and of its `test`.
struct ExplorationOptions: ParsableArguments {
    /// How many turns an explored run may take by default.
    static let stepLimit = ExplorationPlan.stepLimit

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Run through many interleavings until one fails: random, pct or dfs.",
            valueName: "strategy"
        )
    )
    var explore: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("How many interleavings at most (default: 1000).", valueName: "n"),
        transform: NumberWords.count
    )
    var iterations: Int?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "pct: the number of changes of priority, plus 1; dfs: in how many places an interleaving differs from "
                + "the usual order (default: 3).",
            valueName: "n"
        ),
        transform: NumberWords.count
    )
    var depth: Int?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Run the interleaving that an exploration has printed.", valueName: "schedule")
    )
    var replay: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many turns a run on virtual time may take (default: any number; with --explore: \(stepLimit)).",
            valueName: "n"
        ),
        transform: NumberWords.count
    )
    var maxSteps: Int?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Virtual seconds that a run may take (default: no limit).", valueName: "seconds"),
        transform: NumberWords.seconds
    )
    var maxTime: Double?

    func validate() throws {
        if let explore, ExplorationPlan.Strategy(rawValue: explore) == nil {
            throw ValidationError("--explore is '\(explore)', but it must be random, pct or dfs.")
        }
        if let iterations, iterations < 1 {
            throw ValidationError("--iterations is \(iterations), but it must be at least 1.")
        }
        if let depth, depth < 1 {
            throw ValidationError("--depth is \(depth), but it must be at least 1.")
        }
        if let maxSteps, maxSteps < 1 {
            throw ValidationError("--max-steps is \(maxSteps), but it must be at least 1.")
        }
        if let maxTime, !(maxTime > 0 && maxTime.isFinite) {
            throw ValidationError("--max-time is \(maxTime), but it must be a number of seconds above 0.")
        }
        if explore == nil, iterations != nil || depth != nil {
            throw ValidationError("\(iterations != nil ? "--iterations" : "--depth") needs --explore.")
        }
        if explore != nil, replay != nil {
            throw ValidationError(
                "--replay runs one interleaving and --explore looks for one: use one of them."
            )
        }
    }

    /// The option that needs virtual time, if any is set.
    var needingVirtualTime: String? {
        if explore != nil { return "--explore" }
        if replay != nil { return "--replay" }
        if maxSteps != nil { return "--max-steps" }
        return maxTime == nil ? nil : "--max-time"
    }

    func plan(seed: UInt64?) -> ExplorationPlan? {
        explore.flatMap(ExplorationPlan.Strategy.init(rawValue:)).map {
            ExplorationPlan($0, iterations: iterations ?? 1000, depth: depth ?? 3, seed: seed ?? 0)
        }
    }

    var schedule: Schedule? { replay.flatMap { Schedule($0) } }
}
