/// How an operation is added to a queue.
package struct AdditionSpec: Sendable {
    package var id: OperationID
    package var isBarrier = false
    /// Nanoseconds before it may start; nil for none.
    package var delay: Int64?
    /// Names and amounts.
    package var resources: [(name: String, amount: Int)] = []

    package init(_ id: OperationID) { self.id = id }
}

extension SchedulerMachine {
    // MARK: Queues

    package mutating func queueCreated(
        width: Int = -1,
        qualityOfService: OperationQualityOfService = .default,
        isMain: Bool = false,
        tag: UInt64 = 0
    ) -> QueueID {
        var record = QueueRecord()
        record.width = isMain ? 1 : width
        record.kind = isMain ? .main : .ordinary
        record.qualityOfService = qualityOfService
        record.tag = tag
        if let index = freeQueues.popLast() {
            queues[Int(index)] = record
            return QueueID(index: index)
        }
        queues.append(record)
        return QueueID(index: UInt32(queues.count - 1))
    }

    /// Nobody will add to the queue any more. It must be empty.
    package mutating func queueReleased(_ queue: QueueID) {
        precondition(queues[Int(queue.index)].count == 0, "a queue was released with operations in it")
        queues[Int(queue.index)] = QueueRecord()
        freeQueues.append(queue.index)
    }

    package mutating func widthChanged(_ queue: QueueID, to width: Int) {
        queues[Int(queue.index)].width = width
        queueChanged(queue.index)
    }

    package mutating func failFastChanged(_ queue: QueueID, to failFast: Bool) {
        queues[Int(queue.index)].failFast = failFast
    }

    package mutating func qualityOfServiceChanged(_ queue: QueueID, to quality: OperationQualityOfService) {
        queues[Int(queue.index)].qualityOfService = quality
    }

    /// The queue was suspended or resumed. Resumed, the cancelled and skipped ones in it finish first.
    package mutating func suspensionChanged(_ queue: QueueID, to isSuspended: Bool) {
        let index = Int(queue.index)
        guard queues[index].isSuspended != isSuspended else { return }
        queues[index].isSuspended = isSuspended
        guard !isSuspended else { return }
        let pending = queues[index].endings
        queues[index].endings = []
        for id in pending {
            guard let record = store.live(id), record.pointee.phase == .ending else { continue }
            let cause = extras(of: record)?.skippedBecause ?? .none
            end(id.slot, record.pointee.outcome, cause: cause)
        }
        queueChanged(queue.index)
        drainEndings()
    }

    package mutating func resourceTotalChanged(_ name: String, to total: Int) {
        resources.setTotal(name, total)
        guard let index = resources.index(of: name) else { return }
        for queue in resources.queuesByResource[index] { queueChanged(queue) }
    }

    // MARK: Adding

    /// Operations are added to a queue together: all of them or none.
    package mutating func operationsAdded(
        _ additions: [AdditionSpec],
        to queue: QueueID
    ) throws(SchedulingFailure) {
        for addition in additions { try check(addition) }
        if additions.count > 1 {
            nextMark &+= 1
            for addition in additions {
                let record = store.pointer(addition.id.slot)
                if record.pointee.mark == nextMark { throw .repeatedInList(addition.id) }
                record.pointee.mark = nextMark
            }
        }
        for addition in additions { add(addition, to: Int(queue.index)) }
        drainEndings()
    }

    /// One operation is added to a queue.
    package mutating func operationAdded(
        _ addition: AdditionSpec,
        to queue: QueueID
    ) throws(SchedulingFailure) {
        try check(addition)
        add(addition, to: Int(queue.index))
        drainEndings()
    }

    private func check(_ addition: AdditionSpec) throws(SchedulingFailure) {
        let id = addition.id
        guard let record = store.live(id) else { throw .unknownOperation }
        if record.pointee.flags.contains(.gate) { throw .isGate(id) }
        switch record.pointee.phase {
        case .created: break
        case .finished: throw .alreadyFinished(id)
        case .executing: throw .alreadyExecuting(id)
        case .waiting, .ready, .ending, .free: throw .alreadyInQueue(id)
        }
        for need in addition.resources {
            guard let index = resources.index(of: need.name) else {
                throw .unknownResource(id, need.name)
            }
            if need.amount > resources.totals[index] {
                throw .notEnoughResource(
                    id,
                    need.name,
                    needed: need.amount,
                    total: resources.totals[index]
                )
            }
        }
    }

