extension SchedulerMachine {
    // Operations of a queue that another executor runs go through the lane that is started at once (`.group`). There
    // an operation takes the resources that it needs, and is *offered*: ready, until the executor says that its turn
    // has come.

    /// A queue was adopted.
    mutating func externalQueueCreated() -> QueueID {
        // A queue with a width takes no share of threads; this width never runs out of slots.
        let queue = queueCreated(width: .max)
        queues[Int(queue.index)].kind = .external
        return queue
    }

    /// Whether the operation is in a queue that another executor runs.
    @inline(__always)
    func isExternal(_ record: UnsafeMutablePointer<OperationRecord>) -> Bool {
        record.pointee.queue != .max && queues[Int(record.pointee.queue)].kind == .external
    }

    /// The operation belongs to such a queue from now on.
    mutating func enterExternal(_ record: UnsafeMutablePointer<OperationRecord>, _ id: OperationID) {
        let lane = record.pointee.lane
        withExtras(record) { $0.bodyLane = lane }
        record.pointee.lane = .group
        tell(.added(record.pointee.priority), id, record)
    }

    /// The operation waits only for its turn.
    mutating func offer(_ slot: UInt32) {
        let record = store.pointer(slot)
        record.pointee.phase = .offered
        offeredCount += 1
        tell(.ready, store.id(slot), record)
    }

    /// An offered operation waits again, or ends.
    mutating func unoffer(_ record: UnsafeMutablePointer<OperationRecord>) {
        offeredCount -= 1
        record.pointee.phase = .waiting
        discharge(record)
    }

    /// The turn of an operation has come. Returns the lane that its body needs; nil if it is not offered (any longer).
    mutating func externalTicketCame(_ id: OperationID) -> ExecutionLane? {
        guard let record = store.live(id), record.pointee.phase == .offered,
            let lane = extras(of: record)?.bodyLane
        else { return nil }
        offeredCount -= 1
        start(id.slot, in: Int(record.pointee.queue))
        switch lane {
        case .group: groupStarted(id)
        case .reader:
            effects.events.append(SchedulerEvent(id: id, kind: .externalTicket))
            if isLogging { noteEvent(.externalTicket) }
        case .task, .worker, .workerHigh, .workerLow, .workerLowest: chargeJob(record)
        }
        return lane
    }

    /// The executor that runs the queue cancels an operation.
    mutating func cancelledFromQueue(_ id: OperationID) {
        guard let record = store.live(id), record.pointee.phase != .finished else { return }
        cancel(id.slot, reporting: true)
        drainEndings()
    }

    /// It waits for a dependency or another attempt. The executor is notified that it left; it will be added
    /// again.
    mutating func waitsAgainExternally(_ record: UnsafeMutablePointer<OperationRecord>, _ id: OperationID) {
        tell(.left(isForGood: false), id, record)
        tell(.added(record.pointee.priority), id, record)
    }

    mutating func tell(
        _ step: SchedulerAction.ExternalStep,
        _ id: OperationID,
        _ record: UnsafeMutablePointer<OperationRecord>
    ) {
        effects.actions.append(.external(step, id, queue: record.pointee.queue))
    }
}
