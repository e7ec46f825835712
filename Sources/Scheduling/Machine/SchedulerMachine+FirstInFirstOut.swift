extension SchedulerMachine {
    /// A dispatch queue was made: the order of addition decides, and priorities have no effect.
    ///
    /// A serial queue runs its operations strictly one after the other: an operation that waits for its
    /// dependencies delays all operations behind it. A concurrent queue starts each operation that is ready.
    mutating func dispatchQueueCreated(
        isSerial: Bool,
        qualityOfService: OperationQualityOfService = .default
    ) -> QueueID {
        let queue = queueCreated(qualityOfService: qualityOfService)
        queues[Int(queue.index)].kind = isSerial ? .serial : .concurrent
        return queue
    }

    /// Adapts an operation to the kind of the queue that it enters.
    @inline(__always)
    mutating func adapt(_ record: UnsafeMutablePointer<OperationRecord>, _ id: OperationID, to queue: Int) {
        if !hasLanes, record.pointee.lane.isWorker { record.pointee.lane = .worker }
        let kind = queues[queue].kind
        if kind == .ordinary { return }
        if kind == .external { return enterExternal(record, id) }
        if kind.isFirstInFirstOut {
            record.pointee.priority = .normal
            if kind == .serial { record.pointee.flags.insert(.barrier) }
        }
        if record.pointee.lane.isWorker, runsOnMain(queue) { record.pointee.lane = .reader }
    }

    /// The operation belongs to the queue, but gets its place in the order when its delay has passed.
    mutating func enterOutsideLine(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ id: OperationID,
        _ queue: Int
    ) {
        record.pointee.queue = UInt32(queue)
        record.pointee.phase = .waiting
        record.pointee.flags.insert(.outsideLine)
        adapt(record, id, to: queue)
        link(record, id.slot, in: queue)
    }

    /// The delay has passed: from now on the operation is the last in the order.
    mutating func joinLine(_ record: UnsafeMutablePointer<OperationRecord>, _ id: OperationID) {
        let queue = Int(record.pointee.queue)
        record.pointee.flags.remove(.outsideLine)
        record.pointee.sequence = nextSequence
        nextSequence += 1
        takeOutOfList(record, queues.pointer(queue))
        putAtEndOfList(record, id.slot, queues.pointer(queue))
        enterLine(record, id, queue)
    }
}
