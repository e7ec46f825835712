internal import ArgumentParser
internal import OpScriptScenarios

/// The options of `opscript test` as the argument parser reads and explains them.
struct TestArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) test",
            abstract: "Runs scenarios: files *_scenario.lua and *_spec.lua with describe and it.",
            discussion: """
                Runs the same files as busted, in its order, on virtual time ('it.real': on the real clock). \
                Folders are searched at any depth; without a path, the folder spec is searched, or the current one. \
                The file .busted of a project is read.

                Exit status: 0 all passed, 1 something failed, 2 usage, 130 and 143 interrupted.
                """
        )
    }

    @Argument(help: "Files, or folders to search.")
    var paths: [String] = []

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Seconds that one scenario may take (default: 60).", valueName: "seconds"),
        transform: NumberWords.seconds
    )
    var timeout: Double?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The format of results, or an output handler.", valueName: "format")
    )
    var output: TestOptions.Output = .readable

    @Option(name: .long, parsing: .unconditional, help: .hidden)
    var outputHandler: String?

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Only scenarios whose names match a Lua pattern.", valueName: "pattern")
    )
    var filter: [String] = []

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Only scenarios with one of these tags ('#slow' in a name).", valueName: "a,b")
    )
    var tags: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Leaves out scenarios with one of these tags.", valueName: "a,b")
    )
    var excludeTags: [String] = []

    @Flag(name: [.customShort("l"), .long], help: "Lists the scenarios, and runs none.")
    var list = false

    @Flag(name: .long, help: "Runs all scenarios on the real clock and real workers, like 'it.real'.")
    var real = false

    @Flag(name: .long, help: "Runs files, and the scenarios of each, in a random order.")
    var shuffle = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fixes randomness on virtual time (default: 0), and that of --shuffle (default: a new seed each time, "
                + "which is printed).",
            valueName: "number"
        )
    )
    var seed: String?

    @Option(
        name: .customLong("repeat"),
        parsing: .unconditional,
        help: ArgumentHelp("Runs all scenarios this many times.", valueName: "times")
    )
    var rounds: Int = 1

    @Flag(name: .long, help: "Ends with the first failure.")
    var failFast = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many files run at once, and scenarios that have engines of their own.",
            valueName: "count"
        )
    )
    var jobs: Int = 1

    @Flag(name: .long, help: "Runs each scenario in an engine of its own, which loads its file again.")
    var isolate = false

    @Flag(
        name: .long,
        help: "Runs each scenario twice on virtual time, in engines of their own, and compares the traces."
    )
    var checkDeterminism = false

    @Flag(name: .long, help: "Lists the ten scenarios that took longest.")
    var slowest = false

    @Flag(name: .long, help: "Repeats the scenarios that a changed file affects, until it is interrupted.")
    var watch = false

    @Flag(name: .long, help: "With --watch: after a failure, runs the failed scenarios first.")
    var onlyFailed = false

    @Flag(
        name: [.customShort("c"), .long],
        inversion: .prefixedNo,
        help:
            "Reports which lines of the files under test were executed; --coverage=FILE also writes that for lcov."
    )
    var coverage = false

    @Option(name: .long, parsing: .unconditional, help: .hidden)
    var coverageFile: String?

    @OptionGroup(title: "As in busted")
    var busted: BustedArguments

    @OptionGroup(title: "Exploration")
    var exploration: ExplorationOptions

    func validate() throws {
        if let replay = exploration.replay, ScenarioReplay(replay) == nil {
            throw ValidationError(
                "--replay is '\(replay)', but here it is the number of a scenario and its schedule, as 2@3:1/2."
            )
        }
        if let timeout, !(timeout > 0 && timeout.isFinite) {
            throw ValidationError("--timeout is \(timeout), but it must be a number of seconds above 0.")
        }
        if real, let option = exploration.needingVirtualTime {
            throw ValidationError(
                "\(option) is for virtual time, and --real for the real clock: use one of them."
            )
        }
        if checkDeterminism {
            if real {
                throw ValidationError(
                    "--check-determinism is for virtual time, and --real for the real clock: use one of them."
                )
            }
            if let option = exploration.explore != nil
                ? "--explore" : exploration.replay.map({ _ in "--replay" })
            {
                throw ValidationError(
                    "--check-determinism and \(option) both decide how often a scenario runs: use one of them."
                )
            }
        }
        guard rounds >= 1 else {
            throw ValidationError("--repeat is \(rounds), but it must be a whole number of at least 1.")
        }
        guard jobs >= 1 else {
            throw ValidationError("--jobs is \(jobs), but it must be a whole number of at least 1.")
        }
        _ = try options
    }

    /// The same options in the form of the command.
    var options: TestOptions {
        get throws {
            var options = TestOptions()
            options.paths = paths
            try busted.write(into: &options)
            options.isIsolating = isolate
            options.checksDeterminism = checkDeterminism
            options.tellsSlowest = slowest
            options.isWatching = watch
            options.runsFailedFirst = onlyFailed
            if onlyFailed, !watch {
                throw ValidationError(
                    "--only-failed is for --watch: use both, or --log-success with --exclude-names-file."
                )
            }
            if let timeout { options.timeout = timeout }
            options.output = output
            options.handler = outputHandler
            options.isListing = list
            options.isReal = real
            options.measuresCoverage = coverage || coverageFile != nil
            if let coverageFile, coverageFile.isEmpty {
                throw ValidationError("--coverage= needs the path of a file behind it.")
            }
            options.coveragePath = coverageFile
            for pattern in filter where !pattern.isEmpty {
                do {
                    try options.selection.choose(pattern: pattern)
                } catch {
                    throw ValidationError("--filter: \(error.message).")
                }
            }
            options.selection.tags = try Self.names(tags, "--tags")
            options.selection.excludedTags = try Self.names(excludeTags, "--exclude-tags")
            if let tag = options.selection.tags.intersection(options.selection.excludedTags).min() {
                throw ValidationError("--tags and --exclude-tags both have '\(tag)': no scenario is left.")
            }
            // One number determines all, so that the number in the output of a shuffled run is enough to
            // repeat it.
            options.order.shufflesFiles = busted.shuffleFiles ?? shuffle
            options.order.shufflesScenarios = busted.shuffleTests ?? shuffle
            let shuffles = options.order.shufflesFiles || options.order.shufflesScenarios
            options.seed = try seed.map(Self.number) ?? (shuffles ? UInt64.random(in: 0..<1_000_000_000) : 0)
            if shuffles { options.order.shuffleSeed = options.seed }
            options.exploration = exploration.plan(seed: options.seed)
            options.replay = exploration.replay.flatMap { ScenarioReplay($0) }
            options.maxSteps = exploration.maxSteps
            options.maxTime = exploration.maxTime
            options.order.rounds = rounds
            options.order.jobs = jobs
            if failFast { options.order.failsFast = true }
            return options
        }
    }

    private static func names(_ words: [String], _ option: String) throws -> Set<String> {
        var names: Set<String> = []
        // An empty list, as a variable of a script may be, is none.
        for word in words where !word.isEmpty {
            for part in word.split(separator: ",", omittingEmptySubsequences: false) {
                let name = part.hasPrefix("#") ? part.dropFirst() : part
                guard !name.isEmpty else {
                    throw ValidationError("\(option) is '\(word)', but it must be tags with commas between.")
                }
                names.insert(String(name))
            }
        }
        return names
    }

    private static func number(_ text: String) throws -> UInt64 {
        guard let number = SimulationOptions.seed(text) else {
            throw ValidationError(
                "--seed is '\(text)', but it must be a whole number of at least 0, such as 42 or 0x1f3a."
            )
        }
        return number
    }
}
