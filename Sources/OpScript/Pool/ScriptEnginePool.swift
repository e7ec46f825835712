internal import Scheduling
internal import Synchronization

/// Engines with the same works, prepared in advance, for programs that run many scripts: a server that runs
/// one for each request.
///
/// Each run has an engine, and so a Lua state, of its own: no global, module, timer, queue or operation of
/// one run can reach another one. The pool makes the engines before they are needed, with everything that
/// `prepare` registers, and closes them after their run. At most ``count`` runs are in progress at once;
/// others wait, first come, first served.
///
/// ```swift
/// let pool = ScriptEnginePool(.untrusted, count: 4) { engine in
///     engine.register("square") { (number: Int) in number * number }
/// }
/// let report = try await pool.run(code: "print(await(work.square(7)))") { bytes in output.append(bytes) }
/// ```
///
/// Use it from any thread. When the last reference is released, runs in progress end as by ``shutdown()``.
public final class ScriptEnginePool: Sendable {
    /// Receives the output of a run, on the script thread of its engine.
    public typealias Output = @Sendable ([UInt8]) -> Void

    private let configuration: ScriptEngine.Configuration
    private let prepare: @Sendable (ScriptEngine) -> Void
    private let state: Mutex<State>
    private let chores = PoolChores()

    /// Guarded by `state`.
    private struct State {
        var machine: PoolMachine<Waiter, Member>
        var running: [ObjectIdentifier: Member] = [:]
        /// Called when no run is in progress and none waits.
        var whenQuiet: [@Sendable () -> Void] = []
    }

    private typealias Waiter = CheckedContinuation<Member, any Error>

    /// An engine with the switch for its output.
    private final class Member: Sendable {
        let engine: ScriptEngine
        let output: OutputSwitch

        init(_ engine: ScriptEngine, _ output: OutputSwitch) {
            self.engine = engine
            self.output = output
        }
    }

    /// The receiver of an engine's output, which is known only when its run begins.
    private final class OutputSwitch: Sendable {
        let sink = Mutex<Output?>(nil)
    }

    /// Makes a pool, and the first engines in the background.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of each engine; its limits hold for each run. Its script executor
    ///     cannot be `.manual`: nothing would poll the engines.
    ///   - count: How many runs may be in progress at once, at least 1; default: the number of cores.
    ///   - prepare: Registers works, functions and types with a new engine; called on any thread, for each engine anew.
    public init(
        _ configuration: ScriptEngine.Configuration = ScriptEngine.Configuration(),
        count: Int? = nil,
        prepare: @escaping @Sendable (ScriptEngine) -> Void = { _ in }
    ) {
        precondition(
            configuration.scriptExecutor != .manual,
            "nothing polls the engines of a pool: leave configuration.scriptExecutor as it is"
        )
        self.configuration = configuration
        self.prepare = prepare
        state = Mutex(State(machine: PoolMachine(count: count ?? SystemThread.coreCount)))
        perform(state.withLock { $0.machine.warmUp() })
    }

    deinit { shutdown() }

    /// How many runs may be in progress at once.
    public var count: Int { state.withLock { $0.machine.count } }

    /// How many runs are in progress now.
    public var runningCount: Int { state.withLock { $0.machine.runningCount } }

    /// How many runs wait for their turn.
    public var waitingCount: Int { state.withLock { $0.machine.waitingCount } }

    // MARK: Runs

    /// Runs source text in an engine of its own and waits for its end, or first for its turn.
    ///
    /// - Parameters:
    ///   - code: The text of the script.
    ///   - name: The name in error messages: `@job.lua` for a file, `=name` for anything else.
    ///   - arguments: The values that the script finds in `arg` and `...`.
    ///   - output: Receives the output of `print` and `io.write` of this run; nil, the default, for the
    ///     configuration's receiver.
    /// - Throws: As ``ScriptEngine/run(code:named:arguments:)``; code `cancelled` also for a task that is cancelled
    ///   while it waits for its turn, code `host` after the pool's end.
    public func run(
        code: String,
        named name: String = "=code",
        arguments: [String] = [],
        output: Output? = nil
    ) async throws -> ScriptReport {
        try await withEngine(output) { try await $0.run(code: code, named: name, arguments: arguments) }
    }

    /// The same for a script in a file, beside which `require` looks for modules.
    public func run(file: String, arguments: [String] = [], output: Output? = nil) async throws
        -> ScriptReport
    {
        try await withEngine(output) { try await $0.run(file: file, arguments: arguments) }
    }

    /// Evaluates an expression, or a chunk that returns something, in an engine of its own; see
    /// ``ScriptEngine/evaluate(_:as:named:)``.
    ///
    /// - Parameters:
    ///   - source: An expression (`"1 + 1"`), or statements with `return`.
    ///   - type: The type that the value must have; `Void`, the default, for none. A handle
    ///     (``ScriptFunction``, ``ScriptOperation``) would outlive its engine, and is refused when it is
    ///     used.
    ///   - name: The name of the source in error messages.
    ///   - output: Receives the output of `print` and `io.write`; nil, the default, for the configuration's
    ///     receiver.
    public func evaluate<Value: Sendable>(
        _ source: String,
        as type: Value.Type = Void.self,
        named name: String = "=evaluate",
        output: Output? = nil
    ) async throws -> Value {
        try await withEngine(output) { try await $0.evaluate(source, as: type, named: name) }
    }

    /// Compiles a script without running it; see ``ScriptEngine/check(code:named:)``.
    public func check(code: String, named name: String = "=code") async throws -> ScriptCheck {
        try await withEngine(nil) { try await $0.check(code: code, named: name) }
    }

