internal import Scheduling
internal import Synchronization

/// A runtime that lives on the main actor and takes a few milliseconds of it at a time.
final class MainActorScriptRunner: ScriptRunner {
    /// How long the runtime runs before it yields the main actor.
    private static let slice: Int64 = 4_000_000

    private let parts: RuntimeSettings
    /// Whether a visit to the main actor is on its way.
    private let isCalled = Atomic<Bool>(false)
    @MainActor private var runtime: ScriptRuntime?
    /// Schedules a visit when something is due.
    @MainActor private var alarm: Task<Void, Never>?

    init(_ parts: RuntimeSettings) {
        self.parts = parts
    }

    func start() { call() }

    func stop() { call() }

    func poll(budget: Int64) -> ScriptEngine.PollResult? { nil }

    func perform(_ name: String, _ body: @Sendable (ScriptRuntime) throws -> ScriptValue) throws
        -> ScriptValue
    {
        guard MainThread.isCurrent else {
            throw ScriptError(
                .misuse,
                "'\(name)' was called on another thread than the main one, on which this engine lives"
            )
        }
        defer { call() }
        return try MainActor.assumeIsolated { try performHere(body) }
    }

    @MainActor private func performHere(_ body: @Sendable (ScriptRuntime) throws -> ScriptValue) throws
        -> ScriptValue
    {
        if parts.link.isStopped { throw ScriptError.engineIsGone }
        let runtime = runtime ?? parts.makeRuntime(readerWaker: { [weak self] in self?.call() })
        self.runtime = runtime
        return try MainActorScope.run { try runtime.perform(body) }
    }

    private func call() {
        guard !isCalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { @MainActor in self.visit() }
    }

    @MainActor private func visit() {
        isCalled.store(false, ordering: .releasing)
        alarm?.cancel()
        alarm = nil
        if runtime == nil, parts.link.isStopped { return parts.link.closed() }
        let runtime = runtime ?? parts.makeRuntime(readerWaker: { [weak self] in self?.call() })
        self.runtime = runtime
        let progress = MainActorScope.run {
            runtime.pump(until: SchedulerClock.systemNow + Self.slice, pauses: true, patience: 0)
        }
        switch progress {
        case .busy: call()
        case .idle, .over: wait(runtime, until: nil)
        case .waiting(let moment): wait(runtime, until: moment)
        case .stopped:
            self.runtime = nil
            parts.close(runtime)
        }
    }

    /// Arranges the next visit: when the reader is woken, or at `moment`.
    @MainActor private func wait(_ runtime: ScriptRuntime, until moment: Int64?) {
        guard runtime.scheduler.awaitReader() else { return call() }
        guard let moment else { return }
        alarm = Task { @MainActor [weak self] in
            let nanoseconds = max(0, moment - SchedulerClock.systemNow)
            do { try await Task.sleep(nanoseconds: UInt64(nanoseconds)) } catch { return }
            self?.call()
        }
    }
}
