internal import CLinux

/// Hints to the processor about memory of the engine, which is not memory of Lua.
enum CacheHints {
    /// Loads the line of memory at an address that the engine writes soon. Any address is valid.
    @inline(__always)
    static func prefetch(_ address: UnsafeRawPointer) { linux_prefetch(address) }
}
