internal import OpScriptRecord
internal import Synchronization

/// Hands operations that have ended to all subscribers. From any thread.
final class OperationHub: Sendable {
    private let count = Atomic<Int>(0)
    private let state = Mutex(State())

    private struct State {
        var subscribers: [Int: AsyncStream<[RecordedOperation]>.Continuation] = [:]
        var last = 0
        var isOver = false
    }

    /// Whether there are subscribers; read without the lock.
    var isObserved: Bool { count.load(ordering: .relaxed) > 0 }

    /// A new subscriber, which receives each operation that ends from now on.
    func subscribe() -> AsyncStream<[RecordedOperation]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [RecordedOperation].self)
        let number = state.withLock { state -> Int? in
            if state.isOver { return nil }
            state.last += 1
            state.subscribers[state.last] = continuation
            return state.last
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        count.wrappingAdd(1, ordering: .relaxed)
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        let wasThere = state.withLock { $0.subscribers.removeValue(forKey: number) } != nil
        if wasThere { count.wrappingSubtract(1, ordering: .relaxed) }
    }

    func publish(_ operations: [RecordedOperation]) {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.yield(operations) }
    }

    /// No more operations follow.
    func end() {
        let subscribers = state.withLock { state in
            state.isOver = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
