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
        return try enter { runtime in
            runtime.frames.begin()
            let now = SchedulerClock.systemNow
            let (end, overflow) = now.addingReportingOverflow(max(0, budget))
            switch runtime.pump(until: overflow ? .max - 1 : end, pauses: true, patience: 0) {
            case .busy: return .busy
            // An engine that was stopped is closed when the lock is free.
            case .idle, .over, .stopped: return .idle
            case .waiting(let moment):
                return .waiting(moment.map { .nanoseconds(max(0, $0 - SchedulerClock.systemNow)) })
            }
        }
    }

    func perform(_ name: String, _ body: @Sendable (ScriptRuntime) throws -> ScriptValue) throws
        -> ScriptValue
    {
        try enter { try $0.perform(body) }
    }

    /// Calls a closure with the runtime, which is made if there is none.
    ///
    /// - Throws: ``ScriptError`` after the engine's end, and if the runtime is in use.
    private func enter<Value: Sendable>(_ body: @Sendable (ScriptRuntime) throws -> Value) throws -> Value {
        let result = try runtime.withLockIfAvailable { slot -> Value in
            if parts.link.isStopped {
                close(&slot)
                throw ScriptError.engineIsGone
            }
            let runtime = slot ?? parts.makeRuntime()
            if slot == nil { slot = runtime }
            return try body(runtime)
        }
        guard let result else { throw Self.isInUse }
        // The engine may have been stopped meanwhile, also by its own draining.
        if parts.link.isStopped { stop() }
        return result
    }

    private static let isInUse = ScriptError(
        .misuse,
        "the engine is in use already: by another thread, or by a closure that it has called"
    )
}
