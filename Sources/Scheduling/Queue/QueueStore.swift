/// The memory of all queues: records that never move, reached by index.
struct QueueStore: ~Copyable {
    private var records = ChunkedStorage<QueueRecord>()

    var count: Int { Int(records.count) }

    subscript(index: Int) -> QueueRecord {
        @inline(__always) _read { yield records.pointer(UInt32(truncatingIfNeeded: index)).pointee }
        @inline(__always) nonmutating _modify {
            yield &records.pointer(UInt32(truncatingIfNeeded: index)).pointee
        }
    }

    mutating func append(_ record: QueueRecord) { _ = records.append(record) }
}
