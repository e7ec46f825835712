internal import ArgumentParser

/// What the options of `opscript test` say.
struct TestOptions: Equatable {
    /// Files and folders.
    var paths: [String] = ["."]
    /// Seconds that one scenario may take.
    var timeout = 60.0

    /// What reading the options came to.
    enum Parsed: Equatable {
        case options(TestOptions)
        /// Help was asked for: print it and leave with success.
        case information(String)
        /// The options are wrong: what is, and how to do it right.
        case usage(String)
    }

    /// Reads the words behind `test`.
    static func parse(_ words: [String]) -> Parsed {
        do {
            let arguments = try TestArguments.parse(words)
            var options = TestOptions()
            if !arguments.paths.isEmpty { options.paths = arguments.paths }
            if let timeout = arguments.timeout { options.timeout = timeout }
            return .options(options)
        } catch {
            if TestArguments.exitCode(for: error).isSuccess {
                return .information(TestArguments.fullMessage(for: error))
            }
            let message = TestArguments.message(for: error)
            return .usage(message.hasSuffix(".") || message.hasSuffix("?") ? message : message + ".")
        }
    }
}

/// The options as the argument parser reads and explains them.
private struct TestArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) test",
            abstract: "Runs scenarios: files *_scenario.lua and *_spec.lua with describe and it.",
            discussion: """
                Each 'it' runs in an engine of its own, on virtual time ('it.real': on the real clock). Folders are \
                searched at any depth; without a path, the current one is.

                Exit status: 0 all passed, 1 something failed, 2 usage, 130 and 143 interrupted.
                """
        )
    }

    @Argument(help: "Files, or folders to search.")
    var paths: [String] = []

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Seconds that one scenario may take (default: 60).", valueName: "seconds")
    )
    var timeout: Double?

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout.isFinite) {
            throw ValidationError("--timeout is \(timeout), but it must be a number of seconds above 0.")
        }
    }
}
