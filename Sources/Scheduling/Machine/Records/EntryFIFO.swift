/// Entries of ready lists in first-in first-out order, in chunks of memory that are reused.
///
/// Growing copies nothing. Memory is kept, so only a new maximum of entries touches fresh memory. A value
/// must not be copied: its chunks belong to one FIFO.
struct EntryFIFO {
    typealias Entry = ReadyList.Entry

    private let pool: EntryPool
    /// The next entry to come out, and the end of its chunk.
    private var next: UnsafeMutablePointer<Entry>?
    private var nextEnd: UnsafeMutablePointer<Entry>?
    /// The place for the next entry, and the end of its chunk.
    private var free: UnsafeMutablePointer<Entry>?
    private var freeEnd: UnsafeMutablePointer<Entry>?
    private(set) var count = 0
    /// The number of the entry that was appended last.
    private(set) var lastSequence: UInt64 = 0

    init(_ pool: EntryPool) { self.pool = pool }

    @inline(__always)
    var first: Entry? { count == 0 ? nil : next?.pointee }

    @inline(__always)
    mutating func append(_ entry: Entry) {
        if free == freeEnd { addChunk() }
        free?.initialize(to: entry)
        free = free.map { $0 + 1 }
        count += 1
        lastSequence = entry.sequence
    }

    /// - Precondition: It is not empty.
    @inline(__always)
    mutating func removeFirst() {
        count -= 1
        next = next.map { $0 + 1 }
        if count == 0 || next == nextEnd { leaveChunk() }
    }

    /// Keeps some of its entries, in their order.
    mutating func filter(_ isIncluded: (Entry) -> Bool) {
        for _ in 0..<count {
            guard let entry = first else { return }
            removeFirst()
            if isIncluded(entry) { append(entry) }
        }
    }

    @inline(never)
    private mutating func addChunk() {
        let chunk = pool.take()
        if let freeEnd {
            EntryPool.link(chunk, after: freeEnd)
        } else {
            (next, nextEnd) = (chunk, chunk + EntryPool.capacity)
        }
        (free, freeEnd) = (chunk, chunk + EntryPool.capacity)
    }

    /// The first chunk is used up, or the FIFO is empty.
    @inline(never)
    private mutating func leaveChunk() {
        guard let end = nextEnd else { return }
        let following = end == freeEnd ? nil : EntryPool.following(end)
        pool.give(back: end - EntryPool.capacity)
        (next, nextEnd) = (following, following.map { $0 + EntryPool.capacity })
        if following == nil { (free, freeEnd) = (nil, nil) }
    }

    /// Drops all entries, and gives their memory back.
    mutating func removeAll() {
        while nextEnd != nil { leaveChunk() }
        count = 0
    }
}

/// The chunks of all FIFOs of one machine.
///
/// The place after the entries of a chunk holds the address of the following chunk: the next one of a FIFO,
/// or the next free one.
final class EntryPool {
    typealias Entry = ReadyList.Entry

    /// How many entries a chunk has room for; with its last place it fills a kilobyte.
    static let capacity = 63
    private static let stride = capacity + 1
    private static let chunksInBlock = 16

    private var blocks: [UnsafeMutablePointer<Entry>] = []
    private var firstFree: UnsafeMutablePointer<Entry>?
    /// The unused part of the last block.
    private var next: UnsafeMutablePointer<Entry>?
    private var chunksLeft = 0

    init() {}

    deinit {
        for block in blocks { block.deallocate() }
    }

    func take() -> UnsafeMutablePointer<Entry> {
        if let chunk = firstFree {
            firstFree = Self.following(chunk + Self.capacity)
            return chunk
        }
        if chunksLeft == 0 { makeBlock() }
        guard let chunk = next else { preconditionFailure("a block without a chunk") }
        next = chunk + Self.stride
        chunksLeft -= 1
        (chunk + Self.capacity).initialize(to: Entry(sequence: 0, slot: 0, token: 0))
        return chunk
    }

    private func makeBlock() {
        chunksLeft = Self.chunksInBlock
        let block = UnsafeMutablePointer<Entry>.allocate(capacity: Self.stride * chunksLeft)
        blocks.append(block)
        next = block
    }

    func give(back chunk: UnsafeMutablePointer<Entry>) {
        (chunk + Self.capacity).pointee.sequence = UInt64(UInt(bitPattern: firstFree))
        firstFree = chunk
    }

    /// Links a chunk after the chunk with this end.
    static func link(_ chunk: UnsafeMutablePointer<Entry>, after end: UnsafeMutablePointer<Entry>) {
        end.pointee.sequence = UInt64(UInt(bitPattern: chunk))
    }

    static func following(_ end: UnsafeMutablePointer<Entry>) -> UnsafeMutablePointer<Entry>? {
        UnsafeMutablePointer(bitPattern: UInt(end.pointee.sequence))
    }
}
