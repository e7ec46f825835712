internal import Synchronization

/// The kinds of additions after which the writer has to take the lock, because no worker will check soon.
struct AdditionNeed: OptionSet {
    let rawValue: UInt8
    /// Additions to queues without a width.
    static let shared = AdditionNeed(rawValue: 1)
    /// Additions to queues with a width.
    static let limited = AdditionNeed(rawValue: 2)
    static let all: AdditionNeed = [.shared, .limited]
}

/// Additions and dependencies that one thread hands over without taking the scheduler's lock.
///
/// Only that thread writes. The holder of the lock reads, and does so before anything else, so that all
/// threads see the additions in order with everything that the same thread does under the lock. ``need`` says
/// whether a worker will check soon without being woken; otherwise the writer takes the lock after writing.
/// Writer and reader each store their own side first and then load the other's, in one order for all threads,
/// so no addition is left behind.
final class AdditionRing: @unchecked Sendable {
    // @unchecked because entries between `head` and `tail` belong to the lock's holder, and all others and
    // `writer` to the writer.

    private static let capacity = 256
    private let memory = UnsafeMutablePointer<Submission>.allocate(capacity: capacity)
    /// Each side writes to cache lines of its own; otherwise each addition would wait for the last write of the other
    /// side.
    private let lines = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 128)
    /// Moved under the scheduler's lock.
    private let head: UnsafeMutablePointer<Atomic<Int>>
    /// Moved by the writer.
    private let tail: UnsafeMutablePointer<Atomic<Int>>
    /// Whether the writer has to take the lock, since no other thread checks soon; one bit for each kind of queue.
    private let needsCallFlag: UnsafeMutablePointer<Atomic<UInt8>>
    private let writer: UnsafeMutablePointer<Writer>

    /// The writer's own data.
    private struct Writer {
        /// Where it writes next.
        var end = 0
        /// The reader's place when the ring last looked full.
        var readerBegin = 0
    }

    init() {
        head = lines.bindMemory(to: Atomic<Int>.self, capacity: 1)
        tail = (lines + 128).bindMemory(to: Atomic<Int>.self, capacity: 1)
        needsCallFlag = (lines + 256).bindMemory(to: Atomic<UInt8>.self, capacity: 1)
        writer = (lines + 384).bindMemory(to: Writer.self, capacity: 1)
        head.initialize(to: Atomic(0))
        tail.initialize(to: Atomic(0))
        needsCallFlag.initialize(to: Atomic(AdditionNeed.all.rawValue))
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
    private func entry(_ place: Int) -> UnsafeMutablePointer<Submission> {
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
    func push(_ submission: consuming Submission) {
        let end = writer.pointee.end
        entry(end).initialize(to: submission)
        writer.pointee.end = end + 1
        tail.pointee.store(end + 1, ordering: .sequentiallyConsistent)
    }

    var need: AdditionNeed {
        @inline(__always) get {
            AdditionNeed(rawValue: needsCallFlag.pointee.load(ordering: .sequentiallyConsistent))
        }
    }

    /// Under the lock.
    @inline(__always)
    func setNeed(_ need: AdditionNeed) {
        if needsCallFlag.pointee.load(ordering: .relaxed) != need.rawValue {
            needsCallFlag.pointee.store(need.rawValue, ordering: .sequentiallyConsistent)
        }
    }

    /// From any thread.
    var isEmpty: Bool {
        @inline(__always) get {
            tail.pointee.load(ordering: .sequentiallyConsistent) == head.pointee.load(ordering: .relaxed)
        }
    }

    /// How many were ever added. From any thread.
    var addedCount: Int { tail.pointee.load(ordering: .relaxed) }

    /// Takes all submissions, including those that arrive meanwhile. Under the lock.
    @inline(__always)
    func takeAll(_ body: (consuming Submission) -> Void) {
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
