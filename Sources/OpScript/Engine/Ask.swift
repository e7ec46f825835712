internal import Synchronization

/// One request of the host that is answered once: a call, a value to read or to set.
final class Ask: Sendable {
    private let state: Mutex<State>
    /// What may stand in an answer.
    enum Wanted: Sendable {
        case nothing
        case value
        /// Also functions and operations.
        case handles

        init<Value>(_ converter: ScriptConverter<Value>) {
            self = Value.self == Void.self ? .nothing : converter.takesHandles ? .handles : .value
        }
    }

    let wanted: Wanted

    private struct State {
        var continuation: CheckedContinuation<ScriptValue, any Error>?
        var isCancelled = false
    }

    private init(_ wanted: Wanted) {
        self.wanted = wanted
        state = Mutex(State())
    }

    /// Whether it is still wanted; one that was cancelled before is answered here.
    func begin() -> Bool {
        guard state.withLock({ $0.isCancelled }) else { return true }
        answer(.failure(.cancelledByHost))
        return false
    }

    /// Answers; a second answer does nothing.
    func answer(_ result: Result<ScriptValue, ScriptError>) {
        state.withLock { $0.continuation.take() }?.resume(with: result.mapError { $0 })
    }

    /// Has `body` called on the script thread, which answers, and gives the answer.
    ///
    /// Cancelling the calling task interrupts the waits of what was asked.
    static func send(
        _ link: ScriptLink,
        wanted: Wanted = .value,
        start: () -> Void = {},
        _ body: @escaping @Sendable (ScriptRuntime, Ask) -> Void
    ) async throws -> ScriptValue {
        let ask = Ask(wanted)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                ask.state.withLock { $0.continuation = continuation }
                let refuse: @Sendable () -> Void = { ask.answer(.failure(.engineIsGone)) }
                if link.post(refuse: refuse, { runtime in body(runtime, ask) }) {
                    start()
                } else {
                    refuse()
                }
            }
        } onCancel: {
            ask.state.withLock { $0.isCancelled = true }
            link.post { $0.cancel(ask) }
        }
    }
}

extension ScriptError {
    static var cancelledByHost: ScriptError {
        ScriptError(.cancelled, "the task that asked for it was cancelled", underlying: CancellationError())
    }
}
