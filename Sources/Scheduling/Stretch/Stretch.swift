/// Operations that were added together, or one by one by the reader of events, that nothing distinguishes, and of which nobody has asked
/// anything: the machine counts them, and has none in a list.
///
/// Their order is that of addition, and a place in it is their number. There is one stretch at most, in one queue without a limit, and only
/// while nothing else is ready on threads. Whatever asks for more than counting has them made known first, all that have not ended, as
/// if they had been added one by one.
struct Stretch {
    /// The queue they are in.
    var queue: UInt32 = .max
    /// The order of addition of the first one, across all queues.
    var firstSequence: UInt64 = 0
    /// How many were added.
    private(set) var count = 0
    /// How many of them workers were given.
    private(set) var takenCount = 0
    /// How many of those are known to have ended.
    private(set) var endedCount = 0
    /// How many workers have some of it.
    var runnerCount = 0
    /// Whether workers may hold some that they have not started.
    var hasParts = false

    /// Whether each depends on the one before it.
    private(set) var isSerial = false

    /// Whether there is one.
    @inline(__always)
    var isActive: Bool { count != 0 }

    /// Those that no worker was given.
    @inline(__always)
    var untakenCount: Int { count - takenCount }

    /// Those that have not ended, as far as is known.
    var unfinishedCount: Int { count - endedCount }

    /// Whether a worker that looks may find one.
    @inline(__always)
    var mayHaveWork: Bool {
        isSerial ? takenCount < count && runnerCount == 0 : takenCount < count || hasParts
    }

    mutating func append(_ added: Int, isSerial: Bool) {
        count += added
        self.isSerial = isSerial
    }

    mutating func take(_ number: Int) { takenCount += number }

    /// Some have ended; with the last one the stretch is over.
    mutating func end(_ number: Int) {
        endedCount += number
        if endedCount == count { self = Stretch() }
    }
}

extension SchedulerMachine {
    /// Whether plain operations that are added together may be counted instead of known one by one.
    ///
    /// - Parameter isSerial: Whether each depends on the one before it, and on nothing else.
    func takesStretch(in queue: QueueID, isSerial: Bool = false) -> Bool {
        let index = Int(queue.index)
        guard index < queues.count, jobLimit == .max,
            stretch.isActive
                ? stretch.queue == queue.index && !stretch.isSerial && !isSerial : !hasReadyBesideStretch
        else { return false }
        #if DEBUG
        if plantedDefect != nil { return false }
        #endif
        let record = queues.pointer(index)
        return record.pointee.kind == .ordinary && record.pointee.width < 0 && !record.pointee.isSuspended
            && record.pointee.family == nil && record.pointee.barriers.isEmpty && !record.pointee.failFast
    }

    /// Whether something known is ready that a thread could start: then a stretch has to be made known, for the order of starts.
    @inline(__always)
    var hasReadyBesideStretch: Bool { (turns.limited | turns.shared) & TurnTable.workerBits != 0 }

    /// Operations were added together, to a queue that takes them so.
    mutating func stretchAdded(_ count: Int, to queue: QueueID, isSerial: Bool = false) {
        if !stretch.isActive {
            stretch.queue = queue.index
            stretch.firstSequence = nextSequence
        }
        stretch.append(count, isSerial: isSerial)
        nextSequence += UInt64(count)
        let record = queues.pointer(Int(queue.index))
        record.pointee.count += count
        record.pointee.addedCount += count
        unfinishedCount += count
        wakeMask |= 1 << UInt16(ExecutionLane.worker.rawValue)
    }

    /// Whether an operation that is added by itself may be one of a stretch: nobody can tell it from those before it.
    @inline(__always)
    func takesStretch(_ addition: borrowing PlainAddition) -> Bool {
        guard addition.isCounted, addition.lane == .worker, addition.priority == .normal,
            !addition.allowsFailure,
            let record = store.live(addition.id), record.pointee.phase == .created,
            record.pointee.firstDependency == .max, record.pointee.firstDependent == .max,
            record.pointee.extras == .max, record.pointee.flags == .reports
        else { return false }
        // Whatever could change that of its queue dissolves the stretch.
        if stretch.isActive, !stretch.isSerial { return stretch.queue == addition.queue.index }
        return takesStretch(in: addition.queue)
    }

