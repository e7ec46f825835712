internal import Scheduling

/// The script's queues by their place in the scheduler's list.
final class QueueTable {
    private var items: [ScriptQueue?] = []

    @inline(__always)
    subscript(index: UInt32) -> ScriptQueue? {
        Int(index) < items.count ? items[Int(index)] : nil
    }

    func add(_ queue: ScriptQueue) {
        let index = Int(queue.id.index)
        while items.count <= index { items.append(nil) }
        items[index] = queue
    }

    /// False where it was not there.
    func remove(_ queue: ScriptQueue) -> Bool {
        let index = Int(queue.id.index)
        guard index < items.count else { return false }
        return items[index].take() != nil
    }

    /// All of them, in the order of their making.
    var all: [ScriptQueue] { items.compactMap { $0 } }
}
