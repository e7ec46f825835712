internal import ArgumentParser
internal import Glibc
internal import OpScriptScenarios

/// The options of `opscript test` that it shares with the command `busted`, with the names that they have there.
struct BustedArguments: ParsableArguments {
    @Option(
        name: [.customShort("p"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Only files whose names match a Lua pattern (default: _spec).",
            valueName: "pattern"
        )
    )
    var pattern: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Leaves out files whose names match a Lua pattern.", valueName: "pattern")
    )
    var excludePattern: [String] = []

    @Option(
        name: .customShort("e"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Executes Lua before each file.", valueName: "statement")
    )
    var statements: [String] = []

    @Option(
        name: [.customShort("C"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Changes to a folder first.", valueName: "folder")
    )
    var directory: [String] = []

    @Option(
        name: [.customShort("f"), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "The file of the project (default: .busted, if it exists).",
            valueName: "file"
        )
    )
    var configFile: String?

    @Option(
        name: [.customShort("r"), .long],
        parsing: .unconditional,
        help: ArgumentHelp("The section of that file (default: default).", valueName: "name")
    )
    var run: String?

    @Option(
        name: [.customShort("m"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Templates in front of package.path (default: ./src/?.lua;./src/?/?.lua;./src/?/init.lua).",
            valueName: "templates"
        )
    )
    var lpath: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Templates in front of package.cpath (default: ./csrc/?.so;./csrc/?/?.so).",
            valueName: "templates"
        )
    )
    var cpath: [String] = []

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("A Lua file, or a module, to run before each file.", valueName: "file")
    )
    var helper: String?

    @Option(
        name: .customLong("Xhelper", withSingleDash: true),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The arguments of the helper, in arg.", valueName: "a,b")
    )
    var helperArguments: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Leaves out scenarios whose names match a Lua pattern.", valueName: "pattern")
    )
    var filterOut: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Only the scenario with this whole name.", valueName: "name")
    )
    var name: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Leaves out scenarios whose whole names are lines of a file.", valueName: "file")
    )
    var excludeNamesFile: [String] = []

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Appends the names of scenarios that pass to a file.", valueName: "file")
    )
    var logSuccess: String?

    @Flag(inversion: .prefixedNo, help: "Calls setup and teardown only if a scenario of their group runs.")
    var lazy = false

    @Flag(inversion: .prefixedNo, help: "Isolates the globals and modules of each file.")
    var autoInsulate = true

    @Flag(
        name: [.customShort("k"), .long],
        inversion: .prefixedNo,
        help: "Continues after a failure; --no-keep-going is --fail-fast."
    )
    var keepGoing = true

    @Flag(name: [.customShort("R"), .long], inversion: .prefixedNo, help: "Searches folders at any depth.")
    var recursive = true

    @Flag(inversion: .prefixedNo, help: "Runs files in a random order.")
    var shuffleFiles: Bool?

    @Flag(inversion: .prefixedNo, help: "Runs the scenarios of each group in a random order.")
    var shuffleTests: Bool?

    @Flag(inversion: .prefixedNo, help: "Sorts files, and the scenarios of each group, by their names.")
    var sort = false

    @Flag(inversion: .prefixedNo, help: "Sorts files by their names, which is the default.")
    var sortFiles = false

    @Flag(inversion: .prefixedNo, help: "Sorts the scenarios of each group by their names.")
    var sortTests = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The language of the texts of failures that scripts catch, if luassert is installed (default: en).",
            valueName: "name"
        )
    )
    var lang: String?

    @Flag(inversion: .prefixedNo, help: "Prints no pending scenarios.")
    var suppressPending = false

    // Options without effect here. They are accepted so that the command lines of a project need no change.

    @Flag(name: [.customShort("v"), .long], inversion: .prefixedNo, help: .hidden)
    var verbose = false

    @Flag(name: [.customShort("s"), .long], inversion: .prefixedNo, help: .hidden)
    var enableSound = false

    @Flag(inversion: .prefixedNo, help: .hidden)
    var deferPrint = false

    @Flag(help: .hidden)
    var ignoreLua = false

    @Option(name: .long, parsing: .unconditional, help: .hidden)
    var lua: String?

    @Option(name: .long, parsing: .unconditionalSingleValue, help: .hidden)
    var loaders: [String] = []

    @Option(name: .long, parsing: .unconditional, help: .hidden)
    var coverageConfigFile: String?

    @Option(
        name: .customLong("Xoutput", withSingleDash: true),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The options of an output handler; for junit, the file of the document.",
            valueName: "a,b"
        )
    )
    var outputArguments: [String] = []

    /// Copies them to the options of the command.
    func write(into options: inout TestOptions) throws {
        options.patterns = try checked(pattern, "--pattern")
        options.excludedPatterns = try checked(excludePattern, "--exclude-pattern")
        options.isRecursive = recursive
        for pattern in try checked(filterOut, "--filter-out") {
            try? options.selection.exclude(pattern: pattern)
        }
        for name in name { try? options.selection.choose(pattern: "^\(LuaPattern.quoted(name))$") }
        for path in excludeNamesFile {
            guard let names = NameLog.names(in: path) else {
                throw ValidationError(
                    "--exclude-names-file: cannot read '\(path)': \(SystemReason.describe(errno))."
                )
            }
            options.selection.excludedNames.formUnion(names)
        }
        options.successPath = logSuccess
        if !keepGoing { options.order.failsFast = true }
        options.order.isSorted = sort || sortTests
        options.hidesPending = suppressPending
        var project = ScenarioProject()
        project.modulePath =
            lpath.isEmpty ? "./src/?.lua;./src/?/?.lua;./src/?/init.lua" : lpath.joined(separator: ";")
        project.nativePath = cpath.isEmpty ? "./csrc/?.so;./csrc/?/?.so" : cpath.joined(separator: ";")
        project.helper = helper
        project.helperArguments = helperArguments.flatMap { $0.split(separator: ",").map(String.init) }
        project.statements = statements
        project.isLazy = lazy
        if let lang { project.language = lang }
        project.interpreter = Self.executable
        project.sharesGlobals = !autoInsulate
        options.project = project
        options.handlerArguments = outputArguments.flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// The path of this program.
    private static var executable: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    private func checked(_ patterns: [String], _ option: String) throws -> [String] {
        for pattern in patterns {
            if let problem = LuaPattern.problem(in: pattern) {
                throw ValidationError("\(option): '\(pattern)' is not a Lua pattern: \(problem).")
            }
        }
        return patterns
    }
}
