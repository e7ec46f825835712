/// The commonest start and the commonest end, on the shortest way.
///
/// A *plain* operation has no time limit, no retry and no resources, and is in a queue without a width and without barriers. For
/// it the rules of starting and ending come down to counting. What these ways do is what the general ones do; the random graphs
/// that are run against the reference model go through both.
extension SchedulerMachine {
    // MARK: Additions

    /// Operations are about to be added together. False where the queue asks for more than plain ones can answer.
    @inline(__always)
    mutating func batchBegins(in queue: QueueID) -> Bool {
        guard queue.index < queues.count, queues[Int(queue.index)].kind == .ordinary else { return false }
        nextMark &+= 1
        return true
    }

    /// Whether an operation may be added with the batch; it may once.
    @inline(__always)
    mutating func joinsBatch(_ id: OperationID) -> Bool {
        guard let record = store.live(id), record.pointee.phase == .created, record.pointee.extras == .max,
            !record.pointee.flags.contains(.gate), record.pointee.mark != nextMark
        else { return false }
        record.pointee.mark = nextMark
        return true
    }

    /// An operation of a batch, all of which may join, is added.
    @inline(__always)
    mutating func batchMemberAdded(_ id: OperationID, to queue: Int) {
        let record = store.pointer(id.slot)
        enter(record, id, queue)
        if record.pointee.unfinishedDependencies > 0, !record.pointee.flags.contains(.cancelled) { return }
        if record.pointee.firstDependency == .max, plainBecameReady(record, id.slot) { return }
        startLife(record, id.slot, in: queue)
    }

    /// Nothing holds an operation back; puts it into the only list of its queue. False where there is more to ask: then nothing
    /// was changed.
    @inline(__always)
    mutating func plainBecameReady(_ record: UnsafeMutablePointer<OperationRecord>, _ slot: UInt32) -> Bool {
        let queue = queues.pointer(Int(record.pointee.queue))
        let lane = record.pointee.lane
        let bit: UInt16 = 1 << UInt16(lane.rawValue)
        guard let list = queue.pointee.onlyList, queue.pointee.onlyLane == lane,
            record.pointee.extras == .max,
            queue.pointee.barriers.isEmpty, queue.pointee.family == nil, queue.pointee.kind == .ordinary,
            queue.pointee.width < 0, record.pointee.priority == .normal,
            record.pointee.flags.isDisjoint(with: [.cancelled, .barrier])
        else { return false }
        record.pointee.phase = .ready
        record.pointee.readyToken &+= 1
        list.pointee.insertNormal(
            ReadyList.Entry(
                sequence: record.pointee.sequence,
                slot: slot,
                token: record.pointee.readyToken
            )
        )
        if queue.pointee.ringMask & bit != 0, !queue.pointee.isSuspended {
            wakeMask |= bit
        } else {
            laneChanged(record.pointee.queue, lane)
        }
        return true
    }

    // MARK: Dependencies

    /// An operation in no queue, for which nobody waits, is to wait for one that has not finished. False where that takes a
    /// longer way: then nothing was changed.
    @inline(__always)
    mutating func plainDependencyAdded(
        _ id: OperationID,
        on other: OperationID,
        when condition: DependencyCondition
    ) -> Bool {
        guard let record = store.live(id), let otherRecord = store.live(other), id.slot != other.slot,
            record.pointee.phase == .created, record.pointee.firstDependent == .max,
            otherRecord.pointee.phase != .finished,
            // Else it might be there already.
            record.pointee.firstDependency == .max || otherRecord.pointee.firstDependent == .max
        else { return false }
        let index = edges.allocate(Edge(from: other, to: id.slot, condition: condition))
        appendDependency(index, to: record)
        appendDependent(index, to: otherRecord)
        record.pointee.unfinishedDependencies += 1
        if record.pointee.unfinishedDependencies == 1 { report(.notReady, id.slot) }
        return true
    }

    // MARK: Starts

    /// Starts the next operation on a lane where one plain queue is all that there is to choose from. Nil where there is more to
    /// ask, or nothing: then nothing was changed.
    @inline(__always)
    mutating func takeOnlyPlain(_ lane: ExecutionLane) -> OperationID? {
        guard let index = turns.onlyQueue(lane), hasShare, jobLimit == .max else { return nil }
        let queue = queues.pointer(Int(index))
        guard let list = queue.pointee.onlyList, queue.pointee.onlyLane == lane, !queue.pointee.isSuspended,
            queue.pointee.family == nil, let entry = list.pointee.firstInLine, isLive(entry)
        else { return nil }
        list.pointee.takeFirstInLine()
        queue.pointee.executingCount += 1
        let record = store.pointer(entry.slot)
        record.pointee.flags.remove(.retrying)
        plainStarted(record, entry.slot, lane)
        if record.pointee.extras != .max { startTimeout(entry.slot) }
        if list.pointee.liveCount == 0 {
            queue.pointee.ringMask &= ~(1 << UInt16(lane.rawValue))
            turns.removeFirst(place(Int(index), lane))
            // Nobody else needs to look for what was taken here.
            wakeMask &= ~(1 << UInt16(lane.rawValue))
        } else if hasShare {
            wakeMask |= 1 << UInt16(lane.rawValue)
        }
        return OperationID(slot: entry.slot, generation: record.pointee.generation)
    }

