/// What a caller keeps of a scheduled entry, to cancel it.
@usableFromInline
package struct TimerHandle: Hashable, Sendable {
    @usableFromInline let slot: UInt32
    @usableFromInline let generation: UInt32

    @inlinable
    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }
}

/// Entries ordered by deadline, and by the order of scheduling where deadlines are equal.
///
/// Inlinable, so that it is compiled for the payload at hand where another module uses it.
/// - Complexity: O(log *n*) to schedule, cancel and take; O(1) to look at the next deadline.
@usableFromInline
package struct TimerHeap<Payload> {
    @usableFromInline
    struct Node {
        @usableFromInline var deadline: Int64
        @usableFromInline var sequence: UInt64
        @usableFromInline var slot: UInt32

        @inlinable
        init(deadline: Int64, sequence: UInt64, slot: UInt32) {
            self.deadline = deadline
            self.sequence = sequence
            self.slot = slot
        }

        @inlinable
        static func < (left: Node, right: Node) -> Bool {
            left.deadline != right.deadline ? left.deadline < right.deadline : left.sequence < right.sequence
        }
    }

    @usableFromInline
    struct Slot {
        @usableFromInline var generation: UInt32 = 1
        /// Where its node is in the heap; the next free slot while free.
        @usableFromInline var position: UInt32
        @usableFromInline var payload: Payload?

        @inlinable
        init(position: UInt32, payload: Payload?) {
            self.position = position
            self.payload = payload
        }
    }

    @usableFromInline var nodes: [Node] = []
    @usableFromInline var slots: [Slot] = []
    @usableFromInline var firstFree: UInt32 = .max
    /// What the next entry is numbered with.
    @usableFromInline package private(set) var nextSequence: UInt64 = 0

    /// Makes an empty heap.
    @inlinable
    package init() {}

    /// How many entries are scheduled.
    @inlinable
    package var count: Int { nodes.count }

    /// Whether nothing is scheduled.
    @inlinable
    package var isEmpty: Bool { nodes.isEmpty }

    /// The deadline of the next entry.
    @inlinable
    package var nextDeadline: Int64? { nodes.first?.deadline }

    /// Adds an entry; those with equal deadlines come out in the order of scheduling.
    @discardableResult
    @inlinable
    package mutating func schedule(at deadline: Int64, _ payload: Payload) -> TimerHandle {
        let slot: UInt32
        if firstFree == .max {
            slot = UInt32(slots.count)
            slots.append(Slot(position: 0, payload: payload))
        } else {
            slot = firstFree
            firstFree = slots[Int(slot)].position
            slots[Int(slot)].payload = payload
        }
        nodes.append(Node(deadline: deadline, sequence: nextSequence, slot: slot))
        nextSequence += 1
        siftUp(nodes.count - 1)
        return TimerHandle(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Takes an entry out; false where it came out before.
    @discardableResult
    @inlinable
    package mutating func cancel(_ handle: TimerHandle) -> Bool {
        guard slots.indices.contains(Int(handle.slot)),
            slots[Int(handle.slot)].generation == handle.generation,
            slots[Int(handle.slot)].payload != nil
        else { return false }
        _ = remove(at: Int(slots[Int(handle.slot)].position))
        return true
    }

    /// Takes the next entry if its deadline is not after `now`.
    @inlinable
    package mutating func popDue(_ now: Int64) -> (deadline: Int64, payload: Payload)? {
        guard let first = nodes.first, first.deadline <= now else { return nil }
        return (first.deadline, remove(at: 0))
    }

    /// All entries that are due, in the order in which they come out.
    /// - Complexity: O(*n* log *n*).
    package func entries(dueBy now: Int64) -> [(handle: TimerHandle, sequence: UInt64, payload: Payload)] {
        nodes.filter { $0.deadline <= now }.sorted(by: <).compactMap { node in
            let slot = slots[Int(node.slot)]
            return slot.payload.map {
                (TimerHandle(slot: node.slot, generation: slot.generation), node.sequence, $0)
            }
        }
    }

    /// Takes an entry out before its turn; nil where it came out before.
    package mutating func take(_ handle: TimerHandle) -> Payload? {
        let slot = slots[Int(handle.slot)]
        guard slot.generation == handle.generation, slot.payload != nil else { return nil }
        return remove(at: Int(slot.position))
    }

    @inlinable
    mutating func remove(at position: Int) -> Payload {
        let slot = Int(nodes[position].slot)
        let last = nodes.removeLast()
        if position < nodes.count {
            nodes[position] = last
            slots[Int(last.slot)].position = UInt32(position)
            siftDown(position)
            siftUp(position)
        }
        guard let payload = slots[slot].payload.take() else {
            preconditionFailure("timer slot \(slot) is in the heap without a payload")
        }
        slots[slot].generation &+= 1
        slots[slot].position = firstFree
        firstFree = UInt32(slot)
        return payload
    }

    @inlinable
    mutating func siftUp(_ start: Int) {
        var position = start
        let node = nodes[position]
        while position > 0 {
            let parent = (position - 1) >> 2
            guard node < nodes[parent] else { break }
            nodes[position] = nodes[parent]
            slots[Int(nodes[position].slot)].position = UInt32(position)
            position = parent
        }
        nodes[position] = node
        slots[Int(node.slot)].position = UInt32(position)
    }

    @inlinable
    mutating func siftDown(_ start: Int) {
        var position = start
        let node = nodes[position]
        while true {
            let firstChild = position << 2 + 1
            guard firstChild < nodes.count else { break }
            var smallest = firstChild
            for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, nodes.count))
            where nodes[child] < nodes[smallest] {
                smallest = child
            }
            guard nodes[smallest] < node else { break }
            nodes[position] = nodes[smallest]
            slots[Int(nodes[position].slot)].position = UInt32(position)
            position = smallest
        }
        nodes[position] = node
        slots[Int(node.slot)].position = UInt32(position)
    }
}
