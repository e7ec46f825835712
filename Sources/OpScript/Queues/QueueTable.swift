internal import Scheduling

/// The script's queues by their place in the scheduler's list.
final class QueueTable {
    private struct Item {
        // Safe because a queue that is not held removes itself from the table before it is deallocated.
        let queue: Unmanaged<ScriptQueue>
        /// Whether the table keeps it: true for queues that live as long as the run.
        let isHeld: Bool

        func letGo() { if isHeld { queue.release() } }
    }

    private let items = PlainMemory([Item?]())
    private var droppedIDs: [QueueID] = []
    private var lastNumber: UInt32 = 0

    deinit {
        for item in items.value { item?.letGo() }
    }

    subscript(index: UInt32) -> ScriptQueue? { queue(Int(index))?.takeUnretainedValue() }

    /// Calls a closure with the queue at an index, if there is one, without counting references to it.
    ///
    /// The closure must not run the script, which might drop the queue.
    @inline(__always)
    func with<Result>(_ index: Int32, _ body: (ScriptQueue) -> Result) -> Result? {
        queue(Int(index))?._withUnsafeGuaranteedRef(body)
    }

    @inline(__always)
    private func queue(_ index: Int) -> Unmanaged<ScriptQueue>? {
        items.value.indices.contains(index) ? items.value[index]?.queue : nil
    }

    func add(_ queue: ScriptQueue) {
        put(Item(queue: .passRetained(queue), isHeld: true), at: Int(queue.id.index))
    }

    /// Adds a queue that lives as long as the script or something in it holds it.
    func addUnheld(_ queue: ScriptQueue) {
        lastNumber = lastNumber == .max ? 1 : lastNumber + 1
        queue.number = lastNumber
        queue.table = self
        put(Item(queue: .passUnretained(queue), isHeld: false), at: Int(queue.id.index))
    }

    private func put(_ item: Item, at index: Int) {
        while items.value.count <= index { items.value.append(nil) }
        items.value[index]?.letGo()
        items.value[index] = item
    }

    /// Removes a queue; false if it was not in the table.
    func remove(_ queue: ScriptQueue) -> Bool {
        let index = Int(queue.id.index)
        guard items.value.indices.contains(index), let item = items.value[index].take() else { return false }
        item.letGo()
        return true
    }

    /// Called by a queue to which there is no reference any more.
    func dropped(_ queue: ScriptQueue) {
        items.value[Int(queue.id.index)] = nil
        droppedIDs.append(queue.id)
    }

    /// The queues that were dropped since the last call; the scheduler does not know yet.
    func takeDropped() -> [QueueID] {
        guard !droppedIDs.isEmpty else { return [] }
        defer { droppedIDs = [] }
        return droppedIDs
    }

    /// All queues, in the order in which they were made.
    var all: [ScriptQueue] { items.value.compactMap { $0?.queue.takeUnretainedValue() } }
}
