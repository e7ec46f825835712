extension SchedulerMachine {
    // MARK: Queues

    mutating func queueCreated(
        width: Int = -1,
        qualityOfService: OperationQualityOfService = .default,
        isMain: Bool = false
    ) -> QueueID {
        var record = QueueRecord()
        record.width = isMain ? 1 : planted(width)
        record.kind = isMain ? .main : .ordinary
        record.qualityOfService = qualityOfService
        if let index = freeQueues.popLast() {
            queues[Int(index)] = record
            return QueueID(index: index)
        }
        queues.append(record)
        return QueueID(index: UInt32(queues.count - 1))
    }

    /// The owner drops the queue.
    ///
    /// It is forgotten as soon as it is empty.
    mutating func queueDropped(_ queue: QueueID) {
        queues[Int(queue.index)].isDropped = true
        releaseIfDropped(queue.index)
    }

    /// Forgets a queue that its owner dropped, unless something in it or a group around it still needs it.
    mutating func releaseIfDropped(_ queue: UInt32) {
        guard queues[Int(queue)].isDropped, queues[Int(queue)].count == 0 else { return }
        if queues[Int(queue)].kind == .inner, let group = store.live(queues[Int(queue)].ownerGroup),
            group.pointee.phase != .finished
        {
            return
        }
        queueReleased(QueueID(index: queue))
    }

    /// Nothing more will be added to the queue.
    ///
    /// It must be empty.
    mutating func queueReleased(_ queue: QueueID) {
        precondition(queues[Int(queue.index)].count == 0, "a queue was released with operations in it")
        leaveAllRings(Int(queue.index))
        if queues[Int(queue.index)].family != nil { leaveFamily(Int(queue.index)) }
        if !queues[Int(queue.index)].resourceSets.isEmpty { resources.forget(queue: queue.index) }
        queues[Int(queue.index)] = QueueRecord()
        freeQueues.append(queue.index)
    }

    mutating func widthChanged(_ queue: QueueID, to width: Int) {
        let index = Int(queue.index)
        leaveAllRings(index)
        queues[index].width = planted(width)
        queueChanged(queue.index)
        claimsChanged(in: index)
    }

    /// The width itself, unless a defect is planted.
    private func planted(_ width: Int) -> Int {
        has(.widthOffByOne) && width > 0 ? width + 1 : width
    }

    mutating func failFastChanged(_ queue: QueueID, to failFast: Bool) {
        queues[Int(queue.index)].failFast = failFast
    }

    mutating func qualityOfServiceChanged(_ queue: QueueID, to quality: OperationQualityOfService) {
        leaveAllRings(Int(queue.index))
        queues[Int(queue.index)].qualityOfService = quality
        queueChanged(queue.index)
    }

    /// The queue was suspended or resumed.
    ///
    /// When it is resumed, the cancelled and skipped operations in it finish first.
    mutating func setSuspended(_ queue: QueueID, to isSuspended: Bool) {
        let index = Int(queue.index)
        guard queues[index].isSuspended != isSuspended else { return }
        queues[index].isSuspended = isSuspended
        if !queues[index].resourceSets.isEmpty { claimsChanged(in: index) }
        guard !isSuspended else { return }
        if isLogging { log?.queueResumed(index) }
        if queues[index].family != nil { joinReadyLine(index) }
        let pending = queues[index].endings
        queues[index].endings = []
        for id in pending {
            guard let record = store.live(id), record.pointee.phase == .ending else { continue }
            if verdict(id.slot).0 != .run, holdSkip(id.slot) { continue }
            let cause = extras(of: record)?.skippedBecause ?? .none
            end(id.slot, record.pointee.outcome, cause: cause)
        }
        queueChanged(queue.index)
        // Only the lowest of the bits is left.
        if has(.resumptionWakesOneLane) { effects.lanesToWake &= ~effects.lanesToWake &+ 1 }
        drainEndings()
    }

    // MARK: Rings

    /// Something about the queue changed, so its operations may be able to start.
    mutating func queueChanged(_ queue: UInt32) {
        // Once for each lane: a queue whose rate has keys has a group for each of them.
        var changed: UInt16 = 0
        for index in queues[Int(queue)].groups.indices
        where queues[Int(queue)].groups[index].list.liveCount > 0 {
            let lane = queues[Int(queue)].groups[index].lane
            if changed & lane.bit != 0 { continue }
            changed |= lane.bit
            laneChanged(queue, lane)
        }
    }

    /// The queue may have something to start on a lane.
    mutating func laneChanged(_ queue: UInt32, _ lane: ExecutionLane) {
        if lane == .reader {
            issueReaderTickets(queue)
            return
        }
        // When the queue is resumed or widened, or gets a slot back, it is rechecked.
        if queues[Int(queue)].isSuspended || queues[Int(queue)].freeSlots == 0 { return }
        wake(lane)
        guard queues[Int(queue)].ringMask & lane.bit == 0 else { return }
        queues[Int(queue)].ringMask |= lane.bit
        let number = ringNumber(Int(queue))
        changeRings(lane, queues[Int(queue)].width < 0) { $0.append(queue, class: number) }
    }

    /// Gives the reader as many tickets as it could use.
    private mutating func issueReaderTickets(_ queue: UInt32) {
        let record = queues.pointer(Int(queue))
        guard !record.pointee.isSuspended else { return }
        var ready = 0
        if let list = record.pointee.onlyList, record.pointee.onlyLane == .reader {
            ready = list.pointee.liveCount
        } else {
            for group in record.pointee.groups where group.lane == .reader {
                // Those that lack a resource are rechecked when there is more of it.
                let room = group.resources == 0 ? Int.max : resources.room(group.resources)
                ready += min(room, group.list.liveCount)
            }
        }
        let wanted = min(ready, record.pointee.freeSlots)
        while record.pointee.readerTickets < wanted {
            record.pointee.readerTickets += 1
            effects.events.append(.readerTicket(queue))
            if isLogging { noteEvent(.readerTicket) }
        }
    }

    /// The number of the rings of the queue's class.
    @inline(__always)
    func ringNumber(_ queue: Int) -> Int { Int(queues[queue].qualityOfService.rawValue) }

    /// The queue leaves the ring of a lane, in the way that `leave` says.
    @inline(__always)
    mutating func leaveRing(_ queue: Int, _ lane: ExecutionLane, _ leave: (inout ClassRings) -> Void) {
        queues[queue].ringMask &= ~lane.bit
        changeRings(lane, queues[queue].width < 0, leave)
    }

    /// The queue has nothing left that is ready for a lane: takes it out of its ring, if it is the first
    /// there.
    mutating func leaveRoundRobin(_ queue: Int, _ lane: ExecutionLane) {
        let number = ringNumber(queue)
        guard rings(lane, queues[queue].width < 0).first(class: number) == UInt32(queue) else { return }
        leaveRing(queue, lane) { $0.removeFirst(class: number) }
    }

    /// Takes the queue out of all rings, since its rings are about to change.
    /// - Complexity: O(number of queues in the rings).
    mutating func leaveAllRings(_ queue: Int) {
        guard queues[queue].ringMask != 0 else { return }
        let number = ringNumber(queue)
        for lane in ExecutionLane.allCases where queues[queue].ringMask & lane.bit != 0 {
            leaveRing(queue, lane) { $0.remove(UInt32(queue), class: number) }
        }
    }
}
