internal import ArgumentParser

/// Reads the words behind a subcommand, such as `opscript jobs --all`.
enum SubcommandWords {
    /// Calls `perform` with the arguments, and returns its exit status; help and mistakes are printed here.
    ///
    /// - Parameter subcommand: Its name in the hint at its help.
    static func run<Arguments: ParsableArguments>(
        _ subcommand: String,
        _ words: [String],
        _ identity: CommandIdentity,
        perform: (Arguments) -> Int32
    ) -> Int32 {
        CommandIdentity.$current.withValue(identity) {
            do {
                return perform(try Arguments.parse(words))
            } catch {
                let text = Arguments.fullMessage(for: error)
                if Arguments.exitCode(for: error).isSuccess {
                    return Console.show("\(text)\n", name: identity.name)
                }
                let message = Arguments.message(for: error)
                let sentence = message.hasSuffix(".") ? message : message + "."
                Console(callOwner: {}).writeError(
                    "\(identity.name): \(sentence) See '\(identity.name) \(subcommand) --help'."
                )
                return ExitStatus.usage
            }
        }
    }
}
