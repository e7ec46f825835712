internal import Synchronization

/// Hands events to all subscribers. From any thread.
final class EventHub: Sendable {
    private let count = Atomic<Int>(0)
    private let boxCount = Atomic<Int>(0)
    private let state = Mutex(State())

    private struct State {
        var boxes: [ObjectIdentifier: EventBox] = [:]
        var isOver = false
    }

    /// Whether anything observes events; read without the lock.
    var isObserved: Bool {
        @inline(__always) get { count.load(ordering: .relaxed) > 0 }
    }

    /// Whether there are subscribers; read without the lock.
    var hasSubscribers: Bool {
        @inline(__always) get { boxCount.load(ordering: .relaxed) > 0 }
    }

    /// Adds an observer that has no box here.
    func watch() { count.wrappingAdd(1, ordering: .relaxed) }

    /// Removes such an observer.
    func unwatch() { count.wrappingSubtract(1, ordering: .relaxed) }

    func add(_ box: EventBox) {
        let isOver = state.withLock { state in
            if !state.isOver { state.boxes[ObjectIdentifier(box)] = box }
            return state.isOver
        }
        if isOver { return box.end() }
        boxCount.wrappingAdd(1, ordering: .relaxed)
        count.wrappingAdd(1, ordering: .relaxed)
    }

    func remove(_ box: EventBox) {
        let wasThere = state.withLock { $0.boxes.removeValue(forKey: ObjectIdentifier(box)) } != nil
        guard wasThere else { return }
        boxCount.wrappingSubtract(1, ordering: .relaxed)
        count.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Hands a batch to all subscribers; it is shared and not copied.
    func publish(_ batch: EventBatch) {
        let boxes = state.withLock { Array($0.boxes.values) }
        for box in boxes { box.append(batch) }
    }

    /// Ends all subscriptions: no more events follow.
    func end() {
        let boxes = state.withLock { state in
            defer { state.boxes = [:] }
            state.isOver = true
            return Array(state.boxes.values)
        }
        for box in boxes { box.end() }
    }
}

/// The buffer of one subscriber's events.
final class EventBox: Sendable {
    /// The most events that are kept.
    private static let limit = 100_000

    private let state = Mutex(State())

    fileprivate struct State {
        var batches: [EventBatch] = []
        var count = 0
        var lost = 0
        var isOver = false
        var waiter: CheckedContinuation<[EventBatch]?, Never>?
    }

    func append(_ batch: EventBatch) {
        let waiter = state.withLock { state -> CheckedContinuation<[EventBatch]?, Never>? in
            if let waiter = state.waiter.take() { return waiter }
            state.batches.append(batch)
            state.count += batch.count
            while state.count > Self.limit, state.batches.count > 1 {
                let oldest = state.batches.removeFirst()
                state.count -= oldest.count
                state.lost += oldest.count
            }
            return nil
        }
        waiter?.resume(returning: [batch])
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }?.resume(returning: nil)
    }

    /// All waiting batches, as soon as there is one; nil at the end.
    func take() async -> [EventBatch]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> [EventBatch]?? in
                    if let batches = state.takeAll() { return .some(batches) }
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

extension EventBox.State {
    fileprivate mutating func takeAll() -> [EventBatch]? {
        guard let first = batches.first else { return nil }
        defer {
            batches = []
            count = 0
            lost = 0
        }
        return lost > 0 ? [EventBatch(lost: lost, at: first.firstMoment)] + batches : batches
    }
}

/// One subscriber; gives up its place when its last reference is released.
@usableFromInline
final class EventSubscription: Sendable {
    private let hub: EventHub
    private let box = EventBox()

    init(to hub: EventHub) {
        self.hub = hub
        hub.add(box)
    }

    deinit { hub.remove(box) }

    func nextBatches() async -> [EventBatch]? { await box.take() }
}
