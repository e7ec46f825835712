internal import LuaVM
internal import Scheduling

/// A Lua state with a scheduler behind it: what a host embeds.
///
/// All Lua code runs on one thread at a time: one of ``ScriptThreads``, a thread of the engine's own, the
/// main actor, or a loop of the host's (``Configuration/scriptExecutor``). The engine itself may be used from
/// any thread. When the last reference to the engine is released, running Lua code is interrupted and the Lua
/// state is closed.
///
/// ```swift
/// let engine = ScriptEngine()
/// engine.register("square") { (number: Int) in number * number }
/// let report = try await engine.run(code: "print(await(work.square(7)))")
/// ```
public final class ScriptEngine: Sendable {
    let configuration: Configuration
    let catalogue = WorkCatalogue()
    let link: ScriptLink
    let runner: any ScriptRunner

    /// The values that no text shows.
    package var secrets: Secrets { link.secrets }

    var adoptedQueues: AdoptedQueueTable { link.adoptedQueues }

    /// Counts the processes of the engine's scripts.
    package var programDisplay: (any ProgramDisplay)? { configuration.programDisplay }

    /// How many Swift closures run at once in all; nil for no limit.
    package var jobLimit: Int? { configuration.jobLimit }

    package var processCounter: UsageCounter { link.meter.processes }

