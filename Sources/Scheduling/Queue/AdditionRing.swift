internal import LinuxEvents
internal import Synchronization

/// An operation with nothing out of the ordinary on its way into a queue.
///
/// Moved and never copied. No resources, no delay, no barrier, no retry and no time limit: adding it cannot be refused.
struct PlainAddition: ~Copyable {
    var id: OperationID
    var queue: QueueID
    var lane: ExecutionLane
    var priority: OperationPriority
    var allowsFailure: Bool
    /// Nobody looks at its start by itself: it may be counted with others.
    var isCounted = false
    var body: (any OperationBody)?
}

/// Additions that one thread hands over without taking the scheduler's lock.
///
/// That thread alone writes; whoever holds the lock reads, and does so before anything else, so that all see the additions in
/// order with everything that the same thread does under the lock. ``needsCall`` says whether somebody will come by
/// himself; where nobody will, the writer takes the lock after writing. Writer and reader each store their own side first and
/// look at the other's then, in one order that all threads agree on, so no addition is left lying.
final class AdditionRing: @unchecked Sendable {
    // @unchecked because entries between `head` and `tail` belong to the lock's holder and all others to the writer, as does `writer`.

    private static let capacity = 256
    private let memory = UnsafeMutablePointer<PlainAddition>.allocate(capacity: capacity)
    /// What each side writes has lines of the cache of its own: else each addition would wait for what the other one wrote last.
    private let lines = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 128)
    /// Moved under the scheduler's lock.
    private let head: UnsafeMutablePointer<Atomic<Int>>
    /// Moved by the writer.
    private let tail: UnsafeMutablePointer<Atomic<Int>>
    /// Whether the writer has to take the lock, since nobody else looks soon.
    private let needsCallFlag: UnsafeMutablePointer<Atomic<Bool>>
    private let writer: UnsafeMutablePointer<Writer>

    /// What only the writer knows.
    private struct Writer {
        /// Where it writes next.
        var end = 0
        /// Where the reader was when the ring looked full last.
        var readerBegin = 0
    }

    init() {
        head = lines.bindMemory(to: Atomic<Int>.self, capacity: 1)
        tail = (lines + 128).bindMemory(to: Atomic<Int>.self, capacity: 1)
        needsCallFlag = (lines + 256).bindMemory(to: Atomic<Bool>.self, capacity: 1)
        writer = (lines + 384).bindMemory(to: Writer.self, capacity: 1)
        head.initialize(to: Atomic(0))
        tail.initialize(to: Atomic(0))
        needsCallFlag.initialize(to: Atomic(true))
        writer.initialize(to: Writer())
    }

    deinit {
        for place in head.pointee.load(ordering: .relaxed)..<tail.pointee.load(ordering: .relaxed) {
            entry(place).deinitialize(count: 1)
        }
        memory.deallocate()
        lines.deallocate()
    }

    @inline(__always)
    private func entry(_ place: Int) -> UnsafeMutablePointer<PlainAddition> {
        memory + (place & (Self.capacity - 1))
    }

    /// For the writer.
    var isFull: Bool {
        @inline(__always) get {
            if writer.pointee.end - writer.pointee.readerBegin < Self.capacity { return false }
            writer.pointee.readerBegin = head.pointee.load(ordering: .acquiring)
            return writer.pointee.end - writer.pointee.readerBegin >= Self.capacity
        }
    }

    /// - Precondition: It is not full.
    @inline(__always)
    func push(_ addition: consuming PlainAddition) {
        let end = writer.pointee.end
        // The reader looked at it last, and what is written here waits for that line.
        linux_prefetch(entry(end + 8))
        entry(end).initialize(to: addition)
        writer.pointee.end = end + 1
        tail.pointee.store(end + 1, ordering: .sequentiallyConsistent)
    }

    var needsCall: Bool {
        @inline(__always) get { needsCallFlag.pointee.load(ordering: .sequentiallyConsistent) }
    }

    /// Under the lock.
    @inline(__always)
    func setNeedsCall(_ needsCall: Bool) {
        if needsCallFlag.pointee.load(ordering: .relaxed) != needsCall {
            needsCallFlag.pointee.store(needsCall, ordering: .sequentiallyConsistent)
        }
    }

    /// A look from any thread.
    var isEmpty: Bool {
        @inline(__always) get {
            tail.pointee.load(ordering: .sequentiallyConsistent) == head.pointee.load(ordering: .relaxed)
        }
    }

    /// How many were added, ever. From any thread.
    var addedCount: Int { tail.pointee.load(ordering: .relaxed) }

    /// Takes all there are, also those that come meanwhile. Under the lock.
    @inline(__always)
    func takeAll(_ body: (consuming PlainAddition) -> Void) {
        var start = head.pointee.load(ordering: .relaxed)
        while true {
            let end = tail.pointee.load(ordering: .acquiring)
            guard start != end else { return }
            while start != end {
                body(entry(start).move())
                start += 1
            }
            head.pointee.store(start, ordering: .releasing)
        }
    }
}
