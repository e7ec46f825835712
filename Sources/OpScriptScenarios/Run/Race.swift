internal import Synchronization

/// Waits for a value that may never come.
enum Race {
    /// The result of a body, or nil after this many seconds; then the body is abandoned.
    static func within<Value: Sendable>(_ seconds: Double, _ body: @escaping @Sendable () async -> Value)
        async
        -> Value?
    {
        await until({ try await Task.sleep(for: .seconds(seconds)) }, body)
    }

    /// The result of a body, or nil as soon as `limit` has returned; then the body is abandoned.
    static func until<Value: Sendable>(
        _ limit: @escaping @Sendable () async throws -> Void,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let winner = Winner<Value>()
        let runner = Task { winner.give(await body()) }
        let timer = Task {
            try await limit()
            winner.give(nil)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await winner.value
        } onCancel: {
            runner.cancel()
        }
    }
}

/// Takes the first of several values.
private final class Winner<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value?, Never>)
        case full(Value?)
        case taken
    }

    private let state = Mutex(State.empty)

    func give(_ value: Value?) {
        let continuation = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .empty:
                state = .full(value)
                return nil
            case .waiting(let continuation):
                state = .taken
                return continuation
            case .full, .taken: return nil
            }
        }
        continuation?.resume(returning: value)
    }

    var value: Value? {
        get async {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Value?? in
                    if case .full(let value) = state {
                        state = .taken
                        return .some(value)
                    }
                    state = .waiting(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
    }
}

extension Duration {
    /// The same as a number.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// `5 s`, `0.25 s`.
func seconds(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value)) s" : "\(value) s"
}
