internal import ArgumentParser
internal import OpScript
internal import OpScriptScenarios

/// What the options of `opscript test` say.
struct TestOptions: Equatable {
    /// How results are told.
    enum Output: String, CaseIterable, ExpressibleByArgument, Sendable {
        case readable, tap, junit, json
    }

    /// Files and folders.
    var paths: [String] = ["."]
    /// Seconds that one scenario may take.
    var timeout = 60.0
    /// How results are told.
    var output = Output.readable
    /// Which scenarios.
    var selection = ScenarioSelection()
    /// In which order, how often, how many at once.
    var order = ScenarioOrder()
    /// What fixes chance on virtual time.
    var seed: UInt64 = 0
    /// Whether they are only named.
    var isListing = false

    /// Whether to tell which lines were executed.
    var measuresCoverage = false
    /// Where that is written in the format of lcov.
    var coveragePath: String?
    /// Whether all run on the real clock.
    var isReal = false
    /// How interleavings of each scenario are looked for.
    var exploration: ExplorationPlan?
    /// One interleaving of one scenario.
    var replay: ScenarioReplay?
    /// How many turns a run may take.
    var maxSteps: Int?
    /// Virtual seconds that a run may take.
    var maxTime: Double?

    /// What reading the options came to.
    enum Parsed: Equatable {
        case options(TestOptions)
        /// Help was asked for: print it and leave with success.
        case information(String)
        /// The options are wrong: what is, and how to do it right.
        case usage(String)
    }

    /// `--coverage=FILE` in two, since an option with or without a value is none that the parser has.
    private static func splitting(_ words: [String]) -> [String] {
        let options = words.prefix { $0 != "--" }
        return options.flatMap { word in
            word.hasPrefix("--coverage=")
                ? ["--coverage", "--coverage-file", String(word.dropFirst(11))] : [word]
        } + words.dropFirst(options.count)
    }

    /// Reads the words behind `test`.
    static func parse(_ words: [String]) -> Parsed {
        do {
            return .options(try TestArguments.parse(splitting(words)).options)
        } catch {
            if TestArguments.exitCode(for: error).isSuccess {
                return .information(TestArguments.fullMessage(for: error))
            }
            let message = TestArguments.message(for: error)
            return .usage(message.hasSuffix(".") || message.hasSuffix("?") ? message : message + ".")
        }
    }
}
