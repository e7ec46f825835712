#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import Synchronization

/// Prefaults the allocator's memory when many small objects are created one after the other.
///
/// The addresses of the objects show it: reused memory has addresses in any order, fresh memory has
/// increasing ones. glibc gives every thread but the first a heap of its own that grows by one page at a
/// time, with a system call for each. A large block that is allocated and freed at once leaves a hole in the
/// heap: the next objects are cut from that hole, and the ``MemorySupply`` prefaults it just before. See
/// decision 0023.
///
/// All functions may be called on any thread; if several threads create objects alternately, they rarely do
/// anything.
package final class HeapReserve: Sendable {
    /// The size of a piece of addresses in bytes, as a power of two.
    private static let shift = 18
    /// The number of new pieces in order after which memory is prefaulted.
    private static let patience = 4
    /// How far ahead memory is prefaulted, in pieces.
    private static let lead: UInt = 4
    private static let holeSize = 8 << 20

    /// A thread's heap consists of parts of 256 pieces, 64 MiB; there are marks for 16 parts.
    private static let partShift = 8
    private static let marks = 16

    /// The highest piece so far of each part; parts whose numbers end in the same bits share a mark.
    // nonisolated(unsafe) because the pointer never changes, and what it points to is atomic.
    private nonisolated(unsafe) let highest: UnsafeMutablePointer<Atomic<UInt>>
    private let state = Mutex(State())

    private struct State {
        /// How many pieces came in order.
        var row = 0
        /// The memory ahead in the heap that is not prefaulted yet.
        var hole: Range<UInt> = 0..<0
        var keepsLargeBlocks = false
    }

    private let supply: MemorySupply

    package convenience init() { self.init(.shared) }

    init(_ supply: MemorySupply) {
        self.supply = supply
        highest = .allocate(capacity: Self.marks)
        for place in 0..<Self.marks { (highest + place).initialize(to: Atomic(0)) }
    }

    deinit {
        highest.deinitialize(count: Self.marks)
        highest.deallocate()
    }

    /// An object was created at this address.
    @inline(__always)
    package func note(_ address: UnsafeRawPointer) {
        let piece = UInt(bitPattern: address) >> UInt(Self.shift)
        let place = Self.place(of: piece)
        if piece > highest[place].load(ordering: .relaxed) { rose(to: piece, place) }
    }

    @inline(__always)
    package func note(_ object: AnyObject) {
        note(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    }

    /// The place of the mark of a piece.
    @inline(__always)
    private static func place(of piece: UInt) -> Int { Int(piece >> UInt(partShift)) & (marks - 1) }

    @inline(never)
    private func rose(to piece: UInt, _ place: Int) {
        let last = highest[place].exchange(piece, ordering: .relaxed)
        #if canImport(Glibc)
        let area = state.withLockIfAvailable { state -> Range<UInt>? in
            // The first piece of a new part of the heap counts as next.
            let isNext = piece == last + 1 || piece & (1 << UInt(Self.partShift) - 1) == 0
            state.row = isNext ? state.row + 1 : 0
            guard state.row >= Self.patience else { return nil }
            let here = piece << Self.shift
            let end = here + Self.lead << Self.shift
            if state.hole.upperBound < end || state.hole.lowerBound > end { makeHole(&state, here) }
            // Half of the lead at a time, so that there is no request for each piece.
            guard state.hole.upperBound > here,
                state.hole.lowerBound < here + (Self.lead / 2) << Self.shift
            else { return nil }
            let area = state.hole.clamped(to: here..<end)
            state.hole = area.upperBound..<state.hole.upperBound
            return area
        }
        if let area = area ?? nil { supply.touch(area) }
        #endif
    }

    /// The largest hole that fits into the same part of the heap after the piece at an address. For a larger
    /// hole, the allocator would begin a new part and give that back at once, since nothing else would be in
    /// it. 0 if a hole is not worthwhile.
    static func holeSize(at here: UInt) -> Int {
        let part = UInt(1) << UInt(shift + partShift)
        let room = Int(part - here & (part - 1))
        let size = min(holeSize, room - 2 << shift)
        return size >= Int(lead) << shift ? size : 0
    }

    #if canImport(Glibc)
    /// Makes the heap of this thread grow, or grow less if it has other holes.
    private func makeHole(_ state: inout sending State, _ here: UInt) {
        let size = Self.holeSize(at: here)
        if size == 0 { return }
        if !state.keepsLargeBlocks {
            // Blocks larger than any freed so far get a mapping of their own, and free memory at the end of the heap
            // goes back to the system, until a block of their size is freed (mallopt(3), M_MMAP_THRESHOLD).
            free(malloc(2 * Self.holeSize))
            state.keepsLargeBlocks = true
        }
        guard let block = malloc(size) else { return }
        let start = UInt(bitPattern: block)
        free(block)
        let end = start + UInt(size)
        state.hole = ((start..<end).contains(state.hole.lowerBound) ? state.hole.lowerBound : start)..<end
    }
    #endif
}
