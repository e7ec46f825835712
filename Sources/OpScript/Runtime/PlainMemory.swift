/// One value in memory of its own, for what changes with every operation.
///
/// Confined to the script thread and reached by address, so that the language need not check at each access that no
/// other one overlaps it.
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
