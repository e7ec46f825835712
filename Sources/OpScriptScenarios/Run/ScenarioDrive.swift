internal import OpScript
internal import Synchronization

/// One engine, from its making to its end.
struct ScenarioDrive {
    private let runner: ScenarioRunner
    private let file: ScenarioFile
    private let order: ScriptTable
    private let clock: ScriptEngine.Configuration.Clock
    private let choices: ChoiceSource?
    private let received = Received()

    init(
        _ runner: ScenarioRunner,
        _ file: ScenarioFile,
        order: ScriptTable,
        clock: ScriptEngine.Configuration.Clock,
        choices: ChoiceSource? = nil
    ) {
        self.choices = choices
        self.runner = runner
        self.file = file
        self.order = order
        self.clock = clock
    }

    private func makeEngine() -> ScriptEngine {
        var configuration = runner.configuration
        configuration.clock = clock
        configuration.installsSimulation = true
        // On the real clock chance is chance.
        configuration.seed = clock == .virtual ? runner.seed : nil
        configuration.scriptExecutor = .dedicatedThread
        configuration.control.choices = choices
        configuration.control.stepLimit = runner.stepLimit
        configuration.sliceLimit = .seconds(runner.timeLimit)
        configuration.keepsFinalizers = true
        configuration.standardOutput = { [received] in received.print($0) }
        configuration.standardError = { [received] in received.complain($0) }
        if let coverage = runner.coverage { configuration.coverage = { coverage.add($0) } }
        let engine = ScriptEngine(configuration)
        runner.register(engine)
        return engine
    }

    private var driver: ScriptDriver {
        ScriptDriver(chunks: Library.chunks, arguments: .table(order)) { [received] in received.take($0) }
    }

    /// Runs the file in a new engine while the calling thread waits.
    func performWaiting() -> ScenarioRun {
        let engine = makeEngine()
        let (waiter, outcome) = (Waiter(), Outcome())
        let start = ContinuousClock.now
        engine.start(
            source: file.source,
            named: file.chunkName,
            script: file.path,
            interpreter: [],
            arguments: [],
            driver: driver
        ) { report in
            outcome.report.withLock { $0 = report }
            waiter.signal()
        }
        if !waiter.wait(runner.timeLimit) {
            engine.expire("it did not end within \(seconds(runner.timeLimit))")
            if !waiter.wait(runner.grace) {
                engine.shutdown()
                _ = waiter.wait(runner.grace)
            }
        }
        let duration = (ContinuousClock.now - start).inSeconds
        engine.shutdown()
        let report = outcome.report.withLock { $0 }
        var run = received.run(report ?? ScriptReport(), duration: duration)
        run.isAbandoned = report == nil
        run.timeLimit = runner.timeLimit
        return run
    }

    /// Runs the file in a new engine.
    func perform() async -> ScenarioRun {
        let engine = makeEngine()
        let start = ContinuousClock.now
        let report: ScriptReport? = await withTaskCancellationHandler {
            await self.end(of: engine)
        } onCancel: {
            engine.cancel()
        }
        let duration = (ContinuousClock.now - start).inSeconds
        engine.shutdown()
        let isClosed = await Race.within(runner.grace) { await engine.waitUntilClosed() } != nil
        var run = received.run(report ?? ScriptReport(), duration: duration)
        run.isAbandoned = report == nil || !isClosed
        run.timeLimit = runner.timeLimit
        return run
    }

    /// What became of the run; nil where it does not end.
    private func end(of engine: ScriptEngine) async -> ScriptReport? {
        let driver = driver
        let (limit, grace) = (runner.timeLimit, runner.grace)
        let watch = Task {
            try await Task.sleep(for: .seconds(limit))
            engine.expire("it did not end within \(seconds(limit))")
            try await Task.sleep(for: .seconds(grace))
            engine.shutdown()
        }
        defer { watch.cancel() }
        return await Race.within(limit + 2 * grace) { [file] in
            await engine.report(
                source: file.source,
                named: file.chunkName,
                script: file.path,
                drivenBy: driver
            )
        }
    }
}

/// Where the end of a run arrives.
private final class Outcome: Sendable {
    let report = Mutex<ScriptReport?>(nil)
}

/// What a run has told, from whatever thread.
private final class Received: Sendable {
    private struct State {
        var events: [ScriptTable] = []
        var output: [UInt8] = []
        var diagnoses: [String] = []
    }

    private let state = Mutex(State())

    func print(_ bytes: [UInt8]) { state.withLock { $0.output += bytes } }

    func complain(_ line: String) { state.withLock { $0.diagnoses.append(line) } }

    func take(_ value: ScriptValue) {
        guard case .table(let table) = value else { return }
        state.withLock { state in
            // What the file printed while it was loaded is told when it is listed.
            if table.text("event") == "begun" { state.output = [] }
            state.events.append(table)
        }
    }

    func run(_ report: ScriptReport, duration: Double) -> ScenarioRun {
        state.withLock {
            ScenarioRun(
                events: $0.events,
                output: $0.output,
                diagnoses: $0.diagnoses,
                report: report,
                duration: duration
            )
        }
    }
}
