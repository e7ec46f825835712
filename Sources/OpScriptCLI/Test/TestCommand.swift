internal import Glibc
internal import OpScript
internal import OpScriptScenarios
internal import OpScriptWorks
internal import Synchronization

/// `opscript test`: finds scenarios, runs them, and tells what became of them.
struct TestCommand {
    let identity: CommandIdentity
    /// Registers the works that the executable adds.
    let register: @Sendable (ScriptEngine) -> Void

    /// Runs the words behind `test`, and gives the exit status.
    func run(_ words: [String]) -> Int32 {
        switch CommandIdentity.$current.withValue(identity, operation: { TestOptions.parse(words) }) {
        case .options(let options): return run(options)
        case .information(let text):
            let console = Console(callOwner: {})
            console.writeOutput(Array("\(text)\n".utf8))
            console.finish()
            return ExitStatus.success
        case .usage(let text): return complain("\(text) See '\(identity.name) test --help'.")
        }
    }

    private func run(_ options: TestOptions) -> Int32 {
        let files: [ScenarioFile]
        do {
            files = try ScenarioFinder.find(options.paths)
        } catch {
            return complain(error.message)
        }
        guard !files.isEmpty else {
            let places = options.paths.map { "'\($0)'" }.joined(separator: ", ")
            return complain("there is no file *_scenario.lua or *_spec.lua in \(places)")
        }
        guard let pipe = WakePipe() else {
            return complain("cannot make a pipe: \(SystemReason.describe(errno))")
        }
        pipe.watchSignals()
        let console = Console(callOwner: WakePipe.call)
        let suite = ScenarioSuite(files: files, runner: runner(options))
        let outcome = Outcome()
        let isColoured = Terminal.canRedraw(STDOUT_FILENO)
        let task = Task.detached {
            var reporter = ReadableReporter(isColoured: isColoured) { console.writeOutput($0) }
            let summary = await suite.run(&reporter)
            outcome.summary.withLock { $0 = summary }
            WakePipe.call()
        }
        var monitor = TestMonitor(name: identity.name, pipe: pipe, console: console) { task.cancel() }
        let summary = monitor.wait { outcome.summary.withLock { $0 } }
        console.finish()
        if let status = monitor.status { return status }
        return summary.isGood && console.outputFailure == nil ? ExitStatus.success : ExitStatus.failure
    }

    private func runner(_ options: TestOptions) -> ScenarioRunner {
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = .all
        var runner = ScenarioRunner(configuration: configuration) { [register] engine in
            engine.registerStandardWorks()
            register(engine)
        }
        runner.timeLimit = options.timeout
        return runner
    }

    private func complain(_ text: String) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return ExitStatus.usage
    }
}

/// Where the end arrives.
private final class Outcome: Sendable {
    let summary = Mutex<ScenarioSummary?>(nil)
}
