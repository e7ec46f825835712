/// Operations of one queue that run on the same lane and need the same resources.
///
/// The list is behind a pointer, so that Swift does not check exclusive access at each use.
final class ReadyGroup {
    let lane: ExecutionLane
    /// Index of the set of resources; 0 for none.
    let resources: Int
    let listPointer: UnsafeMutablePointer<ReadyList>

    init(lane: ExecutionLane, resources: Int, _ pool: EntryPool) {
        self.lane = lane
        self.resources = resources
        listPointer = .allocate(capacity: 1)
        listPointer.initialize(to: ReadyList(pool))
    }

    deinit {
        listPointer.pointee.removeAll()
        listPointer.deinitialize(count: 1)
        listPointer.deallocate()
    }

    var list: ReadyList {
        @inline(__always) unsafeAddress { UnsafePointer(listPointer) }
        @inline(__always) unsafeMutableAddress { listPointer }
    }
}

/// The machine's record of one queue.
struct QueueRecord {
    /// The kind of queue.
    enum Kind: UInt8 {
        case ordinary
        /// All its operations run on the reader, one at a time.
        case main
        /// The inner queue of a group.
        case inner
        /// The hidden queue of closures that were started by hand.
        case hidden
        /// First in, first out; only barriers delay the operations after them.
        case concurrent
        /// First in, first out, one after the other: each operation is a barrier.
        case serial
        /// Another executor runs its operations.
        case external

        /// Whether the order of addition alone decides.
        var isFirstInFirstOut: Bool { self == .concurrent || self == .serial }
    }

    var kind = Kind.ordinary
    /// How many may execute at once; -1 for no limit.
    var width = -1
    var isSuspended = false
    /// The first failure cancels the operations that have not started.
    var failFast = false
    var qualityOfService = OperationQualityOfService.default
    /// Slots taken.
    var executingCount = 0
    /// Operations in workers' claims that have not started.
    var claimedCount = 0
    /// Priority level and number of the last of those in the order of starts; meaningful while there are any.
    private(set) var lastClaimed: (level: Int, sequence: UInt64) = (0, 0)
    /// Unfinished operations.
    var count = 0
    var firstOperation: UInt32 = .max
    var lastOperation: UInt32 = .max
    private(set) var groups: [ReadyGroup] = []
    /// The list of the only group, if that group needs no resources.
    private(set) var onlyList: UnsafeMutablePointer<ReadyList>?
    /// The lane of the only group.
    private(set) var onlyLane = ExecutionLane.group
    /// Barriers, and the operations that wait for them.
    var barriers = BarrierSections()
    /// Cancelled and skipped operations that finish when the queue is resumed.
    var endings: [OperationID] = []
    /// Bit n: the queue is in the ring of lane n.
    var ringMask: UInt16 = 0
    /// Tickets that the reader has received and has not used.
    var readerTickets = 0
    /// The group whose inner queue this is.
    var ownerGroup: OperationID = .none
    /// For an inner queue: the last end in it that the reader did not show at once; see ``OperationRecord/endEvent``.
    var lastEndUnshown: UInt64 = 0
    /// Its owner adds nothing more to it, so the record is freed when it is empty.
    var isDropped = false
    /// Sets of resources that operations in it have ever needed.
    var resourceSets: [Int] = []
    /// The queues above and below it; nil for nearly all.
    var family: QueueFamily?

    /// A worker has claimed operations that have not started, in order up to the last one.
    mutating func noteClaimed(_ count: Int, until last: (level: Int, sequence: UInt64)) {
        lastClaimed = claimedCount == 0 ? last : last > lastClaimed ? last : lastClaimed
        claimedCount += count
    }

    /// Whether an operation that becomes ready goes before a claimed one.
    @inline(__always)
    func overtakesClaims(_ level: Int, _ sequence: UInt64) -> Bool {
        claimedCount > 0 && (level, sequence) < lastClaimed
    }

    var freeSlots: Int { width < 0 ? .max : max(0, width - executingCount) }

    /// The ready operations of a lane that need a set of resources.
    @inline(__always)
    mutating func list(
        lane: ExecutionLane,
        resources: Int,
        _ pool: EntryPool
    ) -> UnsafeMutablePointer<ReadyList> {
        if lane == onlyLane, resources == 0, let onlyList { return onlyList }
        return groups[groupIndex(lane: lane, resources: resources, pool)].listPointer
    }

    /// The place of that group among the groups.
    mutating func groupIndex(lane: ExecutionLane, resources: Int, _ pool: EntryPool) -> Int {
        for index in groups.indices where groups[index].lane == lane && groups[index].resources == resources {
            return index
        }
        let group = ReadyGroup(lane: lane, resources: resources, pool)
        groups.append(group)
        onlyList = groups.count == 1 && resources == 0 ? group.listPointer : nil
        onlyLane = lane
        return groups.count - 1
    }
}
