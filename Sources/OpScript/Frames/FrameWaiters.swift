internal import Synchronization

/// Swift tasks that wait for the next frame of a host that polls its engine.
final class FrameWaiters: Sendable {
    private struct State {
        var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        /// Waits that were cancelled before they began.
        var cancelled: Set<UInt64> = []
        var last: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Returns when the next frame begins.
    ///
    /// - Throws: `CancellationError`; ``ScriptError`` with code `host` after the engine's end.
    func wait() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal = state.withLock { state -> (any Error)? in
                    if state.cancelled.remove(number) != nil { return CancellationError() }
                    if state.isOver { return ScriptError.engineIsGone }
                    state.waiting[number] = continuation
                    return nil
                }
                if let refusal { continuation.resume(throwing: refusal) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waiting.removeValue(forKey: number)
                if continuation == nil { state.cancelled.insert(number) }
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    /// A frame begins.
    func begin() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }

    /// The engine has ended: no frame will come.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(throwing: ScriptError.engineIsGone) }
    }
}