    /// Passes an engine to a closure, and closes the engine afterwards.
    ///
    /// - Parameters:
    ///   - output: Receives the engine's output; nil for the configuration's receiver.
    ///   - body: The closure. It must not keep the engine.
    public func withEngine<Result: Sendable>(
        _ output: Output? = nil,
        _ body: @Sendable (ScriptEngine) async throws -> Result
    ) async throws -> Result {
        let meters = PoolMeters.current
        let start = ContinuousClock.now
        let member = try await take(meters)
        meters?.waited(.now - start)
        record(meters)
        member.output.sink.withLock { $0 = output }
        defer {
            giveBack(member)
            record(meters)
        }
        return try await body(member.engine)
    }

    // MARK: The end

    /// Ends the pool for good: runs that wait throw code `host`, and runs in progress are abandoned as by
    /// ``ScriptEngine/shutdown()``. Returns at once; a second call does nothing.
    public func shutdown() {
        let (effects, running) = state.withLock { state in
            (state.machine.shutDown(), Array(state.running.values))
        }
        perform(effects)
        for member in running { member.engine.shutdown() }
    }

    /// Lets the runs that are in progress or wait end, and then shuts the pool down. New runs throw code `host`
    /// meanwhile.
    ///
    /// - Parameter timeout: How long to wait for that; then the rest is abandoned, as by ``shutdown()``. The
    ///   same happens if the calling task is cancelled. nil, the default: any time.
    /// - Returns: Whether all runs have ended by themselves.
    @discardableResult
    public func drain(timeout: Duration? = nil) async -> Bool {
        state.withLock { $0.machine.drain() }
        let isInTime = await Draining.wait(timeout: timeout, orElse: { shutdown() }) {
            await withCheckedContinuation { continuation in self.callWhenQuiet { continuation.resume() } }
        }
        shutdown()
        return isInTime
    }

    private func callWhenQuiet(_ handler: @escaping @Sendable () -> Void) {
        let isQuiet = state.withLock { state in
            if !state.machine.isQuiet { state.whenQuiet.append(handler) }
            return state.machine.isQuiet
        }
        if isQuiet { handler() }
    }

    /// Calls those that wait for the end of all runs, if it has come.
    private func reportQuiet() {
        let handlers = state.withLock { state in
            guard state.machine.isQuiet else { return [@Sendable () -> Void]() }
            defer { state.whenQuiet = [] }
            return state.whenQuiet
        }
        for handler in handlers { handler() }
    }

    // MARK: Engines

    private func record(_ meters: PoolMeters?) {
        guard let meters else { return }
        let (pending, executing) = state.withLock { ($0.machine.waitingCount, $0.machine.runningCount) }
        meters.record(pending: pending, executing: executing)
    }

    private func take(_ meters: PoolMeters?) async throws -> Member {
        let number = Mutex(0)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let effects = state.withLock { state in
                    let (given, effects) = state.machine.request(waiter)
                    number.withLock { $0 = given }
                    return effects
                }
                perform(effects)
                record(meters)
                if Task.isCancelled { stopWaiting(number.withLock { $0 }) }
            }
        } onCancel: {
            stopWaiting(number.withLock { $0 })
        }
    }

    private func stopWaiting(_ number: Int) {
        let waiter = state.withLock { $0.machine.cancel(number) }
        waiter?.resume(
            throwing: ScriptError(
                .cancelled,
                "the run was cancelled before its turn in the pool",
                underlying: CancellationError()
            )
        )
        reportQuiet()
    }

    private func giveBack(_ member: Member) {
        perform(
            state.withLock { state in
                state.running[ObjectIdentifier(member)] = nil
                return state.machine.runEnded(member)
            }
        )
        reportQuiet()
    }

    private func perform(_ effects: [PoolMachine<Waiter, Member>.Effect]) {
        for effect in effects {
            switch effect {
            case .begin(let waiter, let member): begin(waiter, member)
            case .beginWithNew(let waiter): begin(waiter, makeMember())
            // Making an engine waits for the run that has just ended, so it does not happen on the caller's thread.
            case .makeEngine: chores.add { [weak self] in self?.makeEngine() }
            case .refuse(let waiter):
                waiter.resume(
                    throwing: ScriptError(
                        .host,
                        "the pool was shut down or is draining: it takes no new runs"
                    )
                )
            case .close(let member): chores.add { member.engine.shutdown() }
            }
        }
    }

    private func makeEngine() {
        let member = makeMember()
        member.engine.warmUp { [weak self] in
            guard let self else { return member.engine.shutdown() }
            perform(state.withLock { $0.machine.engineIsReady(member) })
        }
    }

    private func begin(_ waiter: Waiter, _ member: Member) {
        let isShutDown = state.withLock { state in
            state.running[ObjectIdentifier(member)] = member
            return state.machine.isShutDown
        }
        if isShutDown { member.engine.shutdown() }
        waiter.resume(returning: member)
    }

    private func makeMember() -> Member {
        let output = OutputSwitch()
        var configuration = configuration
        let usual = configuration.standardOutput
        configuration.standardOutput = { bytes in
            let sink = output.sink.withLock { $0 }
            if let sink {
                sink(bytes)
            } else if let usual {
                usual(bytes)
            } else {
                bytes.withUnsafeBytes { StandardStreams.writeOutput($0) }
            }
        }
        let engine = ScriptEngine(configuration)
        prepare(engine)
        return Member(engine, output)
    }
}

extension ScriptEngine {
    /// Makes the Lua state now, and calls `completion` on the script thread when it is ready, or at once if the engine
    /// ends first.
    func warmUp(_ completion: @escaping @Sendable () -> Void) {
        let isAccepted = link.post(refuse: { _ in completion() }) { runtime in
            runtime.hostObjects.installExposures()
            completion()
        }
        if isAccepted { runner.start() } else { completion() }
    }
}
