#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import Scheduling

/// Has the allocator fetch memory for many small objects at once, on this thread.
///
/// glibc gives every thread but the first a heap of its own that grows by a page at a time, with a system call for each, and each page
/// is then touched for the first time. That takes longer than making the object. A large block that is taken and given back at once
/// leaves a hole in the heap, from which what comes next is cut; the system is asked for huge pages there. See decision 0021.
///
/// Confined to the script thread.
final class HeapReserve {
    /// Bytes of objects that were made and not given back.
    private var used = 0
    /// At how many of them memory is fetched; scripts that need less never fetch any.
    private var fetched = 128 << 10
    /// Keeps the hole from the heap's end, where it would be given back to the system.
    private var guardian: UnsafeMutableRawPointer?
    private var comesFromHeap = false

    /// How much is fetched at once, in bytes: the most of it lies in whole huge pages.
    private static let step = 8 << 20

    deinit { free(guardian) }

    /// About as many bytes more were taken of the heap.
    @inline(__always)
    func note(_ byteCount: Int) {
        used += byteCount
        if used >= fetched { grow() }
    }

    /// As many of those that were noted were given back to the heap.
    @inline(__always)
    func noteEnd(_ byteCount: Int) { used -= byteCount }

    /// Makes a hole, or less where the heap has other holes.
    @inline(never)
    private func grow() {
        fetched += Self.step
        #if canImport(Glibc)
        if !comesFromHeap {
            // Larger blocks than any yet given back get a mapping of their own, until one of their size is given back (mallopt(3),
            // M_MMAP_THRESHOLD).
            free(Self.takeBlock(2 * Self.step))
            comesFromHeap = true
        }
        let block = Self.takeBlock(Self.step)
        let next = malloc(1)
        free(block)
        free(guardian)
        guardian = next
        #endif
    }

    #if canImport(Glibc)
    private static func takeBlock(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard let block = malloc(byteCount) else { return nil }
        let mask = LargeMemory.hugePage - 1
        let first = (Int(bitPattern: block) + mask) & ~mask
        let end = (Int(bitPattern: block) + byteCount) & ~mask
        if first < end, let start = UnsafeMutableRawPointer(bitPattern: first) {
            LargeMemory.askForHugePages(start, end - first)
        }
        return block
    }
    #endif
}
