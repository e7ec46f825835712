/// The memory of all operations: dense slots in chunks that never move.
///
/// Freeing a long chain is a loop over slots, not a recursion over references.
struct OperationStore: ~Copyable {
    fileprivate static let chunkShift: UInt32 = 12
    fileprivate static let chunkSize: UInt32 = 1 << chunkShift

    private var chunks: [UnsafeMutablePointer<OperationRecord>] = []
    private var firstFree: UInt32 = .max
    /// Slots that were ever used.
    private(set) var capacity: UInt32 = 0
    private(set) var liveCount = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// The record in `slot`, which must have been handed out before.
    @inline(__always)
    func pointer(_ slot: UInt32) -> UnsafeMutablePointer<OperationRecord> {
        chunks[Int(slot >> Self.chunkShift)] + Int(slot & (Self.chunkSize - 1))
    }

    /// The records alone, for a look while something else of the machine changes.
    var records: Records { Records(chunks: chunks) }

    /// A view on all records, without a claim on the store.
    struct Records {
        fileprivate let chunks: [UnsafeMutablePointer<OperationRecord>]

        @inline(__always)
        func pointer(_ slot: UInt32) -> UnsafeMutablePointer<OperationRecord> {
            chunks[Int(slot >> OperationStore.chunkShift)] + Int(slot & (OperationStore.chunkSize - 1))
        }
    }

    /// The record of a live operation, or nil where the identity is stale.
    @inline(__always)
    func live(_ id: OperationID) -> UnsafeMutablePointer<OperationRecord>? {
        guard id.slot < capacity else { return nil }
        let record = pointer(id.slot)
        return record.pointee.generation == id.generation && record.pointee.phase != .free ? record : nil
    }

    /// The identity of the operation in `slot`.
    @inline(__always)
    func id(_ slot: UInt32) -> OperationID {
        OperationID(slot: slot, generation: pointer(slot).pointee.generation)
    }

    /// Takes a free slot and makes its record a new one.
    mutating func allocate() -> OperationID {
        if firstFree == .max { grow() }
        let slot = firstFree
        let record = pointer(slot)
        firstFree = record.pointee.nextInQueue
        let generation = record.pointee.generation
        record.pointee = OperationRecord()
        record.pointee.generation = generation
        record.pointee.phase = .created
        liveCount += 1
        return OperationID(slot: slot, generation: generation)
    }

    /// Gives a slot back; its identity is stale from now on.
    mutating func free(_ slot: UInt32) {
        let record = pointer(slot)
        precondition(record.pointee.phase != .free, "slot \(slot) was freed twice")
        record.pointee.phase = .free
        record.pointee.generation &+= 1
        record.pointee.nextInQueue = firstFree
        firstFree = slot
        liveCount -= 1
    }

    private mutating func grow() {
        let chunk = UnsafeMutablePointer<OperationRecord>.allocate(capacity: Int(Self.chunkSize))
        chunk.initialize(repeating: OperationRecord(), count: Int(Self.chunkSize))
        chunks.append(chunk)
        // The lowest slots are handed out first.
        for offset in stride(from: Int(Self.chunkSize) - 1, through: 0, by: -1) {
            chunk[offset].nextInQueue = firstFree
            firstFree = capacity + UInt32(offset)
        }
        capacity += Self.chunkSize
    }
}
