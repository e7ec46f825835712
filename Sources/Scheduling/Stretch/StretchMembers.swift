/// The handles of operations that were added together.
///
/// Not thread-safe by itself: written before anybody else knows of it, and read at places that belong to the reader.
final class StretchMembers {
    let handles: UnsafeMutablePointer<Unmanaged<ScheduledOperation>>
    let count: Int
    /// The place of the first one in the stretch. Guarded by the scheduler's lock.
    var firstPlace = 0
    /// How many of them workers were given. Guarded by the scheduler's lock.
    var takenCount = 0
    /// Those added next. Guarded by the scheduler's lock.
    var next: StretchMembers?

    init(count: Int) {
        self.count = count
        handles = .allocate(capacity: count)
    }

    deinit { handles.deallocate() }
}

/// The handles of a stretch that no worker was given.
struct StretchLine {
    private(set) var first: StretchMembers?
    private var last: StretchMembers?

    mutating func append(_ members: StretchMembers) {
        if let last { last.next = members } else { first = members }
        last = members
    }

    /// The first ones are all given away.
    mutating func removeFirst() {
        first = first?.next.take()
        if first == nil { last = nil }
    }
}
