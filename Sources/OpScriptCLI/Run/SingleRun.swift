internal import Glibc
internal import OpScript
internal import OpScriptRecord
internal import OpScriptScenarios
internal import OpScriptSlurm
internal import OpScriptWorks
internal import Synchronization

/// One run of a script by the command, in an engine of its own.
struct SingleRun {
    /// The name of the command in diagnoses.
    let name: String
    let words: CommandLineWords
    var options: CommandOptions
    var source: ScriptSource
    let pipe: WakePipe
    /// The live page, if there is one.
    var dashboard: Dashboard?
    /// The durations of an earlier run, by which ready operations start longest first; nil for the order of addition.
    var durations: OperationDurations?

    /// The result of a run.
    struct Status {
        /// The exit status.
        var code: Int32
        /// The exit status of an interruption, if there was one.
        var interruption: Int32?
        /// The reason why a schedule does not fit, unless the run itself reports it.
        var misfit: String?
        /// The record of the run, if it was requested.
        var record: RunRecord?
        /// The place where a plan ended.
        var planEnd: String?
        /// The help of the script, if its declarations were to be listed.
        var declarations: String?
        /// Whether the script read its arguments in a way that its text does not show.
        var readsArguments = false
        /// The unknown option for which the script ended.
        var refusedOption: String?
        /// The files on which the run depended.
        var watched = WatchedFiles()
        /// Whether the script has begun; otherwise its journal could not be used.
        var hasBegun = true
        /// The journal, until the end of the run is written to it.
        var journal: JournalOpening?

