internal import Scheduling

/// What the runtime keeps of an operation, by its slot.
struct OperationEntry {
    /// `.none`: the slot is not in use here.
    var id = OperationID.none
    /// The userdata's memory; valid as long as the userdata lives, that is while it is anchored or on a stack.
    var block: OperationPointer?
    var body: WorkBody?
    var attachment: OperationAttachment?
    /// Whether its userdata is kept alive from here.
    var isAnchored = false
    /// For the diagnosis of what was made and never added: where, and which closure or -1.
    var source: Int32 = 0
    var line: Int32 = 0
    var work: Int32 = -1
    var isGate = false
    /// When its last attempt started, on the scheduler's clock.
    var startedAt: Int64 = 0
}

/// The entries of all operations, by slot, in memory that never moves.
///
/// A class with plain memory, so that the language has no exclusive access to check at each use.
final class OperationTable {
    private static let shift = 9
    private static let chunkSize = 1 << shift

    /// The chunks; the list of them moves when it grows, they do not.
    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<OperationEntry>>
    private var capacity = 16
    private var chunkCount = 0

    init() {
        chunks = .allocate(capacity: capacity)
    }

    deinit {
        for index in 0..<chunkCount {
            chunks[index].deinitialize(count: Self.chunkSize)
            chunks[index].deallocate()
        }
        chunks.deallocate()
    }

    /// How many slots have an entry.
    var count: Int { chunkCount << Self.shift }

    /// The entry in a slot below `count`.
    @inline(__always)
    subscript(slot: Int) -> UnsafeMutablePointer<OperationEntry> {
        chunks[slot >> Self.shift] + (slot & (Self.chunkSize - 1))
    }

    /// The entry of an operation, if it is known here.
    @inline(__always)
    func entry(_ id: OperationID) -> UnsafeMutablePointer<OperationEntry>? {
        guard Int(id.slot) < count else { return nil }
        let entry = self[Int(id.slot)]
        return entry.pointee.id == id ? entry : nil
    }

    /// The entry in a slot, which is made where it is beyond all others.
    @inline(__always)
    func makeEntry(_ slot: Int) -> UnsafeMutablePointer<OperationEntry> {
        while slot >= count { grow() }
        return self[slot]
    }

    private func grow() {
        if chunkCount == capacity {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<OperationEntry>>.allocate(
                capacity: capacity * 2
            )
            larger.moveInitialize(from: chunks, count: chunkCount)
            chunks.deallocate()
            chunks = larger
            capacity *= 2
        }
        let chunk = UnsafeMutablePointer<OperationEntry>.allocate(capacity: Self.chunkSize)
        chunk.initialize(repeating: OperationEntry(), count: Self.chunkSize)
        (chunks + chunkCount).initialize(to: chunk)
        chunkCount += 1
    }
}

/// Identities on their way between the script thread and the scheduler, in batches.
final class IdentityStack {
    private var memory: UnsafeMutablePointer<OperationID>
    private var capacity = 64
    private(set) var count = 0

    init() {
        memory = .allocate(capacity: capacity)
    }

    deinit {
        memory.deallocate()
    }

    @inline(__always)
    func push(_ id: OperationID) {
        if count == capacity { grow() }
        (memory + count).initialize(to: id)
        count += 1
    }

    @inline(__always)
    func pop() -> OperationID? {
        guard count > 0 else { return nil }
        count -= 1
        return memory[count]
    }

    private func grow() {
        let larger = UnsafeMutablePointer<OperationID>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: memory, count: count)
        memory.deallocate()
        memory = larger
        capacity *= 2
    }
}
