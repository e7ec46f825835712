internal import Synchronization

/// The buffer of one subscriber's batches.
final class BatchBox<Element: Batch & Sendable>: Sendable {
    typealias Content = (lost: Int, batches: [Element])

    private let state = Mutex(State())
    /// The most elements that are kept, unless one batch has more.
    private let limit: Int

    private struct State {
        var content: Content = (0, [])
        var count = 0
        var isOver = false
        var waiter: CheckedContinuation<Content?, Never>?

        mutating func takeAll() -> Content? {
            if content.batches.isEmpty { return nil }
            defer { (content, count) = ((0, []), 0) }
            return content
        }
    }

    init(limit: Int) { self.limit = limit }

    func append(_ batch: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Content?, Never>? in
            if state.isOver { return nil }
            if let waiter = state.waiter.take() { return waiter }
            state.content.batches.append(batch)
            state.count += batch.count
            while state.count > limit, state.content.batches.count > 1 {
                let oldest = state.content.batches.removeFirst()
                state.count -= oldest.count
                state.content.lost += oldest.count
            }
            return nil
        }
        waiter?.resume(returning: (0, [batch]))
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }?.resume(returning: nil)
    }

    /// All waiting batches, as soon as there is one; nil at the end, and when the task is cancelled.
    func take() async -> Content? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Content?? in
                    if let content = state.takeAll() { return .some(content) }
                    if state.isOver || state.waiter != nil { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            end()
        }
    }
}
