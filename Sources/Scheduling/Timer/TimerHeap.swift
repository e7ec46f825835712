public import HeapModule

/// A handle of a scheduled entry, with which a caller can cancel it.
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

/// Entries ordered by deadline, and by the order of scheduling if deadlines are equal.
///
/// A cancelled entry leaves its node behind in the heap. The node is dropped when it becomes the first, or with all
/// other stale nodes once they are the majority. Therefore nodes need not be searched for, and moving one writes
/// nothing else.
///
/// Inlinable, so that another module that uses it gets code specialised for its payload.
/// - Complexity: O(log *n*) to schedule and take; the same, amortised, to cancel; O(1) to read the next deadline.
@usableFromInline
package struct TimerHeap<Payload>: ~Copyable {
    @usableFromInline
    struct Slot {
        /// Incremented each time an entry leaves; a node of an earlier generation is stale.
        @usableFromInline var generation: UInt32 = 1
        /// The next free slot while free.
        @usableFromInline var nextFree = UInt32.max
        @usableFromInline var payload: Payload?

        @inlinable
        init(payload: Payload?) { self.payload = payload }
    }

    /// The first node, if there is one, is not stale.
    @usableFromInline var nodes = Heap<TimerNode>()
    @usableFromInline let slots = ChunkedStorage<Slot>()
    @usableFromInline var firstFree: UInt32 = .max
    /// Slots from here on are free, too, and adjacent.
    @usableFromInline var firstUnused = 0
    /// How many entries are scheduled.
    @usableFromInline package private(set) var count = 0
    /// The number of the next entry.
    @usableFromInline package private(set) var nextSequence: UInt64 = 0

    /// Makes an empty heap.
    @inlinable
    package init() {}

    /// Whether nothing is scheduled.
    @inlinable
    package var isEmpty: Bool { nodes.count == 0 }

    /// How many nodes there are, with those of cancelled entries.
    var nodeCount: Int { nodes.count }

    /// The deadline of the next entry.
    @inlinable
    package var nextDeadline: Int64? { nodes.min?.deadline }

    /// Adds an entry; those with equal deadlines come out in the order of scheduling.
    @discardableResult
    @inlinable
    package mutating func schedule(at deadline: Int64, _ payload: Payload) -> TimerHandle {
        let slot: UInt32
        if firstFree != .max {
            slot = firstFree
            firstFree = slots.pointer(slot).pointee.nextFree
        } else {
            slot = UInt32(firstUnused)
            if slot == slots.count { slots.append(Slot(payload: nil)) }
            firstUnused += 1
        }
        let place = slots.pointer(slot)
        place.pointee.payload = payload
        let handle = TimerHandle(slot: slot, generation: place.pointee.generation)
        nodes.insert(TimerNode(deadline: deadline, sequence: nextSequence, handle: handle))
        nextSequence += 1
        count += 1
        return handle
    }

    /// Takes an entry out; false if it came out before.
    @discardableResult
    @inlinable
    package mutating func cancel(_ handle: TimerHandle) -> Bool { take(handle) != nil }

    /// Takes the next entry if its deadline is not after `now`.
    @inlinable
    package mutating func popDue(_ now: Int64) -> (deadline: Int64, payload: Payload)? {
        guard let first = nodes.min, first.deadline <= now else { return nil }
        let payload = vacate(first.handle)
        nodes.removeMin()
        dropUselessFirst()
        return (first.deadline, payload)
    }

    /// An entry, as others see it.
    package typealias Entry = (handle: TimerHandle, deadline: Int64, sequence: UInt64, payload: Payload)

    /// All entries that are due, in the order in which they come out.
    /// - Complexity: O(*n* log *n*).
    package func entries(dueBy now: Int64) -> [Entry] {
        var result: [Entry] = []
        let due = nodes.unordered.filter { $0.deadline <= now && isOfUse($0) }
        for node in due.sorted() {
            guard let payload = slots.pointer(node.handle.slot).pointee.payload else { continue }
            result.append((node.handle, node.deadline, node.sequence, payload))
        }
        return result
    }

    /// Takes an entry out before its turn; nil if it came out before.
    @inlinable
    package mutating func take(_ handle: TimerHandle) -> Payload? {
        guard handle.slot < slots.count, slots.pointer(handle.slot).pointee.generation == handle.generation
        else { return nil }
        let payload = vacate(handle)
        if nodes.count > 2 * count + 64 { dropUseless() } else { dropUselessFirst() }
        return payload
    }

    // MARK: Slots

    @inlinable
    func isOfUse(_ node: TimerNode) -> Bool {
        slots.pointer(node.handle.slot).pointee.generation == node.handle.generation
    }

    /// Takes the payload of an entry that is scheduled; its slot is free from now on.
    @inlinable
    mutating func vacate(_ handle: TimerHandle) -> Payload {
        let slot = slots.pointer(handle.slot)
        guard let payload = slot.pointee.payload.take() else {
            preconditionFailure("timer slot \(handle.slot) is in the heap without a payload")
        }
        slot.pointee.generation &+= 1
        count -= 1
        if count > 0 {
            slot.pointee.nextFree = firstFree
            firstFree = handle.slot
        } else {
            // Entries scheduled together from now on are adjacent again.
            firstFree = .max
            firstUnused = 0
        }
        return payload
    }

    // MARK: Nodes

    @inlinable
    mutating func dropUselessFirst() {
        while let first = nodes.min, !isOfUse(first) { nodes.removeMin() }
    }

    @usableFromInline
    mutating func dropUseless() {
        nodes = Heap(nodes.unordered.filter { isOfUse($0) })
    }
}
