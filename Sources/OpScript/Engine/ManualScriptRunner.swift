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
        let result = try runtime.withLockIfAvailable { slot -> ScriptEngine.PollResult in
            if parts.link.isStopped {
                close(&slot)
                throw ScriptError.engineIsGone
            }
            let runtime = slot ?? parts.makeRuntime()
            if slot == nil { slot = runtime }
            let now = SchedulerClock.systemNow
            let (end, overflow) = now.addingReportingOverflow(max(0, budget))
            switch runtime.pump(until: overflow ? .max - 1 : end, patience: 0) {
            case .busy: return .busy
            case .idle, .over: return .idle
            case .waiting(let moment):
                return .waiting(moment.map { .nanoseconds(max(0, $0 - SchedulerClock.systemNow)) })
            case .stopped:
                close(&slot)
                return .idle
            }
        }
        guard let result else {
            throw ScriptError(
                .misuse,
                "the engine is polled already: by another thread, or by a closure that it has called"
            )
        }
        // The engine may have been stopped between the last check and the release of the lock.
        if parts.link.isStopped { stop() }
        return result
    }
}
