internal import Glibc
public import OpScript
internal import OpScriptRecord
internal import OpScriptScenarios
internal import OpScriptWorks

/// The command `opscript`, for executables that add works of their own.
///
/// ```swift
/// import OpScript
/// import OpScriptCLI
///
/// OpScriptCommand.main(name: "greeter", version: "1.0") { engine in
///     engine.register("greet") { (name: String) throws -> String in "hello, \(name)" }
/// }
/// ```
///
/// The name appears in the usage and in front of each diagnosis.
///
/// The works of the command are registered first; `register` may add to them. It is called for each engine
/// that the command makes, on any thread: one for a script, one for each scenario of `opscript test`.
public struct OpScriptCommand {
    /// The version of the package, as `opscript --version` prints it.
    public static let version = "0.1.0"

    /// Its name in the usage and in diagnoses.
    public var name: String
    /// The version that `--version` prints after the name.
    public var version: String
    /// Registers the works that the executable adds.
    public var register: @Sendable (ScriptEngine) -> Void

    /// Makes the command.
    public init(
        name: String = "opscript",
        version: String = OpScriptCommand.version,
        register: @escaping @Sendable (ScriptEngine) -> Void = { _ in }
    ) {
        self.name = name
        self.version = version
        self.register = register
    }

    var identity: CommandIdentity { CommandIdentity(name: name, version: version) }

    /// Runs the command line of this process, and ends the process with the status of the run.
    ///
    /// Call it on the main thread, before other threads are started.
    /// - Parameters:
    ///   - name: The name of the command in the usage and in diagnoses.
    ///   - version: The version that `--version` prints after the name.
    ///   - register: Registers the works that the executable adds.
    public static func main(
        name: String = "opscript",
        version: String = OpScriptCommand.version,
        register: @escaping @Sendable (ScriptEngine) -> Void = { _ in }
    ) -> Never {
        MemoryRoom.saveAddresses()
        ProcessRegistry.shared.ownChildren()
        // `CommandLine.arguments` replaces what is not UTF-8.
        let words = (0..<Int(CommandLine.argc)).compactMap { place in
            CommandLine.unsafeArgv[place].map { RawText.text(ofCString: $0) }
        }
        let status = OpScriptCommand(name: name, version: version, register: register).run(words)
        // The run has its status. A signal from now on only makes the end quicker: no program is left behind.
        ProcessRegistry.shared.endAll(signals: WakePipe.takeOver(), isUrgent: WakePipe.hasEnd)
        leave(status)
    }

    /// Runs a command line, whose first word is the program, and returns the exit status of the run.
    ///
    /// It owns the process meanwhile: signals, standard output and standard error. A second Ctrl-C ends the process.
    public func run(_ words: [String]) -> Int32 {
        Terminal.occupyStandardDescriptors()
        if words.count > 1, words[1] == "test" {
            return TestCommand(identity: identity, register: register).run(Array(words.dropFirst(2)))
        }
        if words.count > 1, words[1] == "works" {
            return WorksCommand(identity: identity, register: register).run(Array(words.dropFirst(2)))
        }
        if words.count > 1, words[1] == "journal" {
            return JournalCommand(identity: identity).run(Array(words.dropFirst(2)))
        }
        if words.count > 1, words[1] == "worker" {
            return WorkerCommand(identity: identity, register: register).run(Array(words.dropFirst(2)))
        }
        if words.count > 1, words[1] == "jobs" {
            return JobsCommand(identity: identity).run(Array(words.dropFirst(2)))
        }
        if words.count > 1, words[1] == "editor-support" {
            return EditorSupportCommand(identity: identity, register: register).run(Array(words.dropFirst(2)))
        }
        if words.count > 1, words[1] == ShellCompletion.word {
            return show(
                ShellCompletion.lines(Array(words.dropFirst(2)), for: identity).joined(separator: "\n")
            )
        }
        let words = CommandLineWords(words)
        switch CommandOptions.parse(words.options, for: self) {
        case .options(let options):
            return run(words, options)
        case .information(let text):
            return show(text)
        case .usage(let text):
            return complain("\(text) See '\(name) --help'.", ExitStatus.usage)
        }
    }

    /// Ends the process now; the processes that works have started do not outlive it.
    static func leave(_ status: Int32) -> Never {
        JournalOpening.processEnds()
        ProcessRegistry.shared.killAll()
        Terminal.restoreSettings()
        // This is not `exit`: bodies may still be running, and may still use objects that `exit` would
        // destroy.
        _exit(status)
    }

