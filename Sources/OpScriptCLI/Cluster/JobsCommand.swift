internal import ArgumentParser
internal import Glibc
internal import OpScript
internal import OpScriptSlurm

/// `opscript jobs`: the jobs of this user's runs on a cluster.
struct JobsCommand {
    let identity: CommandIdentity

    /// Prints the list, and returns the exit status.
    func run(_ words: [String]) -> Int32 {
        SubcommandWords.run("jobs", words, identity) { (arguments: JobsArguments) in show(arguments) }
    }

    private func show(_ arguments: JobsArguments) -> Int32 {
        do throws(ScriptError) {
            let jobs = try JobList(of: identity.name, user: "\(geteuid())", withEnded: arguments.all)
            let lines = jobs.lines.isEmpty ? ["no jobs"] : jobs.lines
            return Console.show(lines.map { $0 + "\n" }.joined(), name: identity.name)
        } catch {
            Console(callOwner: {}).writeError("\(identity.name): \(error.message)")
            return ExitStatus.failure
        }
    }
}

/// The arguments of `opscript jobs`.
struct JobsArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) jobs",
            abstract: "Lists the jobs of your runs on a cluster."
        )
    }

    @Flag(name: .long, help: "List the jobs that have ended, too, as long as Slurm knows them.")
    var all = false
}