        /// Writes the end of the run to its journal, with the exit status of now. A signal has no effect any more.
        mutating func finishJournal(_ name: String) {
            guard let opening = journal else { return }
            journal = nil
            guard let problem = opening.finish(code, interruption: interruption) else { return }
            Console(callOwner: {}).writeError("\(name): \(problem)")
            if code == ExitStatus.success { code = ExitStatus.failure }
        }
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - trace: Keeps the trace, if two runs are compared.
    ///   - isSilent: Whether nothing is printed, as in the second run of a comparison.
    func perform(
        _ register: (ScriptEngine) -> Void,
        trace: KeptTrace,
        traceFile: TraceFile?,
        isSilent: Bool = false,
        choices: ChoiceSource? = nil
    ) -> Status {
        let console = Console(callOwner: WakePipe.call)
        var progress = isSilent ? .none : progress
        if case .liveLines = progress, !console.takeTerminal() { progress = .signsOfLife }
        var configuration = configuration(console, progress, isSilent: isSilent)
        if let choices { configuration.control.choices = choices }
        var journal: JournalOpening?
        if options.journal.isUsed {
            do throws(ScriptError) {
                journal = try JournalOpening(options.journal, script: source.path) { [name, options] in
                    if !options.isQuiet { console.writeError("\(name): \($0)") }
                }
                configuration.journal = journal?.journal
            } catch {
                console.finish()
                console.writeError("\(name): \(error.message)")
                return Status(code: ExitStatus.failure, hasBegun: false)
            }
        }
        let cluster = ClusterOpening.open(options.cluster, command: name, configuration.journal) {
            [name, options] in
            if !options.isQuiet { console.writeError("\(name): \($0)") }
        }
        configuration.clusters["slurm"] = cluster
        configuration.standardCluster = options.cluster.name
        let refusal = LoopRefusal()
        configuration.loopInterruption = refusal.interruption
        let isReplay = options.simulation.replay != nil
        if options.simulation.checksDeterminism || traceFile != nil {
            let isCompared = options.simulation.checksDeterminism
            configuration.traceBytes = { lines in
                if isCompared { trace.append(lines) }
                traceFile?.append(lines)
            }
        }
        let stepLines = writesStepLines(progress) ? StepLines { WakePipe.call() } : nil
        if let stepLines { configuration.notableEnd = { stepLines.add($0) } }
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        register(engine)
        dashboard?.attach(engine)
        defer { dashboard?.detach() }

        var monitor = RunMonitor(
            name: name,
            engine: engine,
            console: console,
            pipe: pipe,
            progress: progress,
            stepLines: stepLines,
            timeout: options.timeout,
            isQuiet: options.isQuiet,
            refusal: refusal,
            noteAtOnce: options.record.reports.isEmpty ? "" : "; no report was written",
            willCancel: { [cluster, options] in
                guard options.cluster.detaches, cluster.detach() else { return nil }
                return "the jobs stay on the cluster; the same command with --resume continues the run"
            },
            cluster: { [cluster] in cluster.summary }
        )
        let result = RunResult()
        engine.start(
            source: source.bytes,
            named: source.chunkName,
            // Modules are then in the current folder.
            script: source.path ?? "-",
            namesScript: words.script != nil,
            interpreter: words.interpreter,
            arguments: words.scriptArguments,
            texts: source.texts
        ) { report in
            result.report.withLock { $0 = report }
            WakePipe.call()
        }
        let report = monitor.wait { result.report.withLock { $0 } }
        if report.mayClose, !isSilent { monitor.closeEngine() }
        let isGood = monitor.interruptionStatus == nil && report.failed == 0 && report.error == nil
        cluster.close(keepsFiles: options.journal.isUsed && !isGood, waiting: 15)
        console.finish()
        monitor.lookAtOutputFailure()
        monitor.writeStepLines(isEnd: true)
        var code = ExitStatus.of(
            report,
            interruption: monitor.interruptionStatus,
            lostOutput: console.outputFailure != nil
        )
        if options.journal.explains, report.journal?.problem == nil {
            return Status(
                code: explain(report, console, monitor.interruptionStatus),
                interruption: monitor.interruptionStatus
            )
        }
        if !isSilent { writeSummary(report, console, monitor, code) }
        for effect in report.journal?.unknownEffects ?? [] {
            console.writeError("\(name): \(effect)")
            if code == ExitStatus.success { code = ExitStatus.failure }
        }
        if let problem = report.journal?.problem {
            console.writeError("\(name): \(problem)")
            if code == ExitStatus.success { code = ExitStatus.failure }
        }
        let misfit = isReplay && !isMisuse(report) ? configuration.control.choices?.misfitAtEnd : nil
        return Status(
            code: code,
            interruption: monitor.interruptionStatus,
            misfit: misfit,
            record: isSilent ? nil : report.record,
            planEnd: report.planEnd,
            declarations: report.declarations,
            readsArguments: report.readsArguments,
            refusedOption: report.refusedOption,
            watched: WatchedFiles(report),
            hasBegun: report.journal?.hasBegun ?? true,
            journal: journal
        )
    }

    /// Prints which operations would run, and returns the exit status.
    private func explain(_ report: ScriptReport, _ console: Console, _ interruption: Int32?) -> Int32 {
        if let interruption { return interruption }
        let lines = report.journal?.explanations ?? []
        var status = Console.show(lines.map { $0 + "\n" }.joined(), name: name)
        for remark in report.journal?.remarks ?? [] {
            console.writeError("\(name): \(remark)")
            status = max(status, ExitStatus.failure)
        }
        guard let error = report.error else { return status }
        // The script waited for an operation that would run, or that depends on one.
        if Self.isWouldRun(error) {
            console.writeError("\(name): the script ended at its wait: \(error.message)")
            return status
        }
        let cause = lines.isEmpty ? "" : "the script ended, perhaps because an operation has no result now: "
        console.writeError("\(name): \(cause)\(error.message)")
        return max(status, ExitStatus.failure)
    }

    private static func isWouldRun(_ error: ScriptError) -> Bool {
        if error.code == .wouldRun { return true }
        return (error.underlying as? ScriptError).map(isWouldRun) ?? false
    }

