/// Where the script thread notes events until subscribers get them. Confined to the script thread.
final class EventGatherer {
    /// So many are gathered at most while there is more to do: a wake of a subscriber costs as much as noting hundreds of events.
    private static let capacity = 2048

    private let state = PlainMemory(State())

    private struct State {
        /// Made for the first event.
        var records: UnsafeMutablePointer<EventRecord>?
        var count = 0
        var names: [String] = []
        /// The work that was named last, and where; works have long lives, and few have events in between.
        var work = Int32.min
        var workName: Int32 = 0
        /// The operation with a name of its own that was named last, and where.
        var named: UInt64 = 0
        var ownName: Int32 = -1
        var moment = Int64.min
    }

    deinit { state.value.records?.deallocate() }

    var isEmpty: Bool { state.value.count == 0 }
    var isFull: Bool { state.value.count == Self.capacity }

    /// When an event is said to have happened: time does not go back from one to the next.
    func moment(_ moment: Int64) -> Int64 {
        if moment > state.value.moment { state.value.moment = moment }
        return state.value.moment
    }

    /// Notes an event of an operation that has the name of its work.
    ///
    /// - Precondition: There is room.
    @inline(__always)
    func note(_ kind: EventRecord.Kind, _ identity: UInt64, _ moment: Int64, work: Int32, name: () -> String) {
        if state.value.work != work {
            state.value.workName = add(name())
            state.value.work = work
        }
        append(kind, state.value.workName, identity, moment)
    }

    /// Notes one of something that has a name of its own.
    ///
    /// - Precondition: There is room.
    func note(_ kind: EventRecord.Kind, _ identity: UInt64, _ moment: Int64, name: String) {
        if state.value.ownName < 0 || state.value.named != identity
            || state.value.names[Int(state.value.ownName)] != name
        {
            state.value.ownName = add(name)
            state.value.named = identity
        }
        append(kind, state.value.ownName, identity, moment)
    }

    private func add(_ name: String) -> Int32 {
        state.value.names.append(name)
        return Int32(state.value.names.count - 1)
    }

    @inline(__always)
    private func append(_ kind: EventRecord.Kind, _ name: Int32, _ identity: UInt64, _ moment: Int64) {
        let place = state.value.count
        precondition(place < Self.capacity, "an event was noted where there is no room")
        (state.value.records ?? makeRecords()).advanced(by: place).initialize(
            to: EventRecord(kind: kind, name: name, identity: identity, moment: moment)
        )
        state.value.count = place + 1
    }

    private func makeRecords() -> UnsafeMutablePointer<EventRecord> {
        let records = UnsafeMutablePointer<EventRecord>.allocate(capacity: Self.capacity)
        state.value.records = records
        return records
    }

    /// What was noted since the last time.
    func take() -> EventBatch {
        let batch = EventBatch(
            Array(UnsafeBufferPointer(start: state.value.records, count: state.value.count)),
            state.value.names
        )
        state.value.count = 0
        state.value.names = []
        state.value.work = .min
        state.value.ownName = -1
        return batch
    }
}
