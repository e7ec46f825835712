/// Operations of one queue that run on the same lane and need the same resources.
struct ReadyGroup {
    let lane: ExecutionLane
    /// Index of the set of resources; 0 for none.
    let resources: Int
    var list = ReadyList()
}

/// The operations between two barriers, or one barrier.
struct QueueSegment {
    var unfinishedCount = 0
    /// Operations that are released by their dependencies but not yet by the barrier before them.
    var held: [OperationID] = []
}

/// All that the machine knows of one queue.
struct QueueRecord {
    /// What kind of queue it is.
    enum Kind: UInt8 {
        case ordinary
        /// Everything in it runs on the script thread, one at a time.
        case main
        /// What is inside a group.
        case inner
        /// Takes closures that were started by hand.
        case hidden
    }

    var kind = Kind.ordinary
    /// How many may execute at once; -1 for no limit.
    var width = -1
    var isSuspended = false
    /// The first failure cancels what has not started.
    var failFast = false
    var qualityOfService = OperationQualityOfService.default
    /// Slots taken.
    var executingCount = 0
    /// Unfinished operations.
    var count = 0
    var firstOperation: UInt32 = .max
    var lastOperation: UInt32 = .max
    var groups: [ReadyGroup] = []
    /// From the active segment on; the last one takes what is added.
    var segments = [QueueSegment()]
    /// The number of `segments[0]`.
    var activeSegment: UInt32 = 0
    /// Cancelled and skipped operations that finish when the queue is resumed.
    var endings: [OperationID] = []
    /// Bit n: the queue stands in the ring of lane n.
    var ringMask: UInt16 = 0
    /// Turns that the script thread was asked for and has not taken.
    var scriptTurns = 0
    /// The group that this is the inside of.
    var ownerGroup: OperationID = .none
    var addedCount = 0
    var finishedCount = 0
    /// What the owner knows it by.
    var tag: UInt64 = 0

    var freeSlots: Int { width < 0 ? .max : max(0, width - executingCount) }
    var lastSegment: UInt32 { activeSegment + UInt32(segments.count - 1) }

    @inline(__always)
    mutating func groupIndex(lane: ExecutionLane, resources: Int) -> Int {
        for index in groups.indices where groups[index].lane == lane && groups[index].resources == resources {
            return index
        }
        groups.append(ReadyGroup(lane: lane, resources: resources))
        return groups.count - 1
    }
}

/// Indices in first-in first-out order.
struct IndexRing {
    private var items: [UInt32] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    mutating func append(_ index: UInt32) {
        items.append(index)
    }

    mutating func popFirst() -> UInt32? {
        guard head < items.count else { return nil }
        defer {
            head += 1
            if head == items.count {
                items.removeAll(keepingCapacity: true)
                head = 0
            } else if head > 64, head * 2 > items.count {
                items.removeSubrange(..<head)
                head = 0
            }
        }
        return items[head]
    }
}
