/// Facts about events, which are kept only for a record of the run.
extension SchedulerMachine {
    /// From now on each event has its fact.
    mutating func beginLog() {
        log = FactLog()
        isLogging = true
        // Each event has one fact, from the first event on.
        for _ in 0..<effects.events.count { log?.append(.notReady, by: .none, isOnWorker: false) }
    }

    /// An event was appended.
    @inline(never)
    func noteEvent(_ kind: SchedulerEvent.Kind, by other: OperationID = .none, isOnWorker: Bool = false) {
        log?.append(kind, by: other, isOnWorker: isOnWorker)
    }

    /// An operation ends.
    @inline(never)
    func noteEnding(_ slot: UInt32) { log?.ending = store.id(slot) }

    /// Operations become ready from now on because of this.
    @inline(never)
    func noteCause(_ cause: EventCause, _ by: OperationID = .none) { log?.becauseOf(cause, by) }

    /// An operation enters the ready list.
    @inline(never)
    func noteReadyList(_ slot: UInt32) { log?.enteredReadyList(slot) }

    /// A worker continues with the next operation of its claim.
    @inline(never)
    func noteBefore(_ id: OperationID) { log?.before = id }

    /// An operation is about to give back its slot and resources; notes what that makes possible.
    @inline(never)
    func noteFreed(_ record: UnsafeMutablePointer<OperationRecord>) {
        guard let log else { return }
        let flags = record.pointee.flags
        let queue = Int(record.pointee.queue)
        if flags.contains(.holdsSlot), queues[queue].width >= 0, queues[queue].freeSlots == 0 {
            log.slotBecameFree(in: queue)
        }
        if flags.contains(.holdsJob), closureExecutingCount >= jobLimit { log.jobBecameFree() }
        if flags.contains(.holdsShare), !hasShare(record.pointee.lane) { log.shareBecameFree() }
        if flags.contains(.holdsResources) {
            for need in resources.sets[extras[Int(record.pointee.extras)].resources] {
                if resources.terms[need.resource] == 0 { log.resourceGivenBack(need.resource) }
            }
        }
    }

    /// No earlier operation of its queue delays the operation any longer.
    @inline(never)
    func noteBarrierLeft(_ id: OperationID) {
        log?.enteredReadyList(id.slot)
        log?.barrierLeft(id.slot)
    }

    /// Records why the operation starts now and not before.
    @inline(never)
    func explainStart(_ record: UnsafeMutablePointer<OperationRecord>, _ slot: UInt32) {
        let queue = Int(record.pointee.queue)
        let set = record.pointee.extras == .max ? 0 : extras[Int(record.pointee.extras)].resources
        log?.explainStart(
            slot,
            queue: queue,
            isFull: queues[queue].width >= 0 && queues[queue].freeSlots == 0,
            resources: resources.sets[set]
        )
    }
}
