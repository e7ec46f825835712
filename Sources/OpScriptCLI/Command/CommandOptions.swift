internal import ArgumentParser
internal import OpScript

/// The options of the command.
struct CommandOptions: Equatable {
    /// The code of options. ``CommandLineWords/pieces`` has all that happens before the script, in order.
    var code: [String] = []
    /// Whether the version is shown before everything else.
    var showsRelease = false
    /// Whether the variables of the environment that Lua reads have no effect.
    var ignoresEnvironment = false
    /// How many Swift closures run at once; nil for the default.
    var jobs: Int?
    /// Seconds that the whole run may take; nil for no limit.
    var timeout: Double?
    /// After how many failures no operation starts any more; nil for never.
    var failureLimit: Int?
    /// The record of an earlier run, whose durations decide which ready operations start first; nil for the order
    /// of addition.
    var durationsPath: String?
    /// Whether the prompt follows the script.
    var isInteractive = false
    /// Whether only errors are printed.
    var isQuiet = false
    /// Whether only the arguments and tasks are listed that the script declares.
    var listsDeclarations = false
    /// Patterns for the names of variables whose values are hidden.
    var redactedVariables = CommandOptions.usualSecrets
    /// The use that the run makes of a journal.
    var journal = JournalWishes()
    /// The cluster on which the run is, if it is on one.
    var cluster = ClusterWishes()
    /// How the run is simulated.
    var simulation = SimulationOptions()

    /// The requested outputs of the record of the run.
    var record = RecordWishes()

    /// The patterns that hold without the option.
    static let usualSecrets = ["*TOKEN*", "*SECRET*", "*PASSWORD*", "*KEY"]

    /// The usual patterns and those of the option. An empty one drops all before it.
    static func patterns(adding words: [String]) -> [String] {
        words.reduce(into: usualSecrets) { patterns, word in
            if word.isEmpty { patterns = [] } else { patterns.append(word) }
        }
    }

    /// The result of reading the options.
    enum Parsed: Equatable {
        case options(CommandOptions)
        /// Help or the version was requested: print it and exit with success.
        case information(String)
        /// The options are wrong: the fault and the remedy.
        case usage(String)
    }

    /// Reads options of a command; the words contain nothing else.
    static func parse(_ words: [String], for command: OpScriptCommand = OpScriptCommand()) -> Parsed {
        // The common calls have no options, or one piece of code, and the parser takes more time than
        // starting Lua.
        if words.isEmpty { return .options(CommandOptions()) }
        if words.count == 2, words[0] == "-e" { return .options(CommandOptions(code: [words[1]])) }
        return CommandIdentity.$current.withValue(command.identity) { parse(words) }
    }

    private static func parse(_ words: [String]) -> Parsed {
        do {
            let arguments = try CommandArguments.parse(words)
            return .options(
                CommandOptions(
                    code: arguments.execute,
                    showsRelease: arguments.showsRelease,
                    ignoresEnvironment: arguments.ignoresEnvironment,
                    jobs: arguments.jobs,
                    timeout: arguments.timeout,
                    failureLimit: arguments.failFast ? 1 : arguments.maxFailures,
                    durationsPath: arguments.longestFirst,
                    isInteractive: arguments.interactive,
                    isQuiet: arguments.quiet,
                    listsDeclarations: arguments.list,
                    redactedVariables: CommandOptions.patterns(adding: arguments.redact),
                    journal: arguments.journal.wishes,
                    cluster: arguments.cluster.wishes,
                    simulation: arguments.simulation,
                    record: arguments.record.wishes
                )
            )
        } catch {
            if CommandArguments.exitCode(for: error).isSuccess {
                return .information(CommandArguments.fullMessage(for: error))
            }
            let message = CommandArguments.message(for: error)
            return .usage(message.hasSuffix(".") || message.hasSuffix("?") ? message : message + ".")
        }
    }
}

