internal import Scheduling

/// Something the script thread will do, first in first out.
///
/// The size is small, since very many turns may be waiting: rare cases are stored out of line (`indirect`).
enum Turn {
    /// Start the best operation of a queue that the script thread runs.
    case startOperation(QueueID)
    /// Run the body of an operation whose turn in a queue of the host has come.
    case nativeTicket(OperationID)
    /// Serve observers, completion block and waiters of an operation that has finished.
    case ended(OperationID)
    /// Notify observers of a change.
    indirect case observed([Observation], ObservedChange)
    /// Let a wait end.
    case resume(Wait)
    /// Resume a coroutine that has only yielded to earlier turns. The turn owns the reference: the code that takes the
    /// turn takes over the reference.
    case goOn(Unmanaged<ScriptTask>)
    /// Call the `cancelled` hook of an asynchronous operation, or end it.
    case stopAsynchronous(OperationID)
    /// A timer is due.
    case fire(TimerID)
    /// A handler of a source is to be called.
    case source(EventSource)
    /// Call a completion block that was set after the end.
    indirect case lateCompletion(OperationHandle)
    /// A request of another thread.
    indirect case post(ScriptLink.Post)
    /// A task that is internal to the runtime.
    indirect case host(() -> Void)
}

/// A first-in-first-out queue in one contiguous block of memory.
final class TurnQueue {
    private var memory: UnsafeMutablePointer<Turn>
    /// A power of two.
    private var capacity: Int
    private var head = 0
    private(set) var count = 0
    /// How many turns were ever taken or dropped.
    private(set) var taken = 0

    init() {
        capacity = 64
        memory = .allocate(capacity: capacity)
    }

    deinit {
        while let turn = popFirst() {
            if case .goOn(let task) = turn { task.release() }
        }
        memory.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// How many turns will have been taken or dropped once no existing one is left.
    @inline(__always)
    var end: Int { taken + count }

    @inline(__always)
    func append(_ turn: consuming Turn) {
        if count == capacity { grow() }
        (memory + ((head + count) & (capacity - 1))).initialize(to: turn)
        count += 1
    }

    @inline(__always)
    func popFirst() -> Turn? {
        guard count > 0 else { return nil }
        let place = memory + head
        head = (head + 1) & (capacity - 1)
        count -= 1
        taken += 1
        return place.move()
    }

    /// The operation of the first turn, if that turn serves its end.
    var firstEnded: OperationID? {
        guard count > 0, case .ended(let id) = memory[head] else { return nil }
        return id
    }

    /// The timer of the first turn, if that turn fires a timer.
    var firstFire: TimerID? {
        guard count > 0, case .fire(let id) = memory[head] else { return nil }
        return id
    }

    /// Drops the first turn, which holds nothing that has to be released.
    func removeFirstPlain() {
        head = (head + 1) & (capacity - 1)
        count -= 1
        taken += 1
    }

    /// The turns at the front that start operations: the first one of each queue, with its place.
    var leadingStarts: [(place: Int, queue: QueueID)] {
        var starts: [(place: Int, queue: QueueID)] = []
        for place in 0..<count {
            guard case .startOperation(let queue) = memory[(head + place) & (capacity - 1)] else { break }
            if !starts.contains(where: { $0.queue == queue }) { starts.append((place, queue)) }
        }
        return starts
    }

    /// Takes a turn out of the middle.
    func remove(at place: Int) -> Turn {
        let turn = (memory + ((head + place) & (capacity - 1))).move()
        for place in stride(from: place, to: 0, by: -1) {
            let source = memory + ((head + place - 1) & (capacity - 1))
            (memory + ((head + place) & (capacity - 1))).initialize(to: source.move())
        }
        head = (head + 1) & (capacity - 1)
        count -= 1
        taken += 1
        return turn
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Turn>.allocate(capacity: 2 * capacity)
        // Those in front of the head are the newer ones.
        larger.moveInitialize(from: memory + head, count: capacity - head)
        (larger + capacity - head).moveInitialize(from: memory, count: head)
        memory.deallocate()
        memory = larger
        head = 0
        capacity *= 2
    }
}
