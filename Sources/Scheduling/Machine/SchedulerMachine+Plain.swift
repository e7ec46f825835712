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
        if record.pointee.unfinishedDependencies == 0 || record.pointee.flags.contains(.cancelled) {
            startLife(record, id.slot, in: queue)
        }
    }

    // MARK: Starts and ends

    /// Whether nothing but the order decides what a queue without a width starts next on a lane.
    @inline(__always)
    func isPlain(_ queue: Int, _ lane: ExecutionLane) -> Bool {
        !queues[queue].isSuspended && queues[queue].groups.count == 1
            && queues[queue].groups[0].lane == lane && queues[queue].groups[0].resources == 0
            && queues[queue].family == nil
    }

    /// Starts the next operation of a plain queue.
    @inline(__always)
    mutating func takePlain(from queue: Int) -> OperationID? {
        guard let entry = queues[queue].groups[0].list.takeFirst(isLive: { isLive($0) }) else { return nil }
        start(entry.slot, in: queue)
        return store.id(entry.slot)
    }

    private static let plainFlags: OperationRecord.Flags = [
        .holdsSlot, .holdsJob, .holdsShare, .reports, .hasHandle, .allowsFailure,
    ]
    private static let heldFlags: OperationRecord.Flags = [.holdsSlot, .holdsJob, .holdsShare]

    /// The body of an executing operation succeeded. False where the operation is not plain: then nothing was changed.
    ///
    /// The share of threads that it gives back is the caller's: whoever does not use it calls ``wakeSharers()``.
    @inline(__always)
    mutating func plainBodySucceeded(_ id: OperationID) -> Bool {
        let record = store.pointer(id.slot)
        guard record.pointee.generation == id.generation, record.pointee.phase == .executing,
            record.pointee.flags.isSubset(of: Self.plainFlags),
            record.pointee.flags.isSuperset(of: Self.heldFlags),
            record.pointee.extras == .max, jobLimit == .max
        else { return false }
        let queue = Int(record.pointee.queue)
        // The width may have been changed since it started.
        guard queues[queue].width < 0, queues[queue].kind == .ordinary, !queues[queue].isDropped,
            queues[queue].barriers.isEmpty
        else { return false }
        queues[queue].executingCount -= 1
        plainClosureEnded()
        record.pointee.flags.subtract(Self.heldFlags)
        record.pointee.phase = .finished
        record.pointee.outcome = .succeeded
        if record.pointee.firstDependency != .max { dropDependencies(id.slot) }
        report(.finished, id.slot, wasExecuting: true)
        takeOut(record, of: queue)
        queues[queue].barriers.finishedWithoutBarriers()
        if record.pointee.firstDependent != .max {
            releaseDependents(id.slot, .succeeded)
            drainEndings()
        }
        return true
    }

    /// Whether a Swift handle is to be told of the operation's end.
    @inline(__always)
    func hasHandle(_ id: OperationID) -> Bool { store.pointer(id.slot).pointee.flags.contains(.hasHandle) }

    /// The handle of a plain operation that has finished knows all it needs: nobody refers to the slot any more.
    @inline(__always)
    mutating func plainHandleTold(_ id: OperationID) {
        if possiblyForgotten.isEmpty { store.free(id.slot) } else { operationReleased(id) }
    }
}
