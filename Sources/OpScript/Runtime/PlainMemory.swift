/// One value in memory of its own, for state that changes with every operation.
///
/// Confined to the script thread and accessed by address, so that no access needs a dynamic check for overlapping
/// accesses.
final class PlainMemory<Value: ~Copyable> {
    private let memory: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        memory = .allocate(capacity: 1)
        memory.initialize(to: value)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    var value: Value {
        @inline(__always) unsafeAddress { UnsafePointer(memory) }
        @inline(__always) unsafeMutableAddress { memory }
    }
}
