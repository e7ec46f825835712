/// The operations that a worker has taken together and runs one after another.
///
/// A claim of short bodies needs the scheduler's lock once, not once for each. Its size follows the measured
/// time of the bodies, so that a claim lasts about ten microseconds. Guarded by the scheduler's lock, except
/// for the operations from the cursor's place on, which belong to the worker.
final class Claim {
    /// How long a claim should last, in nanoseconds.
    static let goal: Int64 = 10_000
    static let capacity = 64

    /// The part of a claim that is run for one operation.
    struct Member {
        /// Its body, which the scheduler retains until it has taken in the operation's end.
        unowned(unsafe) var body: (any OperationBody)?
        /// Its closure, if it has no handle; nil once it has begun.
        var block: Block?
    }

    let ids = UnsafeMutablePointer<OperationID>.allocate(capacity: capacity)
    let members = UnsafeMutablePointer<Member>.allocate(capacity: capacity)
    let cursor = ClaimCursor()
    /// When the body at each place began, which is when the one before it ended. Written by the worker,
    /// before the step that makes it visible, and only if the scheduler records facts.
    let stamps = UnsafeMutablePointer<Int64>.allocate(capacity: capacity + 1)
    /// Whether there are several operations, and the machine does not know how far the worker has come.
    var isOpen = false
    /// The place of the operation that executes, as far as the machine knows.
    var reported = 0
    /// How many operations the next claim may have.
    private(set) var size = 1

    init() {
        members.initialize(repeating: Member(), count: Self.capacity)
        stamps.initialize(repeating: 0, count: Self.capacity + 1)
    }

    deinit {
        ids.deallocate()
        members.deinitialize(count: Self.capacity)
        members.deallocate()
        stamps.deallocate()
    }

    func begin(_ count: Int) {
        isOpen = count > 1
        reported = 0
        cursor.begin(count)
    }

    /// The claim lasted this many nanoseconds.
    func lasted(_ nanoseconds: Int64) {
        if nanoseconds < Self.goal {
            size = min(Self.capacity, size * 2)
        } else if nanoseconds > 2 * Self.goal {
            size = max(1, size / 2)
        }
    }

    /// The machine has been brought up to date for a query. More such queries may follow.
    func wasTakenBack() {
        isOpen = false
        size = 1
    }

    /// Runs the body at a place. Only by the worker, outside the lock.
    @inline(__always)
    func execute(_ place: Int) throws {
        if let block = members[place].block.take() {
            try block.run()
        } else {
            try members[place].body?.execute()
        }
    }

    /// Empties a place that the worker has not reached.
    func takeMember(_ place: Int) -> Member {
        let member = members[place]
        members[place] = Member()
        return member
    }
}