/// The options as the argument parser reads and explains them.
struct CommandArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: CommandIdentity.current.name,
            abstract: "Runs a Lua script that decides what runs when; Swift does the work, in parallel.",
            usage: "\(CommandIdentity.current.name) [<options>] [<script> [<arguments> ...]]",
            discussion: """
                Without a script, or with '-', the script is read from standard input; on a terminal there is a \
                prompt. All words after the script are its arguments: 'arg' in the script.

                Exit status: 0 success, 1 an operation or the script failed, 2 wrong options, 3 operations that can \
                never run, 4 a limit, 124 the time ran out; 130, 143 and 129 interrupted by INT (Ctrl-C), TERM and HUP.
                """
        )
    }

    @Option(
        name: .customShort("e"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Run this code, before the script if there is one; may be repeated.",
            valueName: "code"
        )
    )
    var execute: [String] = []

    @Option(
        name: .customShort("l"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Require this module into the global of its name, or of the name in front of '='; may be repeated.",
            valueName: "[name=]module"
        )
    )
    var library: [String] = []

    @Flag(name: .customShort("W"), help: "Print warnings of Lua's function warn.")
    var warnings = false

    @Flag(
        name: .customShort("E"),
        help: "Ignore LUA_INIT, LUA_PATH, LUA_CPATH and the like in the environment."
    )
    var ignoresEnvironment = false

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("How many Swift closures run at once.", valueName: "n"),
        transform: NumberWords.count
    )
    var jobs: Int?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Seconds after which the whole run is cancelled.", valueName: "seconds"),
        transform: NumberWords.seconds
    )
    var timeout: Double?

    @Flag(name: .long, help: "After the first failure, start no more operations.")
    var failFast = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("After this many failures, start no more operations.", valueName: "n"),
        transform: NumberWords.count
    )
    var maxFailures: Int?

    @Flag(name: .long, help: "After a failure, start everything that does not depend on it (default).")
    var keepGoing = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start ready operations longest first, by their durations in this record of an earlier run, which "
                + "--report has written. Without the file, they start in the order of addition.",
            valueName: "file.jsonl"
        )
    )
    var longestFirst: String?

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Hide the values of variables whose names match, as \(CommandOptions.usualSecrets.joined(separator: ", ")) "
                + "do by default; may be repeated. An empty pattern drops the default ones.",
            valueName: "pattern"
        )
    )
    var redact: [String] = []

    @Flag(name: .long, help: "Run on virtual time: it jumps to the next due moment as soon as nothing runs.")
    var virtual = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Run on virtual time, which begins at this local date: 2026-03-28T23:00.",
            valueName: "date"
        )
    )
    var virtualStart: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time zone of the script, such as Europe/Berlin. On virtual time it is UTC by default.",
            valueName: "zone"
        )
    )
    var timeZone: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Fix all randomness: math.random, jitter, pairs.", valueName: "number")
    )
    var seed: String?

    @Flag(name: .long, help: "Refuse calls that no seed controls, such as io.popen.")
    var strict = false

    @Flag(name: .long, help: "Run twice on virtual time, and print where the second run first differs.")
    var checkDeterminism = false

    @OptionGroup(title: "Output about the run")
    var record: RecordOptions

    @OptionGroup(title: "Runs that last")
    var journal: JournalOptions

    @OptionGroup(title: "Clusters")
    var cluster: ClusterArguments

    @OptionGroup(title: "Exploration, on virtual time")
    var exploration: ExplorationOptions

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write events, one line each, to a file; '-' is standard error.",
            valueName: "file"
        )
    )
    var trace: String?

    @Flag(
        name: .long,
        help: "List the arguments and tasks that the script declares, and run none of the tasks."
    )
    var list = false

    @Flag(name: .shortAndLong, help: "After the script, show the prompt, with the globals of the script.")
    var interactive = false

    @Flag(name: .shortAndLong, help: "Print errors and warnings only: no progress, no hints.")
    var quiet = false

    @Flag(
        name: .customShort("v"),
        help: "Show the version, also that of Lua; then run the script, if there is one."
    )
    var showsRelease = false

    @Flag(name: .customLong("version"), help: "Show the version.")
    var showsVersion = false

    func validate() throws {
        if showsVersion {
            throw CleanExit.message("\(CommandIdentity.current.name) \(CommandIdentity.current.version)")
        }
        if let jobs, jobs < 1 {
            throw ValidationError("--jobs is \(jobs), but at least 1 must run at once.")
        }
        if let timeout, !(timeout > 0 && timeout.isFinite) {
            throw ValidationError("--timeout is \(timeout), but it must be a number of seconds above 0.")
        }
        if let maxFailures, maxFailures < 1 {
            throw ValidationError("--max-failures is \(maxFailures), but it must be at least 1.")
        }
        if (failFast ? 1 : 0) + (maxFailures == nil ? 0 : 1) + (keepGoing ? 1 : 0) > 1 {
            throw ValidationError(
                "--fail-fast, --max-failures and --keep-going exclude each other: give one."
            )
        }
        if let problem = SimulationOptions.problem(ofSeed: seed) { throw ValidationError(problem) }
        if let virtualStart, LocalDate(virtualStart) == nil {
            throw ValidationError(
                "--virtual-start is '\(virtualStart)', but it must be a date such as 2026-03-28T23:00."
            )
        }
        if let timeZone, !LocalDate.isTimeZone(timeZone) {
            throw ValidationError(
                "--time-zone is '\(timeZone)', but it must be a zone of the system, such as Europe/Berlin, or a rule "
                    + "such as CET-1CEST,M3.5.0,M10.5.0/3."
            )
        }
        if interactive, exploration.explore != nil || checkDeterminism || list || record.wishes.isPlan {
            throw ValidationError(
                "--interactive shows the prompt: it does not go with --explore, --check-determinism, --plan and "
                    + "--list."
            )
        }
        let isVirtual = virtual || checkDeterminism || virtualStart != nil
        if let replay = exploration.replay, Schedule(replay) == nil {
            throw ValidationError(
                "--replay is '\(replay)', but it must be a schedule such as 3:1/2,17:2/4, or 'none'."
            )
        }
        if let option = exploration.needingVirtualTime, !isVirtual {
            throw ValidationError("\(option) needs --virtual.")
        }
        if exploration.explore != nil, checkDeterminism || trace != nil {
            throw ValidationError(
                "--explore runs many times: \(trace != nil ? "--trace" : "--check-determinism") is for one "
                    + "interleaving, with --replay."
            )
        }
        let wishes = record.wishes
        if exploration.explore != nil, wishes.needsRecord {
            throw ValidationError(
                "--explore runs many times: --report, --profile and --plan are for one run, with --replay."
            )
        }
        if longestFirst != nil, exploration.explore != nil {
            throw ValidationError("--explore tries other orders: it does not go with --longest-first.")
        }
        if wishes.dashboard != nil, exploration.explore != nil || checkDeterminism {
            throw ValidationError(
                "--dashboard shows one run: it goes with neither --explore nor --check-determinism."
            )
        }
        if wishes.isPlan, isVirtual || trace != nil {
            throw ValidationError("--plan runs nothing: it goes with neither --virtual nor --trace.")
        }
        if list, isVirtual || trace != nil || wishes.needsRecord || wishes.dashboard != nil {
            throw ValidationError(
                "--list runs no task: it does not go with --virtual, --trace, --report, --profile, --plan and "
                    + "--dashboard."
            )
        }
        if journal.wishes.isUsed,
            isVirtual || exploration.explore != nil || wishes.isPlan || list || interactive
        {
            throw ValidationError(
                "A journal records what really happens: it does not go with --virtual, --check-determinism, "
                    + "--explore, --plan, --list and --interactive."
            )
        }
        if cluster.detach, !journal.wishes.isUsed {
            throw ValidationError("--detach needs a journal: give --journal FILE or --resume.")
        }
        if journal.watch, wishes.needsRecord || wishes.dashboard != nil {
            throw ValidationError(
                "--watch runs many times: it does not go with --report, --profile and --dashboard."
            )
        }
        if strict, !isVirtual {
            throw ValidationError("--strict needs --virtual: no seed controls the system's clock.")
        }
    }

    var simulation: SimulationOptions {
        SimulationOptions(
            isVirtual: virtual || checkDeterminism || virtualStart != nil,
            seed: seed.flatMap(SimulationOptions.seed),
            isStrict: strict,
            checksDeterminism: checkDeterminism,
            tracePath: trace,
            start: virtualStart.flatMap(LocalDate.init),
            timeZone: timeZone,
            exploration: exploration.plan(seed: seed.flatMap(SimulationOptions.seed)),
            replay: exploration.schedule,
            maxSteps: exploration.maxSteps,
            maxTime: exploration.maxTime
        )
    }
}
