#if canImport(Glibc)
internal import Glibc
internal import CLinux
#else
internal import Darwin
#endif
internal import Synchronization

/// Some MiB from the system, in huge pages if it has them.
///
/// The allocator is not used: it cuts blocks aligned to a huge page out of its heap, and leaves equally large
/// holes between them. The system supplies untouched memory page by page, which takes up to 3 µs for each
/// page on virtual machines; a huge page takes as long as some fifty of the small pages that it replaces.
///
/// This does not hold if a hypervisor has taken back idle memory in large pieces (free page reporting): then
/// a huge page may take longer than all small pages that it replaces, since the hypervisor clears and maps it
/// piece by piece. Therefore the first touch of each block is timed, and after a slow one, small pages are
/// used for a while. See decisions 0021 and 0023.
package struct LargeMemory {
    /// The size of a huge page, in bytes, and how everything here is aligned.
    package static var hugePage: Int { 2 << 20 }

    package private(set) var start: UnsafeMutableRawPointer
    private var byteCount: Int

    /// - Parameter byteCount: How much is needed; rounded up to whole huge pages, since the system gives none if only
    ///   a part is requested.
    package init(byteCount: Int) {
        self.byteCount = Self.rounded(byteCount)
        let isBlock = self.byteCount == MemorySupply.blockSize
        guard let start = isBlock ? MemorySupply.shared.takeBlock() : Self.map(self.byteCount) else {
            preconditionFailure("the system has no memory left for \(byteCount) bytes")
        }
        self.start = start
    }

    /// Gives it back; it must no longer be in use.
    package func deallocate() {
        if byteCount == MemorySupply.blockSize {
            MemorySupply.shared.giveBlock(start)
        } else {
            MemorySupply.shared.forget(addresses)
            munmap(start, byteCount)
        }
    }

    /// Makes room for this many bytes, usually at another address. The contents stay: the pages move, or are copied if
    /// the system cannot move them.
    package mutating func grow(to byteCount: Int) {
        let byteCount = Self.rounded(byteCount)
        if byteCount <= self.byteCount { return }
        guard let start = Self.reserve(byteCount) else {
            preconditionFailure("the system has no memory left for \(byteCount) bytes")
        }
        MemorySupply.shared.forget(addresses)
        // The memory is moved piece by piece: one call can move only memory that was requested together and
        // has one kind of pages.
        for offset in stride(from: 0, to: self.byteCount, by: Self.hugePage) {
            Self.move(self.start + offset, to: start + offset)
        }
        #if canImport(Glibc)
        if !Self.smallPages.takesSmallOnes() {
            Self.askForHugePages(start + self.byteCount, byteCount - self.byteCount)
        }
        #endif
        self.start = start
        self.byteCount = byteCount
    }

    /// Moves the pages of a block; their old addresses are given back.
    private static func move(_ block: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
        #if canImport(Glibc)
        if linux_move_pages(block, hugePage, place) { return }
        // The mapping at the new place may be gone already.
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED
        guard mmap(place, hugePage, PROT_READ | PROT_WRITE, flags, -1, 0) == place else {
            preconditionFailure("the system has no memory left for \(hugePage) bytes")
        }
        #endif
        place.copyMemory(from: block, byteCount: hugePage)
        munmap(block, hugePage)
    }

    private var addresses: Range<UInt> {
        let first = UInt(bitPattern: start)
        return first..<first + UInt(byteCount)
    }

    private static func rounded(_ byteCount: Int) -> Int { (byteCount + hugePage - 1) & ~(hugePage - 1) }

    /// New memory from the system: whole huge pages; nil if it has none left.
    ///
    /// - Parameter triesHugePages: False if another caller is to test how fast they are.
    static func map(_ byteCount: Int, triesHugePages: Bool = true) -> UnsafeMutableRawPointer? {
        guard let start = reserve(byteCount) else { return nil }
        #if canImport(Glibc)
        if !smallPages.takesSmallOnes(tries: triesHugePages) { askForHugePages(start, byteCount) }
        #endif
        return start
    }

    /// Returns this many bytes, aligned, for which no kind of pages has been requested yet.
    private static func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let area = mmap(nil, byteCount + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let area, area != MAP_FAILED else { return nil }
        // The memory before and after the aligned part is given back.
        let before = (hugePage - Int(bitPattern: area)) & (hugePage - 1)
        let start = area + before
        if before > 0 { munmap(area, before) }
        if before < hugePage { munmap(start + byteCount, hugePage - before) }
        return start
    }

    #if canImport(Glibc)
    /// Requests huge pages for memory that was not in use, if they are not slow; its first byte becomes 0.
    private static func askForHugePages(_ start: UnsafeMutableRawPointer, _ byteCount: Int) {
        madvise(start, byteCount, MADV_HUGEPAGE)
        let before = SchedulerClock.systemNow
        start.storeBytes(of: 0, as: UInt8.self)
        guard SchedulerClock.systemNow - before > SmallPages.slowTouch else { return }
        smallPages.hugeOneWasSlow()
        if byteCount > hugePage {
            madvise(start + hugePage, byteCount - hugePage, MADV_NOHUGEPAGE)
        }
    }
    #endif

    private static let smallPages = SmallPages()
}

/// Counts the blocks for which no huge pages are requested.
final class SmallPages: Sendable {
    /// In nanoseconds: what 512 small pages take at 2 µs each.
    static let slowTouch: Int64 = 1_000_000
    /// Most blocks have 2 MiB, so there is one slow touch in a hundred and some MiB.
    private static let blocks = 64

    private let left = Atomic<Int>(0)

    /// Whether the next block is to have small pages.
    ///
    /// - Parameter tries: Whether it may be the block in huge pages that follows those in small ones; that block may be
    ///   slow.
    func takesSmallOnes(tries: Bool = true) -> Bool {
        // Two threads that count at the same time may count once: the number is only approximate.
        let left = left.load(ordering: .relaxed)
        if left > (tries ? 0 : 1) { self.left.store(left - 1, ordering: .relaxed) }
        return left > 0
    }

    /// The first touch of a huge page took long.
    func hugeOneWasSlow() { left.store(Self.blocks, ordering: .relaxed) }
}
