internal import Scheduling

/// The script's queues by their place in the scheduler's list.
final class QueueTable {
    private struct Item {
        // Safe because the queue takes itself out of the table before it goes.
        unowned(unsafe) let queue: ScriptQueue
        /// The same, for queues that live as long as the run does.
        let hold: ScriptQueue?
    }

    private var items: [Item?] = []
    private var droppedIDs: [QueueID] = []
    private var lastNumber: UInt32 = 0

    @inline(__always)
    subscript(index: UInt32) -> ScriptQueue? {
        Int(index) < items.count ? items[Int(index)]?.queue : nil
    }

    func add(_ queue: ScriptQueue) {
        put(Item(queue: queue, hold: queue), at: Int(queue.id.index))
    }

    /// Adds a queue that lives as long as somebody else holds it.
    func addUnheld(_ queue: ScriptQueue) {
        lastNumber = lastNumber == .max ? 1 : lastNumber + 1
        queue.number = lastNumber
        queue.table = self
        put(Item(queue: queue, hold: nil), at: Int(queue.id.index))
    }

    private func put(_ item: Item, at index: Int) {
        while items.count <= index { items.append(nil) }
        items[index] = item
    }

    /// False where it was not there.
    func remove(_ queue: ScriptQueue) -> Bool {
        let index = Int(queue.id.index)
        guard index < items.count else { return false }
        return items[index].take() != nil
    }

    /// Nobody holds the queue any more.
    func dropped(_ queue: ScriptQueue) {
        items[Int(queue.id.index)] = nil
        droppedIDs.append(queue.id)
    }

    /// Those that were dropped since this was last asked; the scheduler is still to be told.
    func takeDropped() -> [QueueID] {
        guard !droppedIDs.isEmpty else { return [] }
        defer { droppedIDs = [] }
        return droppedIDs
    }

    /// All of them, in the order of their making.
    var all: [ScriptQueue] { items.compactMap { $0?.queue } }
}
