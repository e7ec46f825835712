internal import Glibc
internal import OpScript
internal import OpScriptWorks
internal import Synchronization

/// One run of a script by the command, in an engine of its own.
struct SingleRun {
    /// What diagnoses call the command.
    let name: String
    let words: CommandLineWords
    let options: CommandOptions
    let source: ScriptSource
    let pipe: WakePipe
    let usesPrompt: Bool

    /// What a run came to.
    struct Status {
        /// The exit status.
        var code: Int32
        /// The exit status of an interruption, if there was one.
        var interruption: Int32?
        /// Why a schedule does not fit, where that is not told by the run itself.
        var misfit: String?
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - record: Keeps the trace, where two runs are to be compared.
    ///   - isSilent: Whether nothing is printed, as for the second run of a comparison.
    func perform(
        _ register: (ScriptEngine) -> Void,
        record: RunRecord,
        traceFile: TraceFile?,
        isSilent: Bool = false,
        choices: ChoiceSource? = nil
    ) -> Status {
        let console = Console(callOwner: WakePipe.call)
        let progress = isSilent ? .none : progress
        var configuration = configuration(console, progress, isSilent: isSilent)
        if let choices { configuration.control.choices = choices }
        let isReplay = options.simulation.replay != nil
        if options.simulation.checksDeterminism || traceFile != nil {
            let isCompared = options.simulation.checksDeterminism
            configuration.trace = { line in
                if isCompared { record.append(line) }
                traceFile?.append(line)
            }
        }
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        register(engine)
        if usesPrompt { Prompt.register(in: engine) }

        var monitor = RunMonitor(
            name: name,
            engine: engine,
            console: console,
            pipe: pipe,
            progress: progress,
            timeout: options.timeout,
            isQuiet: options.isQuiet
        )
        let result = RunResult()
        engine.start(
            source: source.bytes,
            named: source.chunkName,
            // Modules then lie in the current folder, and `arg[0]` is what `lua` makes it.
            script: source.path ?? "-",
            interpreter: words.interpreter,
            arguments: words.scriptArguments
        ) { report in
            result.report.withLock { $0 = report }
            WakePipe.call()
        }
        let report = monitor.wait { result.report.withLock { $0 } }
        console.finish()
        monitor.lookAtOutputFailure()
        if !isSilent {
            for line in RunSummary.lines(report, name: name, isQuiet: options.isQuiet) {
                console.writeError(line)
            }
        }
        let code = ExitStatus.of(
            report,
            interruption: monitor.interruptionStatus,
            lostOutput: console.outputFailure != nil
        )
        let misfit = isReplay && !isMisuse(report) ? configuration.control.choices?.misfitAtEnd : nil
        return Status(code: code, interruption: monitor.interruptionStatus, misfit: misfit)
    }

    /// Whether a run ended because of its schedule: then it has told why.
    private func isMisuse(_ report: ScriptReport) -> Bool {
        report.error?.message.hasPrefix("the schedule does not fit") == true
    }

    private var progress: RunMonitor.Progress {
        if options.isQuiet || usesPrompt { return .none }
        return Terminal.canRedraw(STDERR_FILENO) ? .liveLine : .signsOfLife
    }

    private func configuration(
        _ console: Console,
        _ progress: RunMonitor.Progress,
        isSilent: Bool
    ) -> ScriptEngine.Configuration {
        var configuration = ScriptEngine.Configuration()
        configuration.installsSimulation = true
        configuration.libraries = .all
        configuration.capabilities = .all
        configuration.workers = options.jobs
        // The prompt's own waiting for a line takes one.
        configuration.jobLimit = options.jobs.map { usesPrompt ? $0 + 1 : $0 }
        if case .none = progress {} else { configuration.tracksStatus = true }
        configuration.standardOutput = { if !isSilent { console.writeOutput($0) } }
        configuration.sharesStandardOutput = true
        configuration.standardError = { [name] in if !isSilent { console.writeError("\(name): \($0)") } }
        options.simulation.apply(to: &configuration)
        return configuration
    }
}

/// Where the run's report arrives.
private final class RunResult: Sendable {
    let report = Mutex<ScriptReport?>(nil)
}
