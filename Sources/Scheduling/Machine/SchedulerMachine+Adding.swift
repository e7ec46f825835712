extension SchedulerMachine {
    /// Operations without further specification are added to a queue together: all of them or none.
    mutating func operationsAdded(_ ids: [OperationID], to queue: QueueID) throws(SchedulingFailure) {
        try check(queue)
        if queues[Int(queue.index)].kind == .inner {
            return try operationsAdded(ids.map { AdditionSpec($0) }, to: queue)
        }
        nextMark &+= 1
        for id in ids {
            let record = try checkedAddable(id)
            if record.pointee.extras != .max { try checkedNeeds(id, needs(of: AdditionSpec(id))) }
            if record.pointee.mark == nextMark { throw .repeatedInList(id) }
            record.pointee.mark = nextMark
        }
        for id in ids {
            let record = store.pointer(id.slot)
            if record.pointee.extras == .max {
                enter(record, id, Int(queue.index))
                startLife(record, id.slot, in: Int(queue.index))
            } else {
                add(AdditionSpec(id), to: Int(queue.index))
            }
        }
        drainEndings()
    }

    /// The same, with a specification for each operation.
    mutating func operationsAdded(
        _ additions: [AdditionSpec],
        to queue: QueueID
    ) throws(SchedulingFailure) {
        try check(queue)
        for addition in additions { try check(addition) }
        if additions.count > 1 {
            nextMark &+= 1
            for addition in additions {
                let record = store.pointer(addition.id.slot)
                if record.pointee.mark == nextMark { throw .repeatedInList(addition.id) }
                record.pointee.mark = nextMark
            }
        }
        if queues[Int(queue.index)].kind == .inner {
            beginWalk()
            for addition in additions { try checkCircle(addition, queue) }
        }
        for addition in additions { add(addition, to: Int(queue.index)) }
        drainEndings()
    }

    /// One operation is added to a queue.
    mutating func operationAdded(
        _ addition: AdditionSpec,
        to queue: QueueID
    ) throws(SchedulingFailure) {
        try check(queue)
        try check(addition)
        if queues[Int(queue.index)].kind == .inner {
            beginWalk()
            try checkCircle(addition, queue)
        }
        add(addition, to: Int(queue.index))
        drainEndings()
    }

    /// The same for a plain operation, in a queue that exists and is not inside a group.
    @inline(__always)
    mutating func plainOperationAdded(_ addition: borrowing Submission) {
        guard let record = store.live(addition.id), record.pointee.phase == .created else {
            assertionFailure("a plain addition of an operation that cannot be added")
            return
        }
        record.pointee.lane = addition.lane
        record.pointee.priority = addition.priority
        if addition.allowsFailure { record.pointee.flags.insert(.allowsFailure) }
        if addition.timeout > 0 || addition.retry != nil {
            let (timeout, retry) = (addition.timeout, addition.retry?.policy)
            withExtras(record) {
                $0.timeout = timeout
                $0.retry = retry
            }
        }
        newOperationAdded(addition.id, record, to: addition.queue)
    }

    /// The same for an operation that is already fully specified.
    @inline(__always)
    mutating func newOperationAdded(_ id: OperationID, to queue: QueueID) {
        newOperationAdded(id, store.pointer(id.slot), to: queue)
    }

    @inline(__always)
    private mutating func newOperationAdded(
        _ id: OperationID,
        _ record: UnsafeMutablePointer<OperationRecord>,
        to queue: QueueID
    ) {
        enter(record, id, Int(queue.index))
        startLife(record, id.slot, in: Int(queue.index))
        drainEndings()
    }

    /// Refuses an unknown queue, and the inside of a group that has finished.
    private func check(_ queue: QueueID) throws(SchedulingFailure) {
        guard queue.index < queues.count else { throw .unknownQueue }
        guard queues[Int(queue.index)].kind == .inner else { return }
        let owner = queues[Int(queue.index)].ownerGroup
        guard let group = store.live(owner), group.pointee.phase != .finished else {
            throw .alreadyFinished(owner)
        }
    }

    private mutating func checkCircle(_ addition: AdditionSpec, _ queue: QueueID) throws(SchedulingFailure) {
        if let path = pathThatCloses(addition.id, into: queue.index) { throw .cycle(path) }
    }

    private func check(_ addition: AdditionSpec) throws(SchedulingFailure) {
        _ = try checkedAddable(addition.id)
        try checkedNeeds(addition.id, needs(of: addition))
    }

    /// Refuses an operation that cannot be added to any queue.
    private func checkedAddable(
        _ id: OperationID
    ) throws(SchedulingFailure) -> UnsafeMutablePointer<OperationRecord> {
        guard let record = store.live(id) else { throw .unknownOperation }
        if record.pointee.flags.contains(.gate) { throw .isGate(id) }
        switch record.pointee.phase {
        case .created: break
        case .finished: throw .alreadyFinished(id)
        case .executing: throw .alreadyExecuting(id)
        case .waiting, .ready, .claimed, .offered, .ending, .free: throw .alreadyInQueue(id)
        }
        return record
    }

    /// The resources given at the addition take precedence over those given when the operation was made.
    private func needs(of addition: AdditionSpec) -> [(name: String, amount: Int)] {
        guard addition.resources.isEmpty, let record = store.live(addition.id), record.pointee.extras != .max
        else {
            return addition.resources
        }
        return extras[Int(record.pointee.extras)].declaredResources
    }

    private mutating func add(_ addition: AdditionSpec, to queue: Int) {
        let slot = addition.id.slot
        let record = store.pointer(slot)
        if record.pointee.extras != .max || !addition.resources.isEmpty {
            let needs = needs(of: addition)
            if !needs.isEmpty { noteNeeds(record, needs, in: queue) }
        }
        if addition.isBarrier { record.pointee.flags.insert(.barrier) }
        if addition.delay != nil, queues[queue].kind.isFirstInFirstOut {
            enterOutsideLine(record, addition.id, queue)
        } else {
            enter(record, addition.id, queue)
        }
        if let duration = addition.expectedDuration, queues[queue].kind == .ordinary,
            queues[queue].family == nil
        {
            record.pointee.orderByDuration(duration)
        }
        if let delay = addition.delay {
            record.pointee.flags.insert(.delayed)
            record.pointee.unfinishedDependencies += 1
            if record.pointee.unfinishedDependencies == 1 { report(.notReady, slot) }
            effects.timersToArm.append(TimerToArm(payload: .delay(addition.id), delay: delay))
        }
        startLife(record, slot, in: queue)
    }

    /// The operation belongs to the queue from now on.
    @inline(__always)
    mutating func enter(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ id: OperationID,
        _ queue: Int
    ) {
        record.pointee.queue = UInt32(queue)
        record.pointee.phase = .waiting
        record.pointee.sequence = nextSequence
        nextSequence += 1
        adapt(record, id, to: queue)
        link(record, id.slot, in: queue)
        enterLine(record, id, queue)
    }

    /// The operation gets its place between the barriers of its queue.
    @inline(__always)
    func enterLine(_ record: UnsafeMutablePointer<OperationRecord>, _ id: OperationID, _ queue: Int) {
        record.pointee.section =
            record.pointee.flags.contains(.barrier)
            ? queues[queue].barriers.add(barrier: id) : queues[queue].barriers.add()
    }

    /// Decides whether the operation is ready, cancelled or decided by its dependencies right away.
    mutating func startLife(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        in queue: Int
    ) {
        if record.pointee.flags.contains(.cancelled) {
            end(slot, .cancelled)
        } else if queues[queue].kind == .inner, isOwnerCancelled(queue) {
            record.pointee.flags.insert(.cancelled)
            report(.cancelled, slot)
            end(slot, .cancelled)
        } else if record.pointee.unfinishedDependencies == 0 {
            if record.pointee.firstDependency == .max {
                enterReady(slot)
            } else {
                settle(slot)
            }
        }
    }

    /// Whether the group around an inner queue was cancelled or ran out of time.
    private func isOwnerCancelled(_ inner: Int) -> Bool {
        guard let group = store.live(queues[inner].ownerGroup) else { return true }
        return !group.pointee.flags.isDisjoint(with: [.cancelled, .timedOut])
    }

    @inline(__always)
    mutating func link(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        in queue: Int
    ) {
        let queue = queues.pointer(queue)
        putAtEndOfList(record, slot, queue)
        queue.pointee.count += 1
        unfinishedCount += 1
    }

    @inline(__always)
    func putAtEndOfList(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        _ queue: UnsafeMutablePointer<QueueRecord>
    ) {
        let last = queue.pointee.lastOperation
        record.pointee.previousInQueue = last
        record.pointee.nextInQueue = .max
        if last == .max {
            queue.pointee.firstOperation = slot
        } else {
            store.pointer(last).pointee.nextInQueue = slot
        }
        queue.pointee.lastOperation = slot
    }

    mutating func unlink(_ record: UnsafeMutablePointer<OperationRecord>) {
        let queue = Int(record.pointee.queue)
        takeOut(record, of: queues.pointer(queue))
        if record.pointee.flags.contains(.outsideLine) { return }
        let section = record.pointee.section
        if record.pointee.flags.contains(.barrier) {
            for id in queues[queue].barriers.barrierFinished(section: section) { releasedByBarrier(id) }
        } else if let barrier = queues[queue].barriers.finished(section: section) {
            releasedByBarrier(barrier)
        }
    }

    /// No barrier delays the operation any longer; if it is a barrier itself, no operation before it does.
    private mutating func releasedByBarrier(_ id: OperationID) {
        guard let record = store.live(id), record.pointee.phase == .waiting,
            record.pointee.unfinishedDependencies == 0, !record.pointee.flags.contains(.retrying)
        else { return }
        if isLogging { noteBarrierLeft(id) }
        insertReady(id.slot)
    }

    /// Takes an operation out of its queue's unfinished ones.
    @inline(__always)
    mutating func takeOut(
        _ record: UnsafeMutablePointer<OperationRecord>,
        of queue: UnsafeMutablePointer<QueueRecord>
    ) {
        takeOutOfList(record, queue)
        queue.pointee.count -= 1
        if queue.pointee.count == 0 { effects.emptiesQueue = true }
        unfinishedCount -= 1
    }

    /// Takes the operation out of its queue's list; the counts stay.
    @inline(__always)
    func takeOutOfList(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ queue: UnsafeMutablePointer<QueueRecord>
    ) {
        let previous = record.pointee.previousInQueue
        let next = record.pointee.nextInQueue
        if previous == .max {
            queue.pointee.firstOperation = next
        } else {
            store.pointer(previous).pointee.nextInQueue = next
        }
        if next == .max {
            queue.pointee.lastOperation = previous
        } else {
            store.pointer(next).pointee.previousInQueue = previous
        }
        record.pointee.previousInQueue = .max
        record.pointee.nextInQueue = .max
    }
}
