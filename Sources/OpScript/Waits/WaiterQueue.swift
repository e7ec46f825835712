/// The waits for one thing, first come, first served.
final class WaiterQueue {
    private var items: [Wait] = []
    private var head = 0
    /// How many of the items have given up: they timed out or were cancelled.
    private var goneCount = 0

    func append(_ wait: Wait) { items.append(wait) }

    /// Takes the first item that still waits.
    func popFirst() -> Wait? {
        while head < items.count {
            let wait = items[head]
            head += 1
            if head == items.count {
                items.removeAll(keepingCapacity: head <= 64)
                head = 0
            } else if head >= 64, head * 2 >= items.count {
                items.removeSubrange(..<head)
                head = 0
            }
            if wait.outcome == nil { return wait }
            goneCount = max(0, goneCount - 1)
        }
        return nil
    }

    /// Notes that a wait has ended. A wait that was not served is still in the queue.
    func left(_ wait: Wait) {
        if case .reached? = wait.outcome { return }
        goneCount += 1
        guard goneCount > 16, goneCount * 2 > items.count - head else { return }
        items = items[head...].filter { $0.outcome == nil }
        head = 0
        goneCount = 0
    }

    /// Whether no item still waits.
    var isEmpty: Bool { !items[head...].contains { $0.outcome == nil } }

    /// How many items still wait.
    var count: Int { items[head...].count { $0.outcome == nil } }
}