    private func run(_ words: CommandLineWords, _ options: CommandOptions) -> Int32 {
        if options.showsRelease {
            let status = show("\(name) \(version), \(ScriptEngine.luaCopyright)")
            guard status == ExitStatus.success else { return status }
        }
        let pieces = (options.ignoresEnvironment ? [] : StartPiece.ofEnvironment) + words.pieces
        let hasScript = words.script != nil || !pieces.isEmpty
        let readsInput =
            words.script == nil && options.code.isEmpty && !options.showsRelease && !options.isInteractive
        let usesPrompt = options.isInteractive || readsInput && Terminal.isAttached(to: STDIN_FILENO)
        if !hasScript, !readsInput, !usesPrompt { return ExitStatus.success }
        if options.listsDeclarations, words.script == nil, options.code.isEmpty {
            return complain("--list needs a script. See '\(name) --help'.", ExitStatus.usage)
        }
        if options.journal.watches, words.script == nil || words.namesStandardInput {
            return complain("--watch needs a script in a file. See '\(name) --help'.", ExitStatus.usage)
        }
        // Before it is read: a later change is one that the first run has not seen.
        let scriptStamp = words.script.flatMap { FileStamp($0) }
        let source: ScriptSource
        var durations: OperationDurations?
        do throws(ScriptSource.Unusable) {
            source =
                try usesPrompt && !hasScript
                ? .none : Self.source(words, pieces, readsInput: readsInput && !usesPrompt)
            durations = try options.durationsPath.map { path throws(ScriptSource.Unusable) in
                try self.durations(path, options)
            }
        } catch {
            return complain(error.message, ExitStatus.failure)
        }
        guard let pipe = WakePipe() else {
            return complain("cannot make a pipe: \(SystemReason.describe(errno))", ExitStatus.failure)
        }
        pipe.watchSignals()
        var traceFile: TraceFile?
        if let path = options.simulation.tracePath {
            traceFile = TraceFile(path)
            if traceFile == nil {
                return complain(SystemReason.cannotWrite(path, errno), ExitStatus.failure)
            }
        }
        var reports: [ReportFile] = []
        do throws(ReportFile.Failure) {
            for path in options.record.reports { reports.append(try ReportFile(path)) }
        } catch {
            return complain(error.message, ExitStatus.failure)
        }
        var dashboard: Dashboard?
        if let address = options.record.dashboard {
            let page = Dashboard(isKept: options.record.keepsDashboard)
            do throws(Dashboard.Failure) {
                _ = complain("the page of this run is at \(try page.serve(at: address))", ExitStatus.success)
            } catch {
                return complain(error.message, ExitStatus.failure)
            }
            dashboard = page
        }
        if let plan = options.simulation.exploration {
            return ExploringRun(
                name: name,
                words: words,
                options: options,
                source: source,
                pipe: pipe,
                plan: plan
            )
            .perform(register)
        }
        let first = KeptTrace()
        let run = SingleRun(
            name: name,
            words: words,
            options: options,
            source: source,
            pipe: pipe,
            dashboard: dashboard,
            durations: durations
        )
        if options.listsDeclarations { return list(run, words) }
        if usesPrompt {
            return finish(
                PromptRun(run: run, source: hasScript ? source : nil).perform(register),
                run,
                reports
            )
        }
        var status = run.perform(register, trace: first, traceFile: traceFile)
        if !options.isQuiet,
            let option = MisplacedOption.find(
                in: words.scriptArguments,
                of: source,
                after: status,
                names: { Set(OptionList(of: CommandArguments.self, identity).names) }
            )
        {
            _ = complain(MisplacedOption.hint(option), status.code)
        }
        if options.journal.watches, let script = words.script {
            status.finishJournal(name)
            var rounds = WatchedRun(script: script, asRead: scriptStamp, run: run, pipe: pipe)
            return rounds.perform(
                after: status,
                read: { () throws(ScriptSource.Unusable) in
                    try Self.source(words, pieces, readsInput: false)
                },
                register
            )
        }
        if let record = status.record, !show(record, status, options, reports) {
            status.code = max(status.code, ExitStatus.failure)
        }
        if let misfit = status.misfit, status.interruption == nil {
            _ = complain("the schedule does not fit this run: \(misfit)", status.code)
            status.code = ExitStatus.failure
        }
        if options.simulation.checksDeterminism, status.interruption == nil {
            let second = KeptTrace()
            let again = Terminal.withoutOutput {
                run.perform(register, trace: second, traceFile: nil, isSilent: true)
            }
            if again.interruption == nil {
                status.code = report(KeptTrace.difference(first, second), of: first, status.code, options)
            } else {
                status = again
            }
        }
        if let code = traceFile?.close() {
            status.code = complain(
                "cannot write the trace: \(SystemReason.describe(code))",
                ExitStatus.failure
            )
        }
        status.finishJournal(name)
        if let dashboard {
            if dashboard.isKept { _ = complain("the page stays until Ctrl-C", status.code) }
            dashboard.finish(pipe)
        }
        return status.code
    }

