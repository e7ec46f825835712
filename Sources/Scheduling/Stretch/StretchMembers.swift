/// The operations that were added together.
///
/// Not thread-safe by itself: written before anybody else knows of it, and touched at places that belong to who does.
final class StretchMembers {
    /// What a worker finds at the places of its part.
    enum Bodies {
        case handles(UnsafeMutablePointer<Unmanaged<ScheduledOperation>>)
        case blocks(UnsafeMutablePointer<StretchBlocks.Block>)
    }

    let bodies: Bodies
    let count: Int
    /// The memory of blocks.
    private let blocks: StretchBlocks?
    /// The one of blocks.
    private let scheduler: Scheduler?
    /// The place of the first one in the stretch. Guarded by the scheduler's lock.
    var firstPlace = 0
    /// How many of them workers were given. Guarded by the scheduler's lock.
    var takenCount = 0
    /// Those added next. Guarded by the scheduler's lock.
    var next: StretchMembers?

    /// Handles, which are still to be put there.
    init(count: Int) {
        self.count = count
        bodies = .handles(.allocate(capacity: count))
        blocks = nil
        scheduler = nil
    }

    /// Blocks, for which handles are made where the machine has to know them.
    init(_ blocks: StretchBlocks, of scheduler: Scheduler) {
        count = blocks.count
        bodies = .blocks(blocks.first)
        self.blocks = blocks
        self.scheduler = scheduler
    }

    /// The machine comes to know the one at which a worker stands that cannot go on. False if it has ended before.
    func becomesKnown(_ place: Int) -> Bool {
        switch bodies {
        // The worker holds it until it takes another step.
        case .handles(let handles): handles[place]._withUnsafeGuaranteedRef { $0.becomesKnown() }
        // Its end is told by going on.
        case .blocks: true
        }
    }

    /// The handle of one that has not ended; made where there is none.
    func takeHandle(_ place: Int, isExecuting: Bool) -> ScheduledOperation {
        switch bodies {
        case .handles(let handles):
            return handles[place].takeRetainedValue()
        case .blocks(let first):
            guard let scheduler else { preconditionFailure("blocks without a scheduler") }
            // The worker has the block.
            if isExecuting { return ScheduledOperation(executingIn: scheduler) }
            return ScheduledOperation(scheduler, body: StretchBlocks.take(first + place))
        }
    }

    deinit {
        if case .handles(let handles) = bodies { handles.deallocate() }
    }
}

/// The members of a stretch that no worker was given.
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
