public import CLua

/// What a program can do about memory that is far away.
public enum CacheLine {
    /// Has the processor fetch the line at an address that will be written soon, mostly from another core, which loses it; any address
    /// will do.
    @inlinable
    @inline(__always)
    public static func prefetch(_ address: UnsafeRawPointer) { clua_prefetch(address) }
}