    /// A worker begins with some of a stretch, one after the other; it takes a share of threads for all of them.
    ///
    /// - Parameter number: How many of those that nobody was given; 0 for a part of what another worker was given.
    mutating func stretchRunnerCame(taking number: Int) {
        stretch.take(number)
        stretch.runnerCount += 1
        queues.pointer(Int(stretch.queue)).pointee.executingCount += 1
        closureExecutingCount += 1
        sharedExecutingCount += 1
    }

    /// A worker has none of a stretch any more; the share of threads is the caller's to pass on.
    mutating func stretchRunnerLeft() {
        stretch.runnerCount -= 1
        queues.pointer(Int(stretch.queue)).pointee.executingCount -= 1
        closureExecutingCount -= 1
        sharedExecutingCount -= 1
    }

    /// Some of a stretch have ended, and well.
    mutating func stretchMembersEnded(_ number: Int) {
        let queue = queues.pointer(Int(stretch.queue))
        queue.pointee.count -= number
        if queue.pointee.count == 0 { queueWasEmptied = true }
        queue.pointee.finishedCount += number
        unfinishedCount -= number
        startCounts.add(.worker, number)
        sharedStartCount &+= UInt64(number)
        stretch.end(number)
    }

    /// The reader is to know that one with an identity has started.
    func stretchMemberStarted(_ id: OperationID) { report(.started, id.slot) }

    /// One with an identity has ended, and well; it is counted besides.
    @inline(__always)
    func stretchMemberEnded(_ id: OperationID) {
        let record = store.pointer(id.slot)
        record.pointee.phase = .finished
        record.pointee.outcome = .succeeded
        record.pointee.attempt = 1
        record.pointee.queue = stretch.queue
        report(.finished, id.slot, wasExecuting: true)
    }

    /// One of a stretch that has not ended gets a record, as if it had been added by itself; called in the order of addition.
    ///
    /// - Parameters:
    ///   - place: Its place in the stretch.
    ///   - isExecuting: Whether a worker has started it.
    ///   - previous: What it depends on, if on anything.
    mutating func stretchMemberKnown(
        _ place: Int,
        isExecuting: Bool,
        after previous: OperationID = .none
    ) -> OperationID {
        let id = operationCreated(lane: .worker)
        let waits = previous != .none && plainDependencyAdded(id, on: previous, when: .notFailed)
        stretchMemberKnown(id, place, isExecuting: isExecuting, waits: waits, wasToldOf: false)
        return id
    }

    /// The same for one that has a record.
    ///
    /// - Parameters:
    ///   - waits: Whether it depends on another one.
    ///   - wasToldOf: Whether the reader knows that it has started.
    mutating func stretchMemberKnown(
        _ id: OperationID,
        _ place: Int,
        isExecuting: Bool,
        waits: Bool,
        wasToldOf: Bool
    ) {
        let record = store.pointer(id.slot)
        record.pointee.lane = .worker
        let index = Int(stretch.queue)
        let queue = queues.pointer(index)
        record.pointee.queue = stretch.queue
        record.pointee.sequence = stretch.firstSequence + UInt64(place)
        record.pointee.phase = .waiting
        putAtEndOfList(record, id.slot, queue)
        enterLine(record, id, index)
        if isExecuting {
            queue.pointee.executingCount += 1
            plainStarted(record, id.slot, .worker, isToldOf: !wasToldOf)
        } else if !waits, !plainBecameReady(record, id.slot) {
            enterReady(id.slot)
        }
    }

    /// All of a stretch that have not ended are known by themselves.
    mutating func stretchDissolved() { stretch = Stretch() }
}
