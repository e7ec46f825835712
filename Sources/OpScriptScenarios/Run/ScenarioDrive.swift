internal import OpScript
internal import Synchronization

/// One engine, from its creation to its end.
struct ScenarioDrive {
    private let runner: ScenarioRunner
    private let file: ScenarioFile
    private let order: ScriptTable
    private let clock: ScriptEngine.Configuration.Clock
    private let choices: ChoiceSource?
    private let trace: KeptTrace?
    private let received: RunReceiver
    private let chunks: [ScriptDriver.Chunk]

    /// - Parameter hear: Called on the script thread with each message of the library, and the output before
    ///   it; if it is set, neither is kept.
    init(
        _ runner: ScenarioRunner,
        _ file: ScenarioFile,
        order: ScriptTable,
        clock: ScriptEngine.Configuration.Clock,
        choices: ChoiceSource? = nil,
        trace: KeptTrace? = nil,
        chunks: [ScriptDriver.Chunk] = Library.chunks,
        hear: (@Sendable (RunReceiver.Told) -> Void)? = nil
    ) {
        self.choices = choices
        self.trace = trace
        self.chunks = chunks
        self.runner = runner
        self.file = file
        self.order = order
        self.clock = clock
        received = RunReceiver(hear)
    }

    private func makeEngine() -> ScriptEngine {
        var configuration = runner.configuration
        configuration.clock = clock
        configuration.installsSimulation = true
        // On the real clock, randomness has no seed.
        configuration.seed = clock == .virtual ? runner.seed : nil
        configuration.scriptExecutor = .dedicatedThread
        configuration.control.choices = choices
        configuration.control.stepLimit = runner.stepLimit
        // Runs that are compared, or repeated by a schedule, have the same dates each time.
        configuration.control.beginsAtRealDate = choices == nil && !runner.hasFixedDate
        if let trace { configuration.traceBytes = { trace.append($0) } }
        configuration.sliceLimit = .seconds(runner.timeLimit)
        configuration.keepsFinalizers = true
        configuration.standardOutput = { [received] in received.print($0) }
        configuration.standardError = { [received] in received.complain($0) }
        if let coverage = runner.coverage { configuration.coverage = { coverage.add($0) } }
        let engine = ScriptEngine(configuration)
        if configuration.libraries == .all { FileSystemFunctions.register(engine) }
        runner.register(engine)
        return engine
    }

    private var driver: ScriptDriver {
        ScriptDriver(chunks: chunks, arguments: .table(order)) { [received] in received.take($0) }
    }

    /// Starts the file in a new engine; its end is reported on the script thread.
    func start(_ ended: @escaping @Sendable (ScriptReport) -> Void) -> ScriptEngine {
        let engine = makeEngine()
        engine.start(
            source: file.source,
            named: file.chunkName,
            script: file.path,
            interpreter: [],
            arguments: [],
            driver: driver,
            completion: ended
        )
        return engine
    }

    /// Runs the file in a new engine while the calling thread waits.
    func performWaiting() -> ScenarioRun {
        let (waiter, outcome) = (Waiter(), Outcome())
        let start = ContinuousClock.now
        let engine = self.start { report in
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
        var (run, closing) = await performLeavingEngine()
        if !(await closing.value) { run.isAbandoned = true }
        return run
    }

    /// The same without waiting until the engine is closed; the task returns whether the closing has ended.
    func performLeavingEngine() async -> (ScenarioRun, Task<Bool, Never>) {
        let engine = makeEngine()
        let start = ContinuousClock.now
        let report: ScriptReport? = await withTaskCancellationHandler {
            await self.end(of: engine)
        } onCancel: {
            engine.cancel()
        }
        let duration = (ContinuousClock.now - start).inSeconds
        engine.shutdown()
        let grace = runner.grace
        let closing = Task.detached {
            // In a busy process the task that waits may continue long after the engine was closed.
            await Race.within(grace) { await engine.waitUntilClosed() } != nil || engine.isClosed
        }
        var run = received.run(report ?? ScriptReport(), duration: duration)
        run.isAbandoned = report == nil
        run.timeLimit = runner.timeLimit
        return (run, closing)
    }

    /// The result of the run; nil if it does not end.
    private func end(of engine: ScriptEngine) async -> ScriptReport? {
        let driver = driver
        let (limit, grace) = (runner.timeLimit, runner.grace)
        return await Race.until { [received] in
            // Each scenario has its own time limit, and so has the code between two scenarios.
            while true {
                let now = ContinuousClock.now
                let left = limit - (now - (received.phaseBegan ?? now)).inSeconds
                if left <= 0 { break }
                try await Task.sleep(for: .seconds(left))
            }
            engine.expire("it did not end within \(seconds(limit))")
            try await Task.sleep(for: .seconds(grace))
            if !received.hasEnded {
                engine.shutdown()
                try await Task.sleep(for: .seconds(grace))
            }
            // A run that has ended has a report; only the task that waits for it has not continued.
            while received.hasEnded { try await Task.sleep(for: .seconds(grace)) }
        } _: { [file, received] in
            received.begins()
            return await engine.report(
                source: file.source,
                named: file.chunkName,
                script: file.path,
                drivenBy: driver,
                ended: { received.ends() }
            )
        }
    }
}

/// The box that receives the end of a run.
private final class Outcome: Sendable {
    let report = Mutex<ScriptReport?>(nil)
}
