internal import Glibc
internal import OpScript
internal import OpScriptRecord
internal import OpScriptWorks
internal import Synchronization

/// A session at the prompt, after the script if there is one; both in the same engine, so that globals stay.
struct PromptRun {
    /// The options, and the script. Without a script, its source is nil.
    let run: SingleRun
    let source: ScriptSource?

    /// Runs the script, then the lines of a person, to their end.
    func perform(_ register: (ScriptEngine) -> Void) -> SingleRun.Status {
        let console = Console(callOwner: WakePipe.call)
        let edits = Self.canEdit && console.takeTerminal()
        if edits { Terminal.keepSettings() }
        let progress: RunMonitor.Progress = run.options.isQuiet ? .none : edits ? .liveLines : .failures
        var configuration = run.configuration(console, progress, isSilent: false)
        configuration.tracksStatus = true
        let refusal = LoopRefusal()
        configuration.loopInterruption = refusal.interruption
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        register(engine)
        run.dashboard?.attach(engine)
        defer { run.dashboard?.detach() }
        func monitor(_ session: PromptSession?) -> RunMonitor {
            var monitor = RunMonitor(
                name: run.name,
                engine: engine,
                console: console,
                pipe: run.pipe,
                progress: progress,
                stepLines: nil,
                timeout: session == nil ? run.options.timeout : nil,
                isQuiet: run.options.isQuiet,
                refusal: refusal
            )
            monitor.session = session
            return monitor
        }
        if let source {
            var scriptMonitor = monitor(nil)
            let report = runScript(source, engine, &scriptMonitor, console)
            if let status = report.exitRequest {
                if report.mayClose { scriptMonitor.closeEngine() }
                console.finish()
                return SingleRun.Status(code: status, record: report.record)
            }
        }
        guard
            let session = PromptSession(
                name: run.name,
                engine: engine,
                console: console,
                edits: edits,
                isQuiet: run.options.isQuiet
            )
        else {
            console.finish()
            console.writeError("\(run.name): cannot make a pipe: \(SystemReason.describe(errno))")
            return SingleRun.Status(code: ExitStatus.failure)
        }
        var watch = monitor(session)
        let report = serve(session, engine, &watch)
        if report.mayClose { watch.closeEngine() }
        console.finish()
        watch.lookAtOutputFailure()
        return SingleRun.Status(
            code: ExitStatus.of(
                report,
                interruption: watch.interruptionStatus,
                lostOutput: console.outputFailure != nil
            ),
            interruption: watch.interruptionStatus,
            record: report.record
        )
    }

    /// Whether a line can be edited here.
    private static var canEdit: Bool {
        Terminal.areSame(STDIN_FILENO, STDERR_FILENO) && Terminal.canRedraw(STDERR_FILENO)
    }

    private func runScript(
        _ source: ScriptSource,
        _ engine: ScriptEngine,
        _ monitor: inout RunMonitor,
        _ console: Console
    ) -> ScriptReport {
        let result = EndedRun()
        engine.start(
            source: source.bytes,
            named: source.chunkName,
            script: source.path ?? "-",
            namesScript: run.words.script != nil,
            interpreter: run.words.interpreter,
            arguments: run.words.scriptArguments,
            texts: source.texts
        ) { result.end($0) }
        let report = monitor.wait { result.report }
        monitor.lookAtOutputFailure()
        let lines = RunSummary.lines(
            report,
            name: run.name,
            isQuiet: run.options.isQuiet,
            told: monitor.toldFailures
        )
        for line in lines { console.writeError(line) }
        return report
    }

    private func serve(_ session: PromptSession, _ engine: ScriptEngine, _ monitor: inout RunMonitor)
        -> ScriptReport
    {
        let result = EndedRun()
        engine.startPrompt(
            PromptCode.library { [weak engine] question in
                guard case .string(let bytes) = question, let engine else { return .nil }
                let help = PromptHelp(engine.workDescriptions)
                return help.text(of: String(decoding: bytes, as: UTF8.self)).map { .text($0) } ?? .nil
            },
            script: source?.path ?? "-",
            namesScript: run.words.script != nil,
            interpreter: run.words.interpreter,
            arguments: run.words.scriptArguments
        ) { result.end($0) }
        guard session.start() else {
            engine.cancel()
            return monitor.wait { result.report }
        }
        let report = monitor.wait { result.report }
        session.end()
        return report
    }
}

/// The box that receives the report of a run.
private final class EndedRun: Sendable {
    private let box = Mutex<ScriptReport?>(nil)

    var report: ScriptReport? { box.withLock { $0 } }

    func end(_ report: ScriptReport) {
        box.withLock { $0 = report }
        WakePipe.call()
    }
}