    /// Makes an engine; its Lua state is made by the first request.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration) { parts in
            switch configuration.scriptExecutor {
            case .dedicatedThread: ScriptThread(parts)
            case .threads(let threads): ThreadVisitor(parts, threads)
            case .mainActor: MainActorScriptRunner(parts)
            case .manual: ManualScriptRunner(parts)
            }
        }
    }

    init(_ configuration: Configuration, runner makeRunner: (RuntimeSettings) -> any ScriptRunner) {
        var configuration = configuration
        if configuration.clock == .manual { configuration.control.startDate = WallClock.systemNow }
        self.configuration = configuration
        link = ScriptLink(configuration)
        runner = makeRunner(RuntimeSettings(configuration: configuration, catalogue: catalogue, link: link))
        link.attach(runner)
        registerOwnWorks()
    }

    deinit {
        shutdown()
    }

    // MARK: Running

    /// Runs a script from a file and waits for its end: the moment when nothing is left that could still run.
    ///
    /// Runs of one engine share one Lua state, so globals stay. A second run begins after the end of the first.
    /// Called inside a closure that this engine has called, it throws code `misuse`: it would wait for that closure.
    /// Cancelling the task that waits here cancels the run, as ``cancel(signal:)`` does.
    /// - Throws: ``ScriptError`` if the file cannot be read or does not compile (code `syntax`), and for an
    ///   error that ended the main chunk or was not caught in a callback, a limit, or a deadlock. If the run
    ///   was cancelled before its end, the code is always `cancelled`, even if the script caught the
    ///   cancellation; an error of the script is then the `underlying` one. ``ScriptError/report`` has the
    ///   report. Failed operations are not an error; the report lists them.
    public func run(file: String, arguments: [String] = []) async throws -> ScriptReport {
        try EngineScope.refuseRequest("run", for: link)
        let source: [UInt8]
        do throws(SystemFailure) {
            source = try SourceFile.read(file)
        } catch {
            throw ScriptError(.host, "cannot read '\(file)': \(SourceFile.reason(error))")
        }
        return try throwing(
            await report(
                source: source,
                named: "@\(file)",
                script: file,
                interpreter: [],
                arguments: arguments
            )
        )
    }

    /// Runs source text and waits for its end.
    ///
    /// - Parameters:
    ///   - source: The text of a script.
    ///   - name: The name in error messages: `@job.lua` for a file, `=name` for anything else.
    ///   - arguments: The values that the script finds in `arg` and `...`.
    public func run(_ source: [UInt8], named name: String, arguments: [String] = []) async throws
        -> ScriptReport
    {
        try EngineScope.refuseRequest("run", for: link)
        return try throwing(
            await report(source: source, named: name, script: nil, interpreter: [], arguments: arguments)
        )
    }

    /// The same for text.
    public func run(_ source: String, named name: String, arguments: [String] = []) async throws
        -> ScriptReport
    {
        try await run(Array(source.utf8), named: name, arguments: arguments)
    }

    /// The same for text in the program itself.
    public func run(code: String, named name: String = "=code", arguments: [String] = []) async throws
        -> ScriptReport
    {
        try await run(Array(code.utf8), named: name, arguments: arguments)
    }

    private func throwing(_ report: ScriptReport) throws -> ScriptReport {
        if report.wasCancelled {
            var error = ScriptError(
                .cancelled,
                "the run was cancelled before its end",
                underlying: CancellationError()
            )
            if let cause = report.error, cause.code != .cancelled { error.underlying = cause }
            throw error.with(report)
        }
        if let error = report.error { throw error.with(report) }
        return report
    }

    /// Runs a script to its end; the report contains the error that ended it. For commands.
    ///
    /// - Parameter ended: Called when it has ended, on any thread: before the task that waits continues, which may take
    ///   long in a busy process.
    package func report(
        source: [UInt8],
        named name: String,
        script: String?,
        interpreter: [String],
        arguments: [String],
        driver: ScriptDriver? = nil,
        ended: @escaping @Sendable () -> Void = {}
    ) async -> ScriptReport {
        let telemetry = RunTelemetry(TelemetryBackends.current(configuration.logger), named: name)
        let request = RunRequest(
            source: source,
            name: name,
            script: script,
            interpreter: interpreter,
            arguments: arguments,
            tasks: TaskSpawner(link),
            backends: telemetry?.backends,
            driver: driver
        )
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.onCompletion {
                    telemetry?.ended($0)
                    ended()
                    continuation.resume(returning: $0)
                }
                submit(request)
            }
        } onCancel: {
            link.cancel(request)
        }
    }

    /// Submits a script; when it has run, `completion` is called with its report, on any thread. For commands, whose
    /// words were made by ``RawText``.
    package func start(
        source: [UInt8],
        named name: String,
        script: String?,
        namesScript: Bool = true,
        interpreter: [String],
        arguments: [String],
        texts: [[UInt8]]? = nil,
        driver: ScriptDriver? = nil,
        completion: @escaping @Sendable (ScriptReport) -> Void
    ) {
        let request = RunRequest(
            source: source,
            name: name,
            script: script,
            namesScript: namesScript,
            interpreter: interpreter,
            arguments: arguments,
            hasRawWords: true,
            texts: texts,
            backends: TelemetryBackends.current(configuration.logger),
            driver: driver
        )
        request.onCompletion(completion)
        submit(request)
    }

    func submit(_ request: RunRequest) {
        if link.isDraining { return request.refuse(link.isStopped ? .engineIsGone : .engineIsDraining) }
        if link.request(request) { runner.start() } else { request.refuse(.engineIsGone) }
    }

    // MARK: Ending

    /// Cancels the current run and all requests made until now, and lets completion blocks run, as the first
    /// Ctrl-C does.
    ///
    /// Later requests are not affected; without a run and requests it has no effect. Call it from any thread.
    /// - Parameter signal: The signal for which the host cancels; ``ScriptReport/exitCode`` is 128 more. Default:
    ///   SIGINT.
    public func cancel(signal: Int32 = 2) {
        link.cancel(signal: signal)
    }

    /// Lets everything that has begun or was requested end, and then ends the engine. New requests throw
    /// ``ScriptError`` with code `host` meanwhile.
    ///
    /// A host that polls has to continue polling until this returns.
    /// - Parameter timeout: How long to wait for that; then everything that still runs is abandoned, as by
    ///   ``shutdown()``. The same happens if the calling task is cancelled. nil, the default: any time.
    /// - Returns: Whether everything has ended by itself.
    @discardableResult
    public func drain(timeout: Duration? = nil) async -> Bool {
        link.drain()
        runner.start()
        return await Draining.wait(timeout: timeout, orElse: { shutdown() }) { await self.waitUntilClosed() }
    }

    /// Ends the engine for good: everything that runs is abandoned, even Lua code that never waits, and the Lua state
    /// is closed.
    ///
    /// Returns at once; ``waitUntilClosed()`` waits for the state to be closed. Every later request, and every request
    /// that has not ended, throws ``ScriptError`` with code `host`. A second call does nothing. Call it from any
    /// thread.
    public func shutdown() {
        if link.stop() { runner.stop() }
    }

    /// Returns once the engine has been shut down, its Lua state is closed, and its workers without work have ended.
    ///
    /// By then, all host objects of scripts are released. The thread of the script ends right after that, and
    /// a worker that still runs a closure ends after the closure.
    ///
    /// A host that polls has to continue polling until then, unless no poll is in progress when
    /// ``shutdown()`` is called.
    public func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            link.whenClosed { continuation.resume() }
        }
    }

    /// Calls a handler, on any thread, when ``waitUntilClosed()`` returns.
    package func whenClosed(_ handler: @escaping @Sendable () -> Void) { link.whenClosed(handler) }

    /// The release of Lua that runs scripts, and its copyright, as `lua -v` prints them.
    package static var luaCopyright: String { LuaVM.copyright }

    /// Whether ``waitUntilClosed()`` has nothing to wait for any more. From any thread.
    package var isClosed: Bool { link.isClosed }

    /// The progress of the run; needs ``Configuration/tracksStatus``. Read it from any thread.
    public var status: ScriptStatus { link.status }

    /// The run's use of memory, output and operations so far, at most a tenth of a second old; needs
    /// ``Configuration/tracksStatus``. Read it from any thread.
    public var usage: ScriptUsage { link.status.usage }

    /// The works that belong to the contract itself.
    private func registerOwnWorks() {
        register(
            "sleep",
            "Ends after some seconds; holds no thread.",
            parameters: ["seconds"],
            onVirtualTime: .sleep,
            recording: .never
        ) { (seconds: Double) throws -> Double in
            guard seconds >= 0, seconds.isFinite else {
                throw ScriptError(.argument, "a finite number of at least 0 expected, got \(seconds)")
            }
            return seconds
        }
    }
}
