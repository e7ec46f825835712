#if canImport(Glibc)
internal import CLinux
internal import Glibc
#else
internal import Darwin
#endif

/// Whether the process may have more memory.
///
/// Swift ends the process when an allocation fails, so memory whose size a script, a file or a program decides is
/// checked before it is taken.
package enum MemoryRoom {
    /// Smaller pieces are not checked: other parts of the process allocate as much at any time.
    private static let least = 1 << 16

    /// The most bytes that a work keeps in memory unless its option `limit` says otherwise.
    package static let standardLimit = 256 << 20

    /// For a process whose addresses are limited (`ulimit -v`), before its second thread starts: all threads share one
    /// heap.
    ///
    /// Otherwise the C library reserves 64 MiB of addresses for the heap of each further thread and never gives them
    /// back, until there are none for the stack of a thread. Operations that need one would wait forever.
    package static func saveAddresses() {
        #if canImport(Glibc)
        linux_save_addresses()
        #endif
    }

    /// Whether an array of this many bytes can be allocated, and Lua's copy of it as well.
    ///
    /// - Parameter spare: Bytes that other parts of the process may need meanwhile.
    package static func has(_ bytes: Int, spare: Int = 16 << 20) -> Bool {
        if bytes < least { return true }
        let (twice, isTooLarge) = bytes.multipliedReportingOverflow(by: 2)
        let (size, isLarger) = twice.addingReportingOverflow(spare)
        guard !isTooLarge, !isLarger else { return false }
        guard
            let memory = mmap(
                nil,
                size,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1,
                0
            ),
            memory != MAP_FAILED
        else { return false }
        munmap(memory, size)
        return true
    }
}

/// Checks the memory for many small values of one text or table, before each further part of it is taken.
package struct MemoryPace {
    /// Bytes between two checks.
    private static let step = 1 << 20
    /// The C library takes up to 128 MiB of addresses for the heap of a thread. Without them, each small value would be
    /// a mapping of its own, and a process may have only so many of these.
    private static let spare = 160 << 20

    private var left = Self.step

    package init() {}

    /// A value of about this many bytes is made next; false if there is not enough memory for it. Amortised O(1).
    package mutating func allows(_ bytes: Int) -> Bool {
        left -= bytes
        if left >= 0 { return true }
        left = Self.step
        return MemoryRoom.has(max(bytes, Self.step), spare: Self.spare)
    }

    /// An array is appended to, which may take twice its memory; false if there is none for that.
    package func allows<Element>(growing array: [Element], by count: Int = 1) -> Bool {
        let needed = array.count + count
        if needed <= array.capacity { return true }
        let size = max(needed, array.capacity * 2) * MemoryLayout<Element>.stride
        return MemoryRoom.has(size, spare: Self.spare)
    }
}
