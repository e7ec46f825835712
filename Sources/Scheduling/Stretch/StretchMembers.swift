/// Operations of a stretch whose bodies lie in one piece of memory: those of one batch, or some that the reader of events added by themselves.
///
/// Not thread-safe by itself: written before anybody else knows of it, and touched at places that belong to who does.
final class StretchMembers {
    /// What a worker finds at the places of its part.
    enum Bodies {
        case handles(UnsafeMutablePointer<Unmanaged<ScheduledOperation>>)
        case blocks(UnsafeMutablePointer<StretchBlocks.Block>)
        /// Operations with identities, whose bodies the runner has.
        case identities(UnsafeMutablePointer<OperationID>)
    }

    let bodies: Bodies
    /// How many there are; of identities guarded by the scheduler's lock.
    private(set) var count: Int
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

    /// How many identities are kept together.
    private static let identityCapacity = 512
    /// How many of them a worker is given at once.
    private static let largestPartOfIdentities = 64

    /// How many a worker is given at once at most: the reader is told of each identity under the scheduler's lock, for which others wait.
    var largestPart: Int {
        if case .identities = bodies { Self.largestPartOfIdentities } else { .max }
    }

    /// Identities, which are added one by one.
    init() {
        count = 0
        bodies = .identities(.allocate(capacity: Self.identityCapacity))
        blocks = nil
        scheduler = nil
    }

    /// Whether no other identity can be added.
    var isFull: Bool { count == Self.identityCapacity }

    /// Adds an identity; not when it is full. Under the scheduler's lock.
    @inline(__always)
    func append(_ id: OperationID) {
        guard case .identities(let identities) = bodies else { preconditionFailure("no identities") }
        (identities + count).initialize(to: id)
        count += 1
    }

    /// The machine comes to know the one at which a worker stands that cannot go on. False if it has ended before.
    func becomesKnown(_ place: Int) -> Bool {
        switch bodies {
        // The worker holds it until it takes another step.
        case .handles(let handles): handles[place]._withUnsafeGuaranteedRef { $0.becomesKnown() }
        // Its end is told by going on.
        case .blocks, .identities: true
        }
    }

    /// The handle of one that has not ended; made where there is none. Not of identities.
    func takeHandle(_ place: Int, isExecuting: Bool) -> ScheduledOperation {
        switch bodies {
        case .handles(let handles):
            return handles[place].takeRetainedValue()
        case .blocks(let first):
            guard let scheduler else { preconditionFailure("blocks without a scheduler") }
            // The worker has the block.
            if isExecuting { return ScheduledOperation(executingIn: scheduler) }
            return ScheduledOperation(scheduler, body: StretchBlocks.take(first + place))
        case .identities:
            preconditionFailure("operations of the event log's reader have no handle")
        }
    }

    deinit {
        switch bodies {
        case .handles(let handles): handles.deallocate()
        case .identities(let identities): identities.deallocate()
        case .blocks: break
        }
    }
}

/// The members of a stretch that no worker was given.
struct StretchLine {
    private(set) var first: StretchMembers?
    private var last: StretchMembers?
    /// Those to which identities are added, whether workers were given all that are there or not.
    private var open: StretchMembers?

    mutating func append(_ members: StretchMembers) {
        if let last { last.next = members } else { first = members }
        last = members
        open = nil
    }

    /// Adds an operation that comes by itself, as the one at a place of the stretch.
    @inline(__always)
    mutating func append(_ id: OperationID, at place: Int) {
        if let open, !open.isFull, open.takenCount < open.count {
            open.append(id)
        } else {
            appendToTaken(id, at: place)
        }
    }

    /// The same where workers were given all that there are.
    private mutating func appendToTaken(_ id: OperationID, at place: Int) {
        let members = open.flatMap { $0.isFull ? nil : $0 } ?? StretchMembers()
        members.firstPlace = place - members.count
        members.append(id)
        append(members)
        open = members
    }

    /// The first ones are all given away.
    mutating func removeFirst() {
        first = first?.next.take()
        if first == nil { last = nil }
    }

    /// The stretch is dissolved.
    mutating func removeAll() { self = StretchLine() }
}
