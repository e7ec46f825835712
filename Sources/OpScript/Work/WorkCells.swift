internal import LuaVM
internal import Scheduling
internal import Synchronization

/// The cells of all operations, by slot, in memory that never moves.
///
/// Only the script thread adds some, and before the operation is handed to the scheduler. Workers find theirs by the table of chunks, of which all
/// former versions are kept, since somebody may look at one.
final class WorkCells: OperationRunner, @unchecked Sendable {
    // @unchecked because all but `chunks` belongs to the script thread, and what is in a cell to one thread at a time.

    private typealias Chunk = UnsafeMutablePointer<WorkCell>
    private typealias Table = UnsafeMutablePointer<Chunk>

    private let cells = ChunkedStorage<WorkCell>()
    private let chunks: Atomic<Table>
    private var tables: [Table]
    private var tableSize = 64
    private let chunkCount = Atomic<Int>(0)
    /// What cells may refer to.
    private var definitions: [WorkDefinition] = []

    init() {
        let table = Table.allocate(capacity: tableSize)
        tables = [table]
        chunks = Atomic(table)
    }

    deinit {
        for table in tables { table.deallocate() }
    }

    /// Lets cells refer to definitions, as long as this lives.
    ///
    /// - Parameter former: What was there before, at the same places, and is kept already.
    func keep(_ definitions: [WorkDefinition], after former: [WorkDefinition]) {
        for (place, definition) in definitions.enumerated()
        where place >= former.count || former[place] !== definition {
            self.definitions.append(definition)
        }
    }

    /// The cell of a slot that has one.
    @inline(__always)
    func existing(_ slot: Int) -> UnsafeMutablePointer<WorkCell> { cells.pointer(UInt32(slot)) }

    /// The cell of a slot, if there is one.
    @inline(__always)
    func possible(_ slot: Int) -> UnsafeMutablePointer<WorkCell>? {
        slot < Int(cells.count) ? existing(slot) : nil
    }

    /// Has the processor fetch a cell.
    ///
    /// Not of the object, which would be kept alive meanwhile: its count of references lies beside what workers read for each body.
    @inline(__always)
    static func prefetch(_ cell: UnsafeMutablePointer<WorkCell>) {
        let cell = UnsafeRawPointer(cell)
        CacheLine.prefetch(cell)
        // Not each cell is in one line.
        CacheLine.prefetch(cell + MemoryLayout<WorkCell>.size - 1)
    }

    /// The cell of a slot, which is made where there is none.
    @inline(__always)
    func make(_ slot: Int) -> UnsafeMutablePointer<WorkCell> {
        if slot >= Int(cells.count) { grow(to: slot) }
        return existing(slot)
    }

    @inline(never)
    private func grow(to slot: Int) {
        while slot >= Int(cells.count) {
            let index = cells.append(WorkCell())
            if index % ChunkedStorage<WorkCell>.chunkSize == 0 { publish(cells.pointer(index)) }
        }
    }

    private func publish(_ chunk: Chunk) {
        let count = chunkCount.load(ordering: .relaxed)
        var table = chunks.load(ordering: .relaxed)
        if count == tableSize {
            tableSize *= 2
            let larger = Table.allocate(capacity: tableSize)
            larger.initialize(from: table, count: count)
            tables.append(larger)
            table = larger
            chunks.store(table, ordering: .releasing)
        }
        (table + count).initialize(to: chunk)
        chunkCount.store(count + 1, ordering: .releasing)
    }

    /// The cell of an operation that workers may know; on any thread.
    private func published(_ id: OperationID) -> UnsafeMutablePointer<WorkCell>? {
        let size = Int(ChunkedStorage<WorkCell>.chunkSize)
        let place = Int(id.slot) / size
        guard place < chunkCount.load(ordering: .acquiring) else { return nil }
        return chunks.load(ordering: .acquiring)[place] + Int(id.slot) % size
    }

    func execute(_ id: OperationID) throws { try published(id)?.execute() }

    func cancel(_ id: OperationID) -> (@Sendable () -> Void)? { published(id)?.cancel() }
}
