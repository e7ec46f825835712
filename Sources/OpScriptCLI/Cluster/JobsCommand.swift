internal import ArgumentParser
internal import Glibc
internal import OpScript
internal import OpScriptSlurm

/// `opscript jobs`: the jobs of this user's runs on a cluster.
struct JobsCommand {
    let identity: CommandIdentity

    /// Prints the list, and returns the exit status.
    func run(_ words: [String]) -> Int32 {
        CommandIdentity.$current.withValue(identity) {
            let arguments: JobsArguments
            do {
                arguments = try JobsArguments.parse(words)
            } catch {
                let text = JobsArguments.fullMessage(for: error)
                if JobsArguments.exitCode(for: error).isSuccess {
                    return Console.show("\(text)\n", name: identity.name)
                }
                let message = JobsArguments.message(for: error)
                return complain("\(message). See '\(identity.name) jobs --help'.", ExitStatus.usage)
            }
            do throws(ScriptError) {
                let lines = try JobList(of: identity.name, user: "\(geteuid())", withEnded: arguments.all)
                    .lines
                let text = lines.isEmpty ? ["no jobs"] : lines
                return Console.show(text.map { $0 + "\n" }.joined(), name: identity.name)
            } catch {
                return complain(error.message, ExitStatus.failure)
            }
        }
    }

    private func complain(_ text: String, _ status: Int32) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return status
    }
}

/// The arguments of `opscript jobs`.
struct JobsArguments: ParsableArguments {
    static var _commandName: String { "\(CommandIdentity.current.name) jobs" }

    @Flag(name: .long, help: "List the jobs that have ended, too, as long as Slurm knows them.")
    var all = false
}
