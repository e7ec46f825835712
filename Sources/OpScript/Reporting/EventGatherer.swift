/// The buffer in which the script thread records events until the subscribers of the host receive them.
///
/// Stored in a ``PlainMemory``, since it changes several times for each operation.
struct EventGatherer {
    /// The largest number of events that are gathered while there is more to do: waking a subscriber costs as
    /// much as recording hundreds of events.
    private static let capacity = 2048

    /// Has room for all events from the first one on.
    private var records: [EventRecord] = []
    private var names: [String] = []
    /// The work that was named last, and the index of its name; most programs name it again and again.
    private var work = Int32.min
    private var workName: Int32 = 0
    /// The last object with a name of its own, and the index of that name.
    private var named: UInt64 = 0
    private var ownName: Int32 = -1

    var isEmpty: Bool { records.isEmpty }
    var isFull: Bool { records.count >= Self.capacity }

    /// Records an event.
    ///
    /// - Parameters:
    ///   - work: The work whose name the object has; nil if it has a name of its own.
    ///   - name: Evaluated only where it is needed.
    mutating func note(
        _ kind: ScriptEvent.Kind,
        _ identity: UInt64,
        _ moment: Int64,
        work other: Int32?,
        named name: @autoclosure () -> String
    ) {
        if let other {
            if work != other { (work, workName) = (other, add(name())) }
            return append(kind, workName, identity, moment)
        }
        let name = name()
        if ownName < 0 || named != identity || names[Int(ownName)] != name {
            (named, ownName) = (identity, add(name))
        }
        append(kind, ownName, identity, moment)
    }

    private mutating func add(_ name: String) -> Int32 {
        names.append(name)
        return Int32(names.count - 1)
    }

    @inline(__always)
    private mutating func append(_ kind: ScriptEvent.Kind, _ name: Int32, _ identity: UInt64, _ moment: Int64)
    {
        if records.isEmpty { records.reserveCapacity(Self.capacity) }
        records.append(EventRecord(kind: kind, name: name, identity: identity, moment: moment))
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
