internal import Scheduling
internal import Synchronization

/// A runtime that the host pumps from a loop of its own.
final class ManualScriptRunner: ScriptRunner {
    private let parts: RuntimeSettings
    /// The runtime, protected by a lock. No caller waits for the lock: a poll throws if it is taken.
    private let runtime = Mutex<ScriptRuntime?>(nil)

    init(_ parts: RuntimeSettings) {
        self.parts = parts
    }

    /// Does nothing: the host polls.
    func start() {}

    func stop() {
        // A poll in progress closes the runtime itself when it sees that the link is stopped.
        _ = runtime.withLockIfAvailable { runtime in close(&runtime) }
    }

    private func close(_ runtime: inout ScriptRuntime?) {
        if let runtime = runtime.take() {
            parts.close(runtime)
        } else if !parts.link.isClosing {
            parts.link.closed()
        }
    }

    func poll(budget: Int64) throws -> ScriptEngine.PollResult? {
        parts.link.frameWaiters.begin()
        let result = try runtime.withLockIfAvailable { slot -> ScriptEngine.PollResult in
            if parts.link.isStopped {
                close(&slot)
                throw ScriptError.engineIsGone
            }
            let runtime = slot ?? parts.makeRuntime()
            if slot == nil { slot = runtime }
            runtime.frames.begin()
            let now = SchedulerClock.systemNow
            let (end, overflow) = now.addingReportingOverflow(max(0, budget))
            switch runtime.pump(until: overflow ? .max - 1 : end, pauses: true, patience: 0) {
            case .busy: return .busy
            case .idle, .over: return .idle
            case .waiting(let moment):
                return .waiting(moment.map { .nanoseconds(max(0, $0 - SchedulerClock.systemNow)) })
            case .stopped:
                close(&slot)
                return .idle
            }
        }
        guard let result else { throw Self.isInUse }
        // The engine may have been stopped between the last check and the release of the lock.
        if parts.link.isStopped { stop() }
        return result
    }

    func perform(_ name: String, _ body: @Sendable (ScriptRuntime) throws -> ScriptValue) throws
        -> ScriptValue
    {
        let result = try runtime.withLockIfAvailable { slot -> ScriptValue in
            if parts.link.isStopped {
                close(&slot)
                throw ScriptError.engineIsGone
            }
            let runtime = slot ?? parts.makeRuntime()
            if slot == nil { slot = runtime }
            return try runtime.perform(body)
        }
        guard let result else { throw Self.isInUse }
        if parts.link.isStopped { stop() }
        return result
    }

    private static let isInUse = ScriptError(
        .misuse,
        "the engine is in use already: by another thread, or by a closure that it has called"
    )
}
