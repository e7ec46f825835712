#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Some MiB from the system, in huge pages where it has them.
///
/// Not from the allocator: it cuts what is aligned to a huge page out of its heap, and leaves holes as large between. Memory that
/// was never touched is handed out page by page, at up to 3 µs for each on virtual machines, and a huge one takes as
/// long as some fifty of those that it stands for.
package struct LargeMemory {
    /// The size of a huge page, in bytes, and how everything here is aligned.
    package static var hugePage: Int { 2 << 20 }

    package let start: UnsafeMutableRawPointer
    private let byteCount: Int

    /// - Parameter byteCount: How much is needed; rounded up to whole huge pages, since the system gives none where only a part is
    ///   wanted.
    package init(byteCount: Int) {
        let mask = Self.hugePage - 1
        self.byteCount = (byteCount + mask) & ~mask
        let area = mmap(
            nil,
            self.byteCount + Self.hugePage,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            -1,
            0
        )
        guard let area, area != MAP_FAILED else {
            preconditionFailure("the system has no memory left for \(byteCount) bytes")
        }
        // What lies before and behind the aligned part is given back.
        let before = (Self.hugePage - Int(bitPattern: area)) & mask
        start = area + before
        if before > 0 { munmap(area, before) }
        if before < Self.hugePage { munmap(start + self.byteCount, Self.hugePage - before) }
        #if canImport(Glibc)
        madvise(start, self.byteCount, MADV_HUGEPAGE)
        #endif
    }

    /// Gives it back; nothing may use it any more.
    package func deallocate() { munmap(start, byteCount) }
}
