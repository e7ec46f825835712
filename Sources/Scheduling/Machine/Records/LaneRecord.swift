/// The queues from which one lane may start something, and how many of its bodies share the cores.
///
/// Lanes share nothing: none reserves anything for another one, and none wakes another one.
struct LaneRecord {
    /// Queues with a width that may have something to start.
    var limited = ClassRings()
    /// The same for queues without a width, whose bodies share the cores.
    var shared = ClassRings()
    /// How many operations the lane started.
    var startCount: UInt64 = 0
    /// Bodies of queues without a width that execute.
    var sharedCount = 0
    /// How many of those were seen to block: as many others may run in their place.
    var blockedCount = 0

    /// A number that is the same for two moments only if the next starts are chosen alike. For checks.
    var phase: Int { Int(startCount & 15) }
}

/// Queues that may have something to start: a ring for each class. The queues of a ring take turns.
///
/// A plain record: its owner calls ``deallocate()``.
struct ClassRings {
    private static let count = 5
    private let rings: UnsafeMutablePointer<IndexRing>
    /// Bit n: the ring of class n holds a queue.
    private(set) var classes: UInt8 = 0

    init() {
        rings = .allocate(capacity: Self.count)
        rings.initialize(repeating: IndexRing(), count: Self.count)
    }

    func deallocate() {
        rings.deinitialize(count: Self.count)
        rings.deallocate()
    }

    @inline(__always)
    var isEmpty: Bool { classes == 0 }

    mutating func append(_ queue: UInt32, class number: Int) {
        rings[number].append(queue)
        classes |= 1 << UInt8(number)
    }

    /// The queue whose turn it is; it stays the first.
    @inline(__always)
    func first(class number: Int) -> UInt32? { rings[number].first }

    mutating func removeFirst(class number: Int) {
        _ = rings[number].popFirst()
        settle(number)
    }

    /// The first queue had its turn and becomes the last.
    mutating func rotate(class number: Int) {
        guard !rings[number].hasOne, let first = rings[number].popFirst() else { return }
        rings[number].append(first)
    }

    /// - Complexity: O(number of queues in the ring).
    mutating func remove(_ queue: UInt32, class number: Int) {
        rings[number].remove(queue)
        settle(number)
    }

    func contains(_ queue: UInt32, class number: Int) -> Bool { rings[number].contains(queue) }

    /// All queues of a class, in the order of their turns.
    ///
    /// For simulations and checks.
    func queues(class number: Int) -> [UInt32] { rings[number].all }

    private mutating func settle(_ number: Int) {
        if rings[number].isEmpty { classes &= ~(1 << UInt8(number)) }
    }
}

/// The records of all lanes, behind a pointer, so that Swift neither copies them nor checks exclusive access.
struct LaneStore: ~Copyable {
    private let records = UnsafeMutablePointer<LaneRecord>.allocate(capacity: ExecutionLane.count)

    init() {
        for place in 0..<ExecutionLane.count { (records + place).initialize(to: LaneRecord()) }
    }

    deinit {
        for place in 0..<ExecutionLane.count {
            records[place].limited.deallocate()
            records[place].shared.deallocate()
        }
        records.deallocate()
    }

    subscript(lane: ExecutionLane) -> LaneRecord {
        @inline(__always) unsafeAddress { UnsafePointer(records + Int(lane.rawValue)) }
        @inline(__always) nonmutating unsafeMutableAddress { records + Int(lane.rawValue) }
    }
}