    /// Writes the totals, then the failures and hints that were not shown yet.
    private func writeSummary(
        _ report: ScriptReport,
        _ console: Console,
        _ monitor: RunMonitor,
        _ code: Int32
    ) {
        let lines = RunSummary.lines(
            report,
            name: name,
            isQuiet: options.isQuiet,
            told: monitor.toldFailures,
            isForPrograms: monitor.progress == .json
        )
        var all = lines
        switch monitor.progress {
        case .none, .failures: break
        case .json: all.append(ProgressText.json(report, status: code))
        case .liveLines, .signsOfLife:
            let isTold = monitor.hasTold || monitor.progress == .liveLines && RunSummary.hasTotals(report)
            guard isTold || report.failed > 0 else { break }
            all.insert(RunSummary.totals(report, name: name), at: 0)
            if let others = RunSummary.notRunForOtherReasons(report, name: name) { all.append(others) }
        }
        if let journal = report.journal, monitor.progress != .json {
            if !options.isQuiet { all += JournalText.account(journal, name: name) }
            all += journal.remarks.map { "\(name): \($0)" }
        }
        if !all.isEmpty { console.beginLine() }
        for line in all { console.writeError(line) }
    }

    /// Whether each operation that ran a program or took a while gets a line: where nothing is drawn, unless the user
    /// chose another kind of progress.
    private func writesStepLines(_ progress: RunMonitor.Progress) -> Bool {
        progress == .signsOfLife && options.record.progress == .auto && !options.simulation.isVirtual
    }

    /// Whether a run ended because of its schedule; then it has reported the reason.
    private func isMisuse(_ report: ScriptReport) -> Bool {
        report.error?.message.hasPrefix("the schedule does not fit") == true
    }

    private var progress: RunMonitor.Progress {
        if options.isQuiet || options.record.isPlan || options.listsDeclarations || options.journal.explains {
            return .none
        }
        switch options.record.progress {
        case .none: return .none
        case .json: return .json
        case .plain: return .signsOfLife
        case .auto:
            // In a pipeline, the next process may write to the same terminal, unseen.
            if Terminal.leadsToProcess(STDOUT_FILENO) { return .signsOfLife }
            return Terminal.canRedraw(STDERR_FILENO) && !Terminal.isService ? .liveLines : .signsOfLife
        }
    }

    /// The settings of its engine.
    func configuration(
        _ console: Console,
        _ progress: RunMonitor.Progress,
        isSilent: Bool
    ) -> ScriptEngine.Configuration {
        var configuration = ScriptEngine.Configuration()
        configuration.installsSimulation = true
        configuration.libraries = .all
        configuration.redactedVariables = options.redactedVariables
        configuration.capabilities = .all
        configuration.ignoresEnvironment = options.ignoresEnvironment
        configuration.workers = options.jobs
        configuration.jobLimit = options.jobs
        if case .none = progress {} else { configuration.tracksStatus = true }
        let dropsOutput = isSilent || options.journal.explains
        configuration.standardOutput = { if !dropsOutput { console.writeOutput($0) } }
        configuration.sharesStandardOutput = !options.journal.explains
        var isForPrograms = false
        if case .json = progress { isForPrograms = true }
        configuration.standardError = { [name, isForPrograms] text in
            if isSilent { return }
            console.writeError("\(name): \(isForPrograms ? ProgressText.besideJSON(text) : text)")
        }
        if isForPrograms { configuration.laterErrors = { console.writeError(ProgressText.json($0)) } }
        configuration.recordsRuns = options.record.needsRecord && !isSilent
        if let dashboard { configuration.sinks.append(dashboard.run) }
        if let durations {
            configuration.durations = durations
            configuration.startsLongestFirst = true
        }
        configuration.failureLimit = options.failureLimit
        if !isSilent { configuration.programDisplay = ProgramOutput(console, options.record.output) }
        configuration.plansOnly = options.record.isPlan || options.listsDeclarations
        configuration.listsDeclarations = options.listsDeclarations
        if Terminal.isAttached(to: STDOUT_FILENO) {
            configuration.helpColumns = min(100, max(40, Terminal.columns(of: STDOUT_FILENO)))
        }
        configuration.notesArguments = words.scriptArguments.contains { $0.hasPrefix("-") }
        options.simulation.apply(to: &configuration)
        return configuration
    }
}

/// The box that receives the run's report.
private final class RunResult: Sendable {
    let report = Mutex<ScriptReport?>(nil)
}
