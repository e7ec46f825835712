/// The memory of all queues: records that never move, reached by index.
struct QueueStore: ~Copyable {
    private let records = ChunkedStorage<QueueRecord>()

    var count: Int { Int(records.count) }

    /// The record in place: reading one field copies no other.
    subscript(index: Int) -> QueueRecord {
        @inline(__always) unsafeAddress { UnsafePointer(records.pointer(UInt32(truncatingIfNeeded: index))) }
        @inline(__always) nonmutating unsafeMutableAddress {
            records.pointer(UInt32(truncatingIfNeeded: index))
        }
    }

    /// The same, for callers that read and write several fields.
    @inline(__always)
    func pointer(_ index: Int) -> UnsafeMutablePointer<QueueRecord> {
        records.pointer(UInt32(truncatingIfNeeded: index))
    }

    mutating func append(_ record: QueueRecord) { _ = records.append(record) }
}
