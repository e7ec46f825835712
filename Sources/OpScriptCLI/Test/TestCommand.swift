internal import Glibc
internal import OpScript
internal import OpScriptScenarios
internal import OpScriptSlurm
internal import OpScriptWorks
internal import Synchronization

/// `opscript test`: finds scenarios, runs them, and reports their results.
struct TestCommand {
    let identity: CommandIdentity
    /// Registers the works that the executable adds.
    let register: @Sendable (ScriptEngine) -> Void

    /// Runs the words behind `test`, and returns the exit status.
    func run(_ words: [String]) -> Int32 {
        switch CommandIdentity.$current.withValue(identity, operation: { TestOptions.parse(words) }) {
        case .options(let options): return run(options)
        case .information(let text):
            return Console.show(text + "\n", name: identity.name)
        case .usage(let text): return complain("\(text) See '\(identity.name) test --help'.")
        }
    }

    private func run(_ options: TestOptions) -> Int32 {
        for warning in options.warnings { _ = complain(warning) }
        let files: [ScenarioFile]
        do {
            files = try ScenarioFinder.find(options.roots, options.choice)
        } catch {
            return complain(error.message)
        }
        guard !files.isEmpty else {
            let places = options.roots.map { "'\($0)'" }.joined(separator: ", ")
            let names = options.patterns.isEmpty ? "*_scenario.lua or *_spec.lua" : "with such a name"
            return complain("there is no file \(names) in \(places)")
        }
        if let replay = options.replay, files.count > 1 {
            return complain(
                "--replay \(replay) is for a scenario of one file, and there are \(files.count): name the file"
            )
        }
        var coverageFile: OutputFile?
        if let path = options.coveragePath {
            coverageFile = OutputFile(path)
            if coverageFile == nil {
                return complain(SystemReason.cannotWrite(path, errno))
            }
        }
        var document: OutputFile?
        // A list is not a report.
        if options.output == .junit, options.handler == nil, !options.isListing,
            let path = options.handlerArguments.first
        {
            document = OutputFile(path)
            if document == nil { return complain(SystemReason.cannotWrite(path, errno)) }
        }
        var names: NameLog?
        if let path = options.successPath {
            names = NameLog(path)
            if names == nil { return complain(SystemReason.cannotWrite(path, errno)) }
        }
        guard let pipe = WakePipe() else {
            return complain("cannot make a pipe: \(SystemReason.describe(errno))")
        }
        pipe.watchSignals()
        // The text of a date must not depend on the time zone of the machine.
        setenv("TZ", "UTC", 1)
        tzset()
        let console = Console(callOwner: WakePipe.call)
        // On virtual time it is in memory, and nothing is left to close.
        let cluster = ClusterOpening.open(ClusterWishes(), command: identity.name, nil)
        defer { cluster.close(keepsFiles: false, waiting: 15) }
        var suite = ScenarioSuite(files: files, runner: runner(options, cluster))
        suite.selection = options.selection
        suite.order = options.order
        suite.order.hidesPending = options.hidesPending
        suite.tellsSlowest = options.tellsSlowest
        let outcome = Outcome()
        let hasDocument = document != nil
        let write: @Sendable ([UInt8]) -> Void = { bytes in
            if hasDocument {
                outcome.document.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
            } else {
                console.writeOutput(bytes)
            }
        }
        let task = Task.detached { [suite, names] in
            let summary =
                options.isListing
                ? await list(suite, options, console)
                : options.isWatching
                    ? await watch(suite, options, console, names, write)
                    : await perform(suite, options, console, names, write)
            outcome.summary.withLock { $0 = summary }
            WakePipe.call()
        }
        var monitor = TestMonitor(name: identity.name, pipe: pipe, console: console) { task.cancel() }
        let summary = monitor.wait { outcome.summary.withLock { $0 } }
        console.finish()
        console.leaveIfReaderIsGone()
        if let coverageFile, let report = suite.runner.coverage?.report(on: files),
            let code = coverageFile.finish(report.lcov(from: ScenarioFinder.currentFolder))
        {
            _ = complain("cannot write '\(options.coveragePath ?? "")': \(SystemReason.describe(code))")
            return ExitStatus.failure
        }
        if let code = document?.finish(outcome.document.withLock { $0 }) {
            _ = complain("cannot write '\(options.handlerArguments[0])': \(SystemReason.describe(code))")
            return ExitStatus.failure
        }
        if let code = names?.failure {
            _ = complain("cannot write '\(options.successPath ?? "")': \(SystemReason.describe(code))")
            return ExitStatus.failure
        }
        if let status = monitor.status { return status }
        if let replay = options.replay, !options.isListing, summary.isEmpty, summary.problems == 0 {
            return complain("no scenario has the number \(replay.index) there")
        }
        if let code = console.outputFailure {
            console.writeError(SystemReason.lostOutput(code, name: identity.name))
            return ExitStatus.failure
        }
        return summary.isGood ? ExitStatus.success : ExitStatus.failure
    }

    private func reporter(
        _ suite: ScenarioSuite,
        _ options: TestOptions,
        _ console: Console,
        _ write: @escaping @Sendable ([UInt8]) -> Void
    ) -> any ScenarioReporter {
        if let handler = options.handler {
            return HandlerReporter(handler, options.handlerArguments, suite.runner, write: write) {
                [identity] problem in console.writeError("\(identity.name): \(problem)")
            }
        }
        return switch options.output {
        case .readable: ReadableReporter(isColoured: Terminal.takesColours(STDOUT_FILENO), write: write)
        case .tap: TAPReporter(write: write)
        case .junit: JUnitReporter(write: write)
        case .json: JSONReporter(write: write)
        case .utfTerminal, .plainTerminal:
            DotsReporter(
                isPlain: options.output == .plainTerminal,
                isColoured: options.output == .utfTerminal && Terminal.takesColours(STDOUT_FILENO),
                write: write
            )
        }
    }