    private mutating func add(_ addition: AdditionSpec, to queue: Int) {
        let slot = addition.id.slot
        let record = store.pointer(slot)
        record.pointee.queue = UInt32(queue)
        record.pointee.phase = .waiting
        record.pointee.sequence = nextSequence
        nextSequence += 1
        if queues[queue].kind == .main, record.pointee.lane.isWorker { record.pointee.lane = .script }
        if !addition.resources.isEmpty {
            let needs = addition.resources.compactMap { need in
                resources.index(of: need.name).map {
                    ResourceTable.Need(resource: $0, amount: need.amount)
                }
            }
            let set = resources.intern(needs)
            withExtras(record) { $0.resources = set }
            resources.note(queue: UInt32(queue), needs: set)
        }
        link(record, slot, in: queue)
        if addition.isBarrier {
            // A segment of its own, and one more for what comes after.
            record.pointee.flags.insert(.barrier)
            queues[queue].segments.append(QueueSegment())
            place(record, in: queue)
            queues[queue].segments.append(QueueSegment())
            advanceSegments(queue)
        } else {
            place(record, in: queue)
        }
        if let delay = addition.delay {
            record.pointee.flags.insert(.delayed)
            record.pointee.unfinishedDependencies += 1
            if record.pointee.unfinishedDependencies == 1 { report(.notReady, slot) }
            pendingTimers.append(PendingTimer(payload: .delay(addition.id), delay: delay))
        }
        if record.pointee.flags.contains(.cancelled) {
            end(slot, .cancelled)
        } else if record.pointee.unfinishedDependencies == 0 {
            if record.pointee.firstDependency == .max {
                enterReady(slot)
            } else {
                settle(slot)
            }
        }
    }

    private mutating func place(_ record: UnsafeMutablePointer<OperationRecord>, in queue: Int) {
        record.pointee.segment = queues[queue].lastSegment
        queues[queue].segments[queues[queue].segments.count - 1].unfinishedCount += 1
    }

    private mutating func link(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        in queue: Int
    ) {
        let last = queues[queue].lastOperation
        record.pointee.previousInQueue = last
        record.pointee.nextInQueue = .max
        if last == .max {
            queues[queue].firstOperation = slot
        } else {
            store.pointer(last).pointee.nextInQueue = slot
        }
        queues[queue].lastOperation = slot
        queues[queue].count += 1
        queues[queue].addedCount += 1
        unfinishedCount += 1
    }

    mutating func unlink(_ record: UnsafeMutablePointer<OperationRecord>) {
        let queue = Int(record.pointee.queue)
        let previous = record.pointee.previousInQueue
        let next = record.pointee.nextInQueue
        if previous == .max {
            queues[queue].firstOperation = next
        } else {
            store.pointer(previous).pointee.nextInQueue = next
        }
        if next == .max {
            queues[queue].lastOperation = previous
        } else {
            store.pointer(next).pointee.previousInQueue = previous
        }
        record.pointee.previousInQueue = .max
        record.pointee.nextInQueue = .max
        queues[queue].count -= 1
        queues[queue].finishedCount += 1
        unfinishedCount -= 1
        queues[queue].segments[Int(record.pointee.segment - queues[queue].activeSegment)].unfinishedCount -= 1
        advanceSegments(queue)
    }

    /// Moves on to the next segment as long as the active one is done, and lets go of what it held.
    private mutating func advanceSegments(_ queue: Int) {
        while queues[queue].segments.count > 1, queues[queue].segments[0].unfinishedCount == 0 {
            queues[queue].segments.removeFirst()
            queues[queue].activeSegment += 1
            let held = queues[queue].segments[0].held
            queues[queue].segments[0].held = []
            for id in held {
                guard let record = store.live(id), record.pointee.phase == .waiting,
                    record.pointee.unfinishedDependencies == 0
                else { continue }
                insertReady(id.slot)
            }
        }
    }

    // MARK: Turns

    /// Something about the queue changed: what it holds may be able to start.
    mutating func queueChanged(_ queue: UInt32) {
        for index in queues[Int(queue)].groups.indices {
            guard queues[Int(queue)].groups[index].list.liveCount > 0 else { continue }
            laneChanged(queue, queues[Int(queue)].groups[index].lane)
        }
    }

    /// The queue may have something to start on a lane.
    mutating func laneChanged(_ queue: UInt32, _ lane: ExecutionLane) {
        if lane == .script {
            issueScriptTurns(queue)
            return
        }
        let bit: UInt16 = 1 << UInt16(lane.rawValue)
        wakeMask |= bit
        guard queues[Int(queue)].ringMask & bit == 0 else { return }
        queues[Int(queue)].ringMask |= bit
        rings[ringIndex(Int(queue), lane)].append(queue)
    }

    /// Asks the script thread for as many turns as it could use.
    private mutating func issueScriptTurns(_ queue: UInt32) {
        let index = Int(queue)
        guard !queues[index].isSuspended else { return }
        var ready = 0
        for group in queues[index].groups where group.lane == .script { ready += group.list.liveCount }
        let wanted = min(ready, queues[index].freeSlots)
        while queues[index].scriptTurns < wanted {
            queues[index].scriptTurns += 1
            events.append(
                SchedulerEvent(
                    kind: .scriptTurn,
                    outcome: .succeeded,
                    wasExecuting: false,
                    id: .none,
                    tag: UInt64(queue),
                    other: .none
                )
            )
        }
    }

    func ringIndex(_ queue: Int, _ lane: ExecutionLane) -> Int {
        let isShared = queues[queue].width < 0
        return (Int(lane.rawValue) * 5 + Int(queues[queue].qualityOfService.rawValue)) * 2
            + (isShared ? 1 : 0)
    }
}
