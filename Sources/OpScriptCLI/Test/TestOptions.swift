internal import ArgumentParser
internal import Glibc
internal import OpScript
internal import OpScriptScenarios

/// The options of `opscript test`.
struct TestOptions: Equatable {
    /// The format of results.
    enum Output: String, CaseIterable, ExpressibleByArgument, Sendable {
        case readable, tap, junit, json
        /// A character for each scenario, as in busted: on a terminal, and elsewhere.
        case utfTerminal, plainTerminal

        init?(argument: String) {
            let word = argument.lowercased()
            // busted's gtest has a line for each scenario, as `readable` has.
            let found = Self.allCases.first { $0.rawValue.lowercased() == word }
            guard let output = word == "gtest" ? .readable : found else { return nil }
            self = output
        }

        static var allValueStrings: [String] { allCases.map(\.rawValue) }
    }

    /// Files and folders; empty for the usual one.
    var paths: [String] = []
    /// Lua patterns of the names of files; empty for the usual ones.
    var patterns: [String] = []
    /// Lua patterns that the names of files do not have.
    var excludedPatterns: [String] = []
    /// Whether folders are searched at any depth.
    var isRecursive = true
    /// The settings for loading files.
    var project = ScenarioProject()
    /// Whether each scenario has an engine of its own.
    var isIsolating = false
    /// Whether each scenario runs twice, to compare the runs.
    var checksDeterminism = false
    /// Whether pending scenarios are left out of the output.
    var hidesPending = false
    /// Whether to list the scenarios that took longest.
    var tellsSlowest = false
    /// Whether to run again after changes.
    var isWatching = false
    /// Whether failed scenarios then run first.
    var runsFailedFirst = false
    /// The unknown settings in the file of the project.
    var warnings: [String] = []
    /// Seconds that one scenario may take.
    var timeout = 60.0
    /// The format of results.
    var output = Output.readable
    /// An output handler in Lua that replaces ``output``: a file or a module.
    var handler: String?
    /// The file to which the names of scenarios that pass are appended.
    var successPath: String?
    /// The options that it receives.
    var handlerArguments: [String] = []
    /// The selection of scenarios.
    var selection = ScenarioSelection()
    /// The order, the number of rounds, and how many run at once.
    var order = ScenarioOrder()
    /// The seed of all randomness on virtual time.
    var seed: UInt64 = 0
    /// Whether the scenarios are only listed.
    var isListing = false

    /// Whether to report which lines were executed.
    var measuresCoverage = false
    /// The file to which this is written in the format of lcov.
    var coveragePath: String?
    /// Whether all run on the real clock.
    var isReal = false
    /// The plan for exploring the interleavings of each scenario.
    var exploration: ExplorationPlan?
    /// The interleaving of a scenario that is repeated.
    var replay: ScenarioReplay?
    /// How many turns a run may take.
    var maxSteps: Int?
    /// Virtual seconds that a run may take.
    var maxTime: Double?

    /// The result of reading the options.
    enum Parsed: Equatable {
        case options(TestOptions)
        /// Help was requested: print it and exit with success.
        case information(String)
        /// The options are wrong: the fault and the remedy.
        case usage(String)
    }

    /// Divides `--coverage=FILE` into two words, since the parser has no options with an optional value, and
    /// separates output handlers, which are files or modules, from formats.
    private static func splitting(_ words: [String]) -> [String] {
        let options = words.prefix { $0 != "--" }
        var result: [String] = []
        var isOutput = false
        for word in options {
            defer { isOutput = word == "-o" || word == "--output" }
            if Self.emptyChoices.contains(word) {
                // An empty variable of a shell script: all scenarios. The parser would take the next word.
                continue
            } else if isOutput, isHandler(word) {
                result.removeLast()
                result += ["--output-handler", word]
            } else if word.hasPrefix("--output="), isHandler(String(word.dropFirst(9))) {
                result += ["--output-handler", String(word.dropFirst(9))]
            } else if word.hasPrefix("--coverage=") {
                result += ["--coverage", "--coverage-file", String(word.dropFirst(11))]
            } else {
                result.append(word)
            }
        }
        return result + words.dropFirst(options.count)
    }

    private static let emptyChoices: Set = ["--filter=", "--filter-out=", "--tags=", "--exclude-tags="]

    private static func isHandler(_ word: String) -> Bool {
        !word.hasPrefix("-") && (word.contains(".") || word.contains("/"))
    }

    /// Reads the words behind `test` and the file of the project, and changes to the folder that they name.
    static func parse(_ words: [String]) -> Parsed {
        do {
            let given = try TestArguments.parse(splitting(words))
            for folder in given.busted.directory where chdir(folder) != 0 {
                return .usage("--directory: cannot change to '\(folder)': \(SystemReason.describe(errno)).")
            }
            guard let path = given.busted.configFile ?? (access(".busted", F_OK) == 0 ? ".busted" : nil)
            else {
                if let run = given.busted.run {
                    return .usage("--run=\(run) is a section of the file .busted, which is not here.")
                }
                return .options(try given.options)
            }
            let settings = try ProjectFile.read(path).settings(of: given.busted.run)
            let reading = ProjectWords.read(settings, given: words)
            var options = try TestArguments.parse(splitting(reading.words + words)).options
            if options.paths.isEmpty { options.paths = reading.paths }
            options.warnings = reading.warnings
            return .options(options)
        } catch let error as ProjectFile.Unusable {
            return .usage(error.message + ".")
        } catch {
            if TestArguments.exitCode(for: error).isSuccess {
                return .information(TestArguments.fullMessage(for: error))
            }
            let message = TestArguments.message(for: error)
            return .usage(message.hasSuffix(".") || message.hasSuffix("?") ? message : message + ".")
        }
    }

    /// The given paths; otherwise the folder of the project, or the current one.
    var roots: [String] {
        if !paths.isEmpty { return paths }
        return access("spec", F_OK) == 0 ? ["spec"] : ["."]
    }

    /// The selection of files in folders.
    var choice: ScenarioFinder.Choice {
        var choice = ScenarioFinder.Choice()
        choice.patterns = patterns
        choice.excludedPatterns = excludedPatterns
        choice.isRecursive = isRecursive
        return choice
    }
}