    /// Writes what was requested of a session at the prompt, and returns the exit status.
    private func finish(_ status: SingleRun.Status, _ run: SingleRun, _ reports: [ReportFile]) -> Int32 {
        if let dashboard = run.dashboard { dashboard.finish(run.pipe) }
        guard let record = status.record, !show(record, status, run.options, reports) else {
            return status.code
        }
        return max(status.code, ExitStatus.failure)
    }

    /// Lists the arguments and tasks of a script, and returns the exit status. Its own output is dropped.
    private func list(_ run: SingleRun, _ words: CommandLineWords) -> Int32 {
        let status = Terminal.withoutOutput { run.perform(register, trace: KeptTrace(), traceFile: nil) }
        guard let text = status.declarations else {
            if status.code != ExitStatus.success { return status.code }
            return complain("'\(words.script ?? "-e")' declares no arguments and no tasks", status.code)
        }
        return max(status.code, Console.show(text, name: name))
    }

    /// Writes the requested outputs of the record of a run; false if a file could not be written.
    private func show(
        _ record: RunRecord,
        _ status: SingleRun.Status,
        _ options: CommandOptions,
        _ reports: [ReportFile]
    ) -> Bool {
        let console = Console(callOwner: {})
        var isWhole = true
        if options.record.isPlan, reports.isEmpty, let end = status.planEnd {
            let lines = PlanText.lines(record, end: end)
            isWhole = Console.show(lines.joined(separator: "\n") + "\n", name: name) == ExitStatus.success
        }
        if options.record.showsProfile {
            for line in ProfileText.lines(record, name: name) { console.writeError(line) }
        }
        for report in reports {
            do throws(ReportFile.Failure) {
                try report.write(record)
            } catch {
                console.writeError("\(name): \(error.message)")
                isWhole = false
            }
        }
        return isWhole
    }

    /// Prints the result of the comparison of two runs, and returns the exit status.
    private func report(
        _ difference: String?,
        of record: KeptTrace,
        _ status: Int32,
        _ options: CommandOptions
    ) -> Int32 {
        if let difference { return complain(difference, max(status, ExitStatus.failure)) }
        if !options.isQuiet {
            _ = complain("two runs, the same trace (lines: \(record.count))", status)
        }
        return status
    }

    /// The durations in the record of an earlier run; none if the file does not exist, as before the first run.
    private func durations(
        _ path: String,
        _ options: CommandOptions
    ) throws(ScriptSource.Unusable) -> OperationDurations {
        if access(path, F_OK) != 0, errno == ENOENT {
            if !options.isQuiet {
                _ = complain("no durations are known yet: '\(path)' does not exist", ExitStatus.success)
            }
            return OperationDurations()
        }
        let text = try ScriptSource.bytes(ofFile: path)
        do throws(ScriptError) {
            return try OperationDurations(jsonLines: text)
        } catch {
            throw ScriptSource.Unusable(message: "cannot use '\(path)' for --longest-first: \(error.message)")
        }
    }

    private static func source(
        _ words: CommandLineWords,
        _ pieces: [StartPiece],
        readsInput: Bool
    ) throws(ScriptSource.Unusable) -> ScriptSource {
        var script: ScriptSource?
        if words.namesStandardInput || readsInput {
            script = try .standardInput()
        } else if let path = words.script {
            script = try .file(path)
        }
        return try .joined(pieces, then: script, takesArguments: words.script != nil)
    }

    private func show(_ text: String) -> Int32 {
        Console.show(text + "\n", name: name)
    }

    private func complain(_ text: String, _ status: Int32) -> Int32 {
        Console(callOwner: {}).writeError("\(name): \(text)")
        return status
    }
}