    /// An operation of a queue without a width starts, and takes a share of threads.
    @inline(__always)
    mutating func plainStarted(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        _ lane: ExecutionLane,
        isToldOf: Bool = true
    ) {
        closureExecutingCount += 1
        sharedExecutingCount += 1
        startCounts.add(lane)
        sharedStartCount &+= 1
        record.pointee.phase = .executing
        record.pointee.attempt &+= 1
        record.pointee.flags.formUnion(Self.heldFlags)
        if isToldOf { report(.started, slot) }
    }

    // MARK: Ends

    private static let waitingFlags: OperationRecord.Flags = [.reports, .hasHandle, .allowsFailure]
    private static let heldFlags: OperationRecord.Flags = [.holdsSlot, .holdsJob, .holdsShare]
    private static let plainFlags = waitingFlags.union(heldFlags)

    /// The body of an executing operation succeeded. False where the operation is not plain: then nothing was changed.
    ///
    /// The share of threads that it gives back is the caller's: whoever does not use it calls ``wakeSharers()``.
    ///
    /// - Parameter successor: Gets the operation that the caller's lane has to run next, and that has started, where that is plain to
    ///   see: the only one that waited for this one, and nothing else is ready.
    @inline(__always)
    mutating func plainBodySucceeded(_ id: OperationID, successor: inout OperationID) -> Bool {
        let record = store.pointer(id.slot)
        guard record.pointee.generation == id.generation, record.pointee.phase == .executing,
            record.pointee.flags.isSubset(of: Self.plainFlags),
            record.pointee.flags.isSuperset(of: Self.heldFlags),
            record.pointee.extras == .max, jobLimit == .max
        else { return false }
        let queue = queues.pointer(Int(record.pointee.queue))
        // The width may have been changed since it started.
        guard queue.pointee.width < 0, queue.pointee.kind == .ordinary, !queue.pointee.isDropped,
            queue.pointee.barriers.isEmpty
        else { return false }
        queue.pointee.executingCount -= 1
        closureExecutingCount -= 1
        sharedExecutingCount -= 1
        record.pointee.flags.subtract(Self.heldFlags)
        record.pointee.phase = .finished
        record.pointee.outcome = .succeeded
        if record.pointee.firstDependency != .max { dropDependencies(id.slot) }
        report(.finished, id.slot, wasExecuting: true)
        takeOut(record, of: queue)
        queue.pointee.barriers.finishedWithoutBarriers()
        if record.pointee.firstDependent != .max, !startSuccessor(of: record, queue, &successor) {
            releaseDependents(id.slot, .succeeded)
            if !endings.isEmpty { drainEndings() }
        }
        return true
    }

    /// Starts the only operation that waited for a plain one which has succeeded, without a ready list. False where there is more to
    /// ask: then nothing was changed.
    @inline(__always)
    private mutating func startSuccessor(
        of record: UnsafeMutablePointer<OperationRecord>,
        _ queue: UnsafeMutablePointer<QueueRecord>,
        _ successor: inout OperationID
    ) -> Bool {
        let edge = edges.pointer(record.pointee.firstDependent)
        let slot = edge.pointee.to
        let next = store.pointer(slot)
        let lane = record.pointee.lane
        guard edge.pointee.nextDependent == .max, next.pointee.unfinishedDependencies == 1,
            next.pointee.phase == .waiting, next.pointee.queue == record.pointee.queue,
            next.pointee.lane == lane, next.pointee.extras == .max,
            next.pointee.flags.isSubset(of: Self.waitingFlags),
            turns.hasNothing(lane), hasShare, !queue.pointee.isSuspended, queue.pointee.family == nil,
            !stretch.isActive
        else { return false }
        edge.pointee.decide(.succeeded, generation: record.pointee.generation)
        if verdict(slot).0 != .run {
            edge.pointee.reopen(only: record.pointee.firstDependent)
            return false
        }
        record.pointee.firstDependent = .max
        next.pointee.unfinishedDependencies = 0
        report(.ready, slot)
        queue.pointee.executingCount += 1
        plainStarted(next, slot, lane)
        successor = OperationID(slot: slot, generation: next.pointee.generation)
        return true
    }

    /// Whether a Swift handle is to be told of the operation's end; and whether it has no time limit and is not tried again, which is known
    /// once it has started.
    @inline(__always)
    func handling(_ id: OperationID) -> (hasHandle: Bool, isTriedOnce: Bool) {
        let record = store.pointer(id.slot)
        return (record.pointee.flags.contains(.hasHandle), record.pointee.extras == .max)
    }

    /// The handle of a plain operation that has finished knows all it needs: nobody refers to the slot any more.
    @inline(__always)
    mutating func plainHandleTold(_ id: OperationID) {
        if possiblyForgotten.isEmpty { freeSlot(id.slot) } else { operationReleased(id) }
    }
}
