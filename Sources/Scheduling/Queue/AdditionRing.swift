internal import Synchronization

/// An operation with nothing out of the ordinary on its way into a queue.
///
/// Moved and never copied. No resources, no delay, no barrier, no retry and no time limit: adding it cannot be refused.
package struct PlainAddition: ~Copyable {
    package var id: OperationID
    package var queue: QueueID
    package var lane: ExecutionLane
    package var priority: OperationPriority
    package var allowsFailure: Bool
    package var body: (any OperationBody)?

    @inlinable
    package init(
        id: OperationID,
        queue: QueueID,
        lane: ExecutionLane,
        priority: OperationPriority,
        allowsFailure: Bool,
        body: (any OperationBody)?
    ) {
        self.id = id
        self.queue = queue
        self.lane = lane
        self.priority = priority
        self.allowsFailure = allowsFailure
        self.body = body
    }
}

/// Additions that one thread hands over without taking the scheduler's lock.
///
/// That thread alone writes; whoever holds the lock reads, and does so before anything else, so that all see the additions in
/// order with everything that the same thread does under the lock. ``needsCall`` says whether somebody will come by
/// himself; where nobody will, the writer takes the lock after writing. Writer and reader each store their own side first and
/// look at the other's then, in one order that all threads agree on, so no addition is left lying.
final class AdditionRing: @unchecked Sendable {
    // @unchecked because entries between `head` and `tail` belong to the lock's holder and all others to the writer.

    private static let capacity = 256
    private let memory = UnsafeMutablePointer<PlainAddition>.allocate(capacity: capacity)
    /// Moved under the scheduler's lock.
    private let head = Atomic<Int>(0)
    /// Moved by the writer.
    private let tail = Atomic<Int>(0)
    /// Whether the writer has to take the lock, since nobody else looks soon.
    private let needsCallFlag = Atomic<Bool>(true)

    deinit {
        for place in head.load(ordering: .relaxed)..<tail.load(ordering: .relaxed) {
            (memory + (place & (Self.capacity - 1))).deinitialize(count: 1)
        }
        memory.deallocate()
    }

    var isFull: Bool {
        @inline(__always) get {
            tail.load(ordering: .relaxed) - head.load(ordering: .acquiring) >= Self.capacity
        }
    }

    /// - Precondition: It is not full.
    @inline(__always)
    func push(_ addition: consuming PlainAddition) {
        let end = tail.load(ordering: .relaxed)
        (memory + (end & (Self.capacity - 1))).initialize(to: addition)
        tail.store(end + 1, ordering: .sequentiallyConsistent)
    }

    var needsCall: Bool {
        @inline(__always) get { needsCallFlag.load(ordering: .sequentiallyConsistent) }
    }

    /// Under the lock.
    func setNeedsCall(_ needsCall: Bool) {
        if needsCallFlag.load(ordering: .relaxed) != needsCall {
            needsCallFlag.store(needsCall, ordering: .sequentiallyConsistent)
        }
    }

    /// A look from any thread.
    var isEmpty: Bool {
        @inline(__always) get {
            tail.load(ordering: .sequentiallyConsistent) == head.load(ordering: .relaxed)
        }
    }

    /// Takes the first one. Under the lock.
    @inline(__always)
    func pop() -> PlainAddition? {
        let start = head.load(ordering: .relaxed)
        guard start != tail.load(ordering: .acquiring) else { return nil }
        let addition = (memory + (start & (Self.capacity - 1))).move()
        head.store(start + 1, ordering: .releasing)
        return addition
    }
}
