/// What a caller keeps of a scheduled entry, to cancel it.
@usableFromInline
package struct TimerHandle: Hashable, Sendable, BitwiseCopyable {
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
/// A heap of nodes in one piece of memory. What is cancelled leaves its node behind, which is dropped when it comes first, or together with
/// all others like it once they are the greater part; so nodes need not be found again, and moving one writes nothing else.
///
/// Inlinable, so that it is compiled for the payload at hand where another module uses it.
/// - Complexity: O(log *n*) to schedule and take, O(log *n*) amortised to cancel; O(1) to look at the next deadline.
@usableFromInline
package struct TimerHeap<Payload> {
    @usableFromInline
    struct Node: BitwiseCopyable {
        @usableFromInline var deadline: Int64
        @usableFromInline var sequence: UInt64
        @usableFromInline var handle: TimerHandle

        @inlinable
        init(deadline: Int64, sequence: UInt64, handle: TimerHandle) {
            self.deadline = deadline
            self.sequence = sequence
            self.handle = handle
        }

        @inlinable
        static func < (left: Node, right: Node) -> Bool {
            left.deadline != right.deadline ? left.deadline < right.deadline : left.sequence < right.sequence
        }
    }

    @usableFromInline
    struct Slot {
        /// One more with each entry that has left; a node of an earlier one is of no more use.
        @usableFromInline var generation: UInt32 = 1
        /// The next free slot while free.
        @usableFromInline var nextFree = UInt32.max
        @usableFromInline var payload: Payload?

        @inlinable
        init(payload: Payload?) { self.payload = payload }
    }

    /// The first one is of use, if there is any.
    @usableFromInline var nodes: [Node] = []
    @usableFromInline var slots: [Slot] = []
    @usableFromInline var firstFree: UInt32 = .max
    /// How many entries are scheduled.
    @usableFromInline package private(set) var count = 0
    /// What the next entry is numbered with.
    @usableFromInline package private(set) var nextSequence: UInt64 = 0

    /// Makes an empty heap.
    @inlinable
    package init() {}

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
            slots.append(Slot(payload: payload))
        } else {
            slot = firstFree
            firstFree = slots[Int(slot)].nextFree
            slots[Int(slot)].payload = payload
        }
        let handle = TimerHandle(slot: slot, generation: slots[Int(slot)].generation)
        nodes.append(Node(deadline: deadline, sequence: nextSequence, handle: handle))
        nextSequence += 1
        count += 1
        siftUp(nodes.count - 1)
        return handle
    }

    /// Takes an entry out; false where it came out before.
    @discardableResult
    @inlinable
    package mutating func cancel(_ handle: TimerHandle) -> Bool { take(handle) != nil }

    /// Takes the next entry if its deadline is not after `now`.
    @inlinable
    package mutating func popDue(_ now: Int64) -> (deadline: Int64, payload: Payload)? {
        guard let first = nodes.first, first.deadline <= now else { return nil }
        let payload = vacate(first.handle)
        dropFirstNode()
        dropUselessFirst()
        return (first.deadline, payload)
    }

    /// All entries that are due, in the order in which they come out.
    /// - Complexity: O(*n* log *n*).
    package func entries(dueBy now: Int64) -> [(handle: TimerHandle, sequence: UInt64, payload: Payload)] {
        nodes.filter { $0.deadline <= now && isOfUse($0) }.sorted(by: <).compactMap { node in
            slots[Int(node.handle.slot)].payload.map { (node.handle, node.sequence, $0) }
        }
    }

    /// Takes an entry out before its turn; nil where it came out before.
    @inlinable
    package mutating func take(_ handle: TimerHandle) -> Payload? {
        guard slots.indices.contains(Int(handle.slot)),
            slots[Int(handle.slot)].generation == handle.generation
        else { return nil }
        let payload = vacate(handle)
        if nodes.count > 2 * count + 64 { dropUseless() } else { dropUselessFirst() }
        return payload
    }

    // MARK: Slots

    @inlinable
    func isOfUse(_ node: Node) -> Bool {
        slots[Int(node.handle.slot)].generation == node.handle.generation
    }

    /// Takes the payload of an entry that is scheduled; its slot is free from now on.
    @inlinable
    mutating func vacate(_ handle: TimerHandle) -> Payload {
        let slot = Int(handle.slot)
        guard let payload = slots[slot].payload.take() else {
            preconditionFailure("timer slot \(slot) is in the heap without a payload")
        }
        slots[slot].generation &+= 1
        slots[slot].nextFree = firstFree
        firstFree = handle.slot
        count -= 1
        return payload
    }

    // MARK: Nodes

    @inlinable
    mutating func dropUselessFirst() {
        while let first = nodes.first, !isOfUse(first) { dropFirstNode() }
    }

    @usableFromInline
    mutating func dropUseless() {
        let slots = slots
        nodes.removeAll { slots[Int($0.handle.slot)].generation != $0.handle.generation }
        for position in stride(from: (nodes.count - 2) >> 2, through: 0, by: -1) { siftDown(position) }
    }

    @inlinable
    mutating func dropFirstNode() {
        let last = nodes.removeLast()
        guard !nodes.isEmpty else { return }
        nodes[0] = last
        siftDown(0)
    }

    @inlinable
    mutating func siftUp(_ start: Int) {
        nodes.withUnsafeMutableBufferPointer { nodes in
            var position = start
            let node = nodes[position]
            while position > 0 {
                let parent = (position - 1) >> 2
                guard node < nodes[parent] else { break }
                nodes[position] = nodes[parent]
                position = parent
            }
            nodes[position] = node
        }
    }

    @inlinable
    mutating func siftDown(_ start: Int) {
        nodes.withUnsafeMutableBufferPointer { nodes in
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
                position = smallest
            }
            nodes[position] = node
        }
    }
}
