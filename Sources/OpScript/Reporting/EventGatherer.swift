/// The buffer in which the script thread records events until subscribers receive them.
///
/// Stored in a ``PlainMemory``, since it changes several times for each operation.
struct EventGatherer {
    /// The largest number of events that are gathered while there is more to do: waking a subscriber costs as
    /// much as recording hundreds of events.
    private static let capacity = 2048

    /// Virtual time may have advanced since an event was learned; then events show the later time.
    let isOnVirtualTime: Bool
    /// Has room for all events from the first one on.
    private var records: [EventRecord] = []
    private var names: [String] = []
    /// The work that was named last, and the index of its name; most programs name it again and again.
    private var work = Int32.min
    private var workName: Int32 = 0
    /// The last object with a name of its own, and the index of that name.
    private var named: UInt64 = 0
    private var ownName: Int32 = -1
    /// Time does not decrease from one event to the next.
    private var latest = Int64.min

    init(isOnVirtualTime: Bool) { self.isOnVirtualTime = isOnVirtualTime }

    var isEmpty: Bool { records.isEmpty }
    var isFull: Bool { records.count >= Self.capacity }

    /// Whether an event of a work's operation can be recorded without the work's name.
    @inline(__always)
    func knows(work other: Int32) -> Bool { other == work }

    /// Makes events of a work's operations recordable without its name from now on.
    mutating func learn(work other: Int32, named name: String) {
        workName = add(name)
        work = other
    }

    /// Records an event of an operation that has the name of its work, which is known.
    @inline(__always)
    mutating func note(_ kind: EventRecord.Kind, _ identity: UInt64, _ moment: Int64) {
        append(kind, workName, identity, moment)
    }

    /// Records an event of an object that has a name of its own.
    mutating func note(_ kind: EventRecord.Kind, _ identity: UInt64, _ moment: Int64, named name: String) {
        if ownName < 0 || named != identity || names[Int(ownName)] != name {
            ownName = add(name)
            named = identity
        }
        append(kind, ownName, identity, moment)
    }

    private mutating func add(_ name: String) -> Int32 {
        names.append(name)
        return Int32(names.count - 1)
    }

    @inline(__always)
    private mutating func append(_ kind: EventRecord.Kind, _ name: Int32, _ identity: UInt64, _ moment: Int64)
    {
        if records.isEmpty { records.reserveCapacity(Self.capacity) }
        if moment > latest { latest = moment }
        records.append(EventRecord(kind: kind, name: name, identity: identity, moment: latest))
    }

    /// The events recorded since the last call, in memory of exactly their size.
    mutating func take() -> EventBatch {
        let batch = EventBatch(records.withUnsafeBufferPointer { Array($0) }, names)
        records.removeAll(keepingCapacity: true)
        names = []
        work = .min
        ownName = -1
        return batch
    }
}
