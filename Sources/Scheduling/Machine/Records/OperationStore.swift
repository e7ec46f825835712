/// The memory of all operations: dense slots in chunks that never move.
///
/// Freeing a long chain is a loop over slots, not a recursion over references.
struct OperationStore: ~Copyable {
    private let records = ChunkedStorage<OperationRecord>()
    /// The slot that was freed last of those below `fresh`.
    private var firstFree: UInt32 = .max
    /// The first slot that was not used since the store was last empty.
    ///
    /// It restarts at the first slot when the store is empty. Therefore operations that are created together are
    /// adjacent, in whichever order earlier operations ended.
    private var fresh: UInt32 = 0
    private(set) var liveCount = 0

    /// Slots that were ever used.
    var capacity: UInt32 { records.count }

    /// The record in `slot`, which must have been handed out before.
    @inline(__always)
    func pointer(_ slot: UInt32) -> UnsafeMutablePointer<OperationRecord> { records.pointer(slot) }

    /// The record of a live operation, or nil if the identity is stale.
    @inline(__always)
    func live(_ id: OperationID) -> UnsafeMutablePointer<OperationRecord>? {
        guard id.slot < records.count else { return nil }
        let record = records.pointer(id.slot)
        return record.pointee.generation == id.generation && record.pointee.phase != .free ? record : nil
    }

    /// The identity of the operation in `slot`.
    @inline(__always)
    func id(_ slot: UInt32) -> OperationID {
        OperationID(slot: slot, generation: pointer(slot).pointee.generation)
    }

    /// Takes a free slot, the one that was freed last or else the next, and resets its record.
    @inline(__always)
    mutating func allocate(_ lane: ExecutionLane = .worker, _ flags: OperationRecord.Flags = [])
        -> OperationID
    {
        liveCount += 1
        var new = OperationRecord()
        new.phase = .created
        new.lane = lane
        new.flags = flags
        let slot: UInt32
        let record: UnsafeMutablePointer<OperationRecord>
        if firstFree != .max {
            slot = firstFree
            record = pointer(slot)
            firstFree = record.pointee.nextInQueue
        } else {
            slot = fresh
            fresh += 1
            if slot == records.count {
                precondition(slot < 1 << 31, "there are more operations than a scheduler can tell apart")
                records.append(new)
                return OperationID(slot: slot, generation: new.generation)
            }
            record = pointer(slot)
        }
        new.generation = record.pointee.generation
        // Ready lists may still hold entries of the slot's former operations: their tokens must stay stale.
        new.readyToken = record.pointee.readyToken
        record.initialize(to: new)
        return OperationID(slot: slot, generation: new.generation)
    }

    /// Gives a slot back; its identity is stale from now on.
    @inline(__always)
    mutating func free(_ slot: UInt32) {
        let record = pointer(slot)
        precondition(record.pointee.phase != .free, "slot \(slot) was freed twice")
        record.pointee.phase = .free
        record.pointee.generation &+= 1
        record.pointee.readyToken &+= 1
        record.pointee.nextInQueue = firstFree
        firstFree = slot
        liveCount -= 1
        if liveCount == 0 {
            firstFree = .max
            fresh = 0
        }
    }

    /// Descriptions of its inconsistencies.
    ///
    /// For tests.
    var faults: [String] {
        var free = 0
        var slot = firstFree
        while slot != .max, free <= Int(fresh) {
            guard slot < fresh, pointer(slot).pointee.phase == .free else {
                return ["slot \(slot) is not free"]
            }
            free += 1
            slot = pointer(slot).pointee.nextInQueue
        }
        return liveCount + free == Int(fresh) ? [] : ["\(liveCount) slots and \(free) free, of \(fresh)"]
    }
}
