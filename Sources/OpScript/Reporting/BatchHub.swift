internal import Synchronization

/// Elements that subscribers receive together.
protocol Batch {
    var count: Int { get }
}

extension Array: Batch {}

/// Hands batches to all subscribers of the host; they share a batch without copying it. From any thread.
final class BatchHub<Element: Batch & Sendable>: Sendable {
    private let count = Atomic<Int>(0)
    private let state = Mutex(State())
    /// The most elements that wait for one subscriber.
    private let limit: Int
    private let whenObserved: @Sendable (Bool) -> Void

    private struct State {
        var boxes: [ObjectIdentifier: BatchBox<Element>] = [:]
        var isOver = false
    }

    /// - Parameter whenObserved: Called, on any thread, with true when there is a subscriber, and with false when there
    ///   is none any more.
    init(limit: Int = .max, whenObserved: @escaping @Sendable (Bool) -> Void = { _ in }) {
        self.limit = limit
        self.whenObserved = whenObserved
    }

    /// Whether there are subscribers; read without the lock.
    var isObserved: Bool {
        @inline(__always) get { count.load(ordering: .relaxed) > 0 }
    }

    /// A new subscriber, which receives each batch from now on.
    func subscribe() -> BatchSubscription<Element> {
        let box = BatchBox<Element>(limit: limit)
        let isOver = state.withLock { state in
            if !state.isOver {
                state.boxes[ObjectIdentifier(box)] = box
                countBoxes(state)
            }
            return state.isOver
        }
        if isOver { box.end() }
        return BatchSubscription(box, self)
    }

    fileprivate func remove(_ box: BatchBox<Element>) {
        state.withLock { state in
            if state.boxes.removeValue(forKey: ObjectIdentifier(box)) != nil { countBoxes(state) }
        }
    }

    /// Under the lock, so that the last change is the last call.
    private func countBoxes(_ state: borrowing State) {
        let wasObserved = isObserved
        count.store(state.boxes.count, ordering: .relaxed)
        if isObserved != wasObserved { whenObserved(isObserved) }
    }

    func publish(_ batch: Element) {
        for box in state.withLock({ Array($0.boxes.values) }) { box.append(batch) }
    }

    /// Ends all subscriptions: no more batches follow.
    func end() {
        let boxes = state.withLock { state in
            state.isOver = true
            return Array(state.boxes.values)
        }
        for box in boxes { box.end() }
    }
}

/// One subscriber; gives up its place when its last reference is released.
final class BatchSubscription<Element: Batch & Sendable>: Sendable {
    private let hub: BatchHub<Element>
    private let box: BatchBox<Element>

    fileprivate init(_ box: BatchBox<Element>, _ hub: BatchHub<Element>) {
        self.box = box
        self.hub = hub
    }

    deinit { hub.remove(box) }

    /// All waiting batches, as soon as there is one, and how many elements before them were dropped; nil at the end.
    func next() async -> BatchBox<Element>.Content? { await box.take() }
}
