internal import CLinux

extension Unmanaged where Instance == ScheduledOperation {
    /// Asks the processor for what belongs to an operation that will be needed soon, and that another thread may have
    /// written: the handle, and its closure, which mostly was made just before it and so lies before it.
    @inline(__always)
    func prefetch() {
        let address = UnsafeRawPointer(toOpaque())
        linux_prefetch(address - 64)
        linux_prefetch(address)
        linux_prefetch(address + 64)
    }
}

extension SchedulerMachine {
    /// The same for what the machine knows of one.
    @inline(__always)
    func prefetch(_ id: OperationID) {
        if id.slot < store.capacity { linux_prefetch(store.pointer(id.slot)) }
    }
}

/// The same for the line at any address.
@usableFromInline
func prefetchLine(_ address: UnsafeRawPointer?) { linux_prefetch(address) }
