internal import Scheduling

/// Something the script thread will do, first in first out.
enum Turn {
    /// Start the best operation of a queue that the script thread runs.
    case startOperation(QueueID)
    /// Observers, completion block and waiters of an operation that has finished.
    case ended(OperationID)
    /// Tell observers of a change.
    case observed([Observation], ObservedChange)
    /// Let a wait end.
    case resume(Wait)
    /// Call the `cancelled` hook of an asynchronous operation, or end it.
    case stopAsynchronous(OperationID)
    /// A timer is due.
    case fire(ScriptTimer)
    /// Call a completion block that was set after the end.
    case lateCompletion(OperationHandle)
    /// Something of the host's.
    case host(() -> Void)
}

/// First in, first out, in one block of memory.
struct TurnQueue {
    private var items: [Turn?] = Array(repeating: nil, count: 64)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ turn: Turn) {
        if count == items.count {
            items = Array(items[head...] + items[..<head])
            items.append(contentsOf: repeatElement(nil, count: items.count))
            head = 0
        }
        items[(head + count) & (items.count - 1)] = turn
        count += 1
    }

    mutating func popFirst() -> Turn? {
        guard count > 0 else { return nil }
        let turn = items[head].take()
        head = (head + 1) & (items.count - 1)
        count -= 1
        return turn
    }
}
