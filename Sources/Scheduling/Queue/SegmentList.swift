/// The operations between two barriers, or one barrier.
struct QueueSegment {
    var unfinishedCount = 0
    /// Operations that are released by their dependencies but not yet by the barrier before them.
    var held: [OperationID] = []
}

/// The stretches of a queue between its barriers: one is active, those behind it wait, the last takes what is added.
struct SegmentList {
    private var segments = [QueueSegment()]
    /// Where the active one is in `segments`; those before it are done.
    private var head = 0
    /// The number of the active one; numbers count on for ever.
    private(set) var active: UInt32 = 0

    /// The number of the last one.
    var last: UInt32 { active &+ UInt32(segments.count - 1 - head) }

    /// Whether the active one is done and another follows.
    var canAdvance: Bool { head + 1 < segments.count && segments[head].unfinishedCount == 0 }

    subscript(number: UInt32) -> QueueSegment {
        get { segments[head + Int(number &- active)] }
        _modify { yield &segments[head + Int(number &- active)] }
    }

    mutating func append() {
        segments.append(QueueSegment())
    }

    /// Makes the next one active and gives what it held back.
    mutating func advance() -> [OperationID] {
        head += 1
        active &+= 1
        if head >= 64, head * 2 >= segments.count {
            segments.removeSubrange(..<head)
            head = 0
        }
        let held = segments[head].held
        segments[head].held = []
        return held
    }
}
