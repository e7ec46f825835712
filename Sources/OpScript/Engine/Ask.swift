internal import Synchronization

/// One request of the host that is answered once: a call, a value to read or to set.
final class Ask: Sendable {
    private let state: Mutex<State>
    /// The kind of values that an answer may contain.
    enum Wanted: Sendable, Equatable {
        case nothing
        case value
        /// A value, which may also be a function or an operation.
        case handles
        /// All values, as an array.
        case values
        /// The same; each may also be a function or an operation.
        case valuesWithHandles

        init<Value>(_ converter: ScriptConverter<Value>) {
            self = Value.self == Void.self ? .nothing : converter.takesHandles ? .handles : .value
        }

        /// Several results.
        ///
        /// - Throws: ``ScriptError`` if a type cannot come from a script.
        init<each Value>(returning types: repeat (each Value).Type) throws {
            var takesHandles = false
            repeat takesHandles = try valueConverter(each types).takesHandles || takesHandles
            self = takesHandles ? .valuesWithHandles : .values
        }
    }

    let wanted: Wanted

    /// The backends that receive the events of the operations it submits; nil if the host has none.
    let backends: TelemetryBackends?

    private struct State {
        var waiter: CheckedContinuation<Void, Never>?
        /// Tasks to be started as if the caller had started them.
        var starts: [@Sendable () -> Void] = []
        var answer: Result<ScriptValue, ScriptError>?
        var isCancelled = false
    }

    private init(_ wanted: Wanted, _ backends: TelemetryBackends?) {
        self.wanted = wanted
        self.backends = backends
        state = Mutex(State())
    }

    /// Whether the answer is still wanted. A request that has already been cancelled is answered here.
    func begin() -> Bool {
        guard state.withLock({ $0.isCancelled }) else { return true }
        answer(.failure(.cancelledByHost))
        return false
    }

    /// Answers; a second answer does nothing.
    func answer(_ result: Result<ScriptValue, ScriptError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.answer == nil else { return nil }
            state.answer = result
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Arranges for the task that waits for the answer to call `start`; false if that task no longer waits.
    func enqueue(_ start: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.answer == nil else { return (false, nil) }
            state.starts.append(start)
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isTaken
    }

    /// Starts the enqueued tasks until there is an answer.
    private func wait() async -> Result<ScriptValue, ScriptError> {
        while true {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.answer != nil || !state.starts.isEmpty { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
            let (starts, answer) = state.withLock { state in
                defer { state.starts = [] }
                return (state.starts, state.answer)
            }
            for start in starts { start() }
            if let answer { return answer }
        }
    }

    /// Calls `body`, which answers the request, on the script thread, and returns the answer.
    ///
    /// Cancelling the calling task interrupts the waits of the request.
    static func send(
        _ link: ScriptLink,
        wanted: Wanted = .value,
        start: () -> Void = {},
        _ body: @escaping @Sendable (ScriptRuntime, Ask) -> Void
    ) async throws -> ScriptValue {
        let ask = Ask(wanted, TelemetryBackends.current(link.logger))
        return try await withTaskCancellationHandler {
            let refuse: @Sendable (ScriptError) -> Void = { ask.answer(.failure($0)) }
            if link.post(refuse: refuse, { runtime in body(runtime, ask) }) {
                start()
            } else {
                refuse(.engineIsGone)
            }
            return try await ask.wait().get()
        } onCancel: {
            ask.state.withLock { $0.isCancelled = true }
            link.post { $0.run.cancelAsk(ask) }
        }
    }
}

extension ScriptError {
    static var cancelledByHost: ScriptError {
        ScriptError(.cancelled, "the request was cancelled before its end", underlying: CancellationError())
    }
}
