internal import ArgumentParser
internal import OpScript
internal import OpScriptSlurm
internal import OpScriptWorks

/// `opscript worker …`: runs bodies of another process's operations, on a node of a cluster.
///
/// Jobs call it; people have no reason to.
struct WorkerCommand {
    let identity: CommandIdentity
    /// Registers the works that the executable adds.
    let register: @Sendable (ScriptEngine) -> Void

    /// Runs the bodies, and returns the exit status of the job.
    func run(_ words: [String]) -> Int32 {
        SubcommandWords.run("worker", words, identity) { (arguments: WorkerArguments) in perform(arguments) }
    }

    private func perform(_ arguments: WorkerArguments) -> Int32 {
        SlurmWorker.holdSignals()
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = .all
        let output = OutputRecord()
        configuration.programDisplay = output
        configuration.standardOutput = { output.printed($0) }
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        register(engine)
        let worker = SlurmWorker(engine, output)
        if let folder = arguments.pilot { return worker.runPilot(folder: folder) }
        do throws(ScriptError) {
            return try worker.runTask(
                folder: arguments.task ?? "",
                batch: arguments.batch ?? 0,
                index: arguments.index ?? 0
            )
        } catch {
            return complain(error.message, ExitStatus.failure)
        }
    }

    private func complain(_ text: String, _ status: Int32) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return status
    }
}

/// The arguments of `opscript worker`.
struct WorkerArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) worker",
            abstract: "Runs bodies on a node of a cluster. Jobs call it; people have no reason to."
        )
    }

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Take bodies from standard input, one after the other, and report on standard output.",
            valueName: "folder"
        )
    )
    var pilot: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Run one body of a batch in this shared folder.", valueName: "folder")
    )
    var task: String?

    @Argument(help: "The number of the batch.")
    var batch: Int?

    @Argument(help: "The place in the batch, from 0.")
    var index: Int?

    func validate() throws {
        if (pilot == nil) == (task == nil) {
            throw ValidationError("a worker needs either --pilot FOLDER or --task FOLDER BATCH INDEX")
        }
        if task != nil, batch == nil || index == nil {
            throw ValidationError("--task needs the numbers of the batch and of the body")
        }
    }
}