    private func perform(
        _ suite: ScenarioSuite,
        _ options: TestOptions,
        _ console: Console,
        _ names: NameLog?,
        _ write: @escaping @Sendable ([UInt8]) -> Void
    ) async -> ScenarioSummary {
        var reporter = reporter(suite, options, console, write)
        if let names { reporter = PassedNamesReporter(reporter) { names.append($0) } }
        let summary = await suite.run(&reporter)
        if let coverage = suite.runner.coverage { tell(coverage.report(on: suite.files), options, console) }
        if summary.isEmpty, summary.leftOut > 0, summary.problems == 0 {
            console.writeError("\(identity.name): no scenario was chosen: \(summary.leftOut) left out")
        }
        return summary
    }

    /// Runs all scenarios, then those that are affected by changes, until it is cancelled.
    private func watch(
        _ first: ScenarioSuite,
        _ options: TestOptions,
        _ console: Console,
        _ names: NameLog?,
        _ write: @escaping @Sendable ([UInt8]) -> Void
    ) async -> ScenarioSummary {
        var suite = first
        let modules = LoadedModules()
        suite.modules = modules
        var watch = TestWatch(suite.files.map(\.path), runsFailedFirst: options.runsFailedFirst)
        var rounds = [TestWatch.Round(files: watch.files)]
        var summary = ScenarioSummary()
        while !Task.isCancelled {
            watch.look(watch.watched(modules.modules), { FileStamp($0) })
            for round in rounds where !Task.isCancelled {
                var part = suite
                part.files = suite.files.filter { round.files.contains($0.path) }
                for name in round.names ?? [] {
                    try? part.selection.choose(pattern: "^\(LuaPattern.quoted(name))$")
                }
                summary = await perform(part, options, console, names, write)
                watch.ended(round, summary)
                if !summary.isGood { break }
            }
            // The loaded modules are known now; changes that were made during the run count, too.
            let paths = watch.watched(modules.modules)
            if rounds.count == 1, rounds[0].files.count == suite.files.count {
                watch.look(paths, { FileStamp($0) })
            }
            console.writeError("\(identity.name): waiting for a change of \(paths.count) files and folders")
            rounds = []
            while rounds.isEmpty, !Task.isCancelled {
                do { try await Task.sleep(for: .milliseconds(200)) } catch { break }
                let changed = watch.changed(watch.watched(modules.modules), { FileStamp($0) })
                if changed.isEmpty { continue }
                watch.look(watch.watched(modules.modules), { FileStamp($0) })
                do {
                    suite.files = try ScenarioFinder.find(options.roots, options.choice)
                } catch {
                    console.writeError("\(identity.name): \(error.message)")
                    continue
                }
                rounds = watch.rounds(after: changed, files: suite.files.map(\.path), modules.modules)
            }
        }
        return summary
    }

    /// Printed below readable results, and on standard error beside results for tools.
    private func tell(_ report: CoverageReport, _ options: TestOptions, _ console: Console) {
        if options.output == .readable {
            console.writeOutput(Array("\n\(report.text)".utf8))
        } else {
            console.writeError(report.text)
        }
    }

    private func list(_ suite: ScenarioSuite, _ options: TestOptions, _ console: Console) async
        -> ScenarioSummary
    {
        let lines = ScenarioList.lines(await suite.list(), options.output == .json ? .json : .readable)
        for line in lines.scenarios { console.writeOutput(Array("\(line)\n".utf8)) }
        for problem in lines.problems { console.writeError("\(identity.name): \(problem)") }
        var summary = ScenarioSummary()
        summary.problems = lines.problems.count
        return summary
    }

    private func runner(_ options: TestOptions, _ cluster: SlurmExecutor) -> ScenarioRunner {
        var configuration = ScriptEngine.Configuration()
        configuration.clusters["slurm"] = cluster
        configuration.installsSimulation = true
        configuration.libraries = .all
        configuration.redactedVariables = CommandOptions.usualSecrets
        configuration.capabilities = .all
        var runner = ScenarioRunner(configuration: configuration) { [register] engine in
            engine.registerStandardWorks()
            register(engine)
        }
        runner.timeLimit = options.timeout
        runner.project = options.project
        runner.isolates = options.isIsolating
        runner.checksDeterminism = options.checksDeterminism
        runner.isReal = options.isReal
        runner.seed = options.seed
        if options.measuresCoverage { runner.coverage = CoverageCollector() }
        runner.exploration = options.exploration
        runner.replay = options.replay
        let isExplored = options.exploration != nil || options.replay != nil
        runner.stepLimit = options.maxSteps ?? (isExplored ? ExplorationOptions.stepLimit : nil)
        if let maxSteps = options.maxSteps { runner.replayOptions += ["--max-steps", "\(maxSteps)"] }
        if let maxTime = options.maxTime {
            runner.virtualLimit = maxTime
            runner.replayOptions += ["--max-time", "\(maxTime)"]
        }
        return runner
    }

    private func complain(_ text: String) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return ExitStatus.usage
    }
}

/// The box that receives the end.
private final class Outcome: Sendable {
    let summary = Mutex<ScenarioSummary?>(nil)
    /// The last document for a file.
    let document = Mutex("")
}
