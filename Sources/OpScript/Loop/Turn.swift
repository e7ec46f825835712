internal import Scheduling

/// Something the script thread will do, first in first out.
///
/// Small, since very many may be waiting: what is seldom stands apart (`indirect`).
enum Turn {
    /// Start the best operation of a queue that the script thread runs.
    case startOperation(QueueID)
    /// Run the body of an operation whose turn in a queue of the host's has come.
    case nativeTicket(OperationID)
    /// Observers, completion block and waiters of an operation that has finished.
    case ended(OperationID)
    /// Tell observers of a change.
    indirect case observed([Observation], ObservedChange)
    /// Let a wait end.
    case resume(Wait)
    /// Let a coroutine go on that has only let the turns before go first. The reference is the turn's: whoever takes
    /// that takes it.
    case goOn(Unmanaged<ScriptTask>)
    /// Call the `cancelled` hook of an asynchronous operation, or end it.
    case stopAsynchronous(OperationID)
    /// A timer is due.
    case fire(TimerID)
    /// A handler of a source is to be called.
    case source(EventSource)
    /// Call a completion block that was set after the end.
    indirect case lateCompletion(OperationHandle)
    /// Something that another thread asks for.
    indirect case post(ScriptLink.Post)
    /// Something of the runtime's own.
    indirect case host(() -> Void)
}

/// First in, first out, in one piece of memory.
final class TurnQueue {
    private var memory: UnsafeMutablePointer<Turn>
    /// A power of two.
    private var capacity: Int
    private var head = 0
    private(set) var count = 0
    /// How many turns were ever taken, or dropped.
    private(set) var taken = 0
    /// What `memory` is of.
    private var storage = GrowingMemory<Turn>(capacity: 64)

    init() {
        memory = storage.start
        capacity = storage.capacity
    }

    deinit {
        while let turn = popFirst() {
            if case .goOn(let task) = turn { task.release() }
        }
        storage.deallocate()
    }

    var isEmpty: Bool { count == 0 }

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

    /// The operation of the first turn, if that is to serve its end.
    var firstEnded: OperationID? {
        guard count > 0, case .ended(let id) = memory[head] else { return nil }
        return id
    }

    /// The timer of the first turn, if that is to fire one.
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

    /// Those in front that start something, the first of each queue, with their places.
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

    /// What lies in front of the head, which is newer, follows at the old end.
    private func grow() {
        storage.grow()
        memory = storage.start
        (memory + capacity).moveInitialize(from: memory, count: head)
        capacity = storage.capacity
    }
}
