extension SchedulerMachine {
    /// An operation was made: it is in no queue.
    mutating func operationCreated(_ spec: OperationSpec) -> OperationID {
        let id = store.allocate()
        apply(spec, to: id)
        return id
    }

    /// The same for the most common kind: an operation with a handle and no special properties.
    @inline(__always)
    mutating func operationCreated(lane: ExecutionLane) -> OperationID { store.allocate(lane, .hasHandle) }

    /// The same for an operation whose owner reads the event log, and specifies the rest when it adds the operation.
    mutating func reportingOperationCreated() -> OperationID { store.allocate(.reader, .reports) }

    /// The specification of an operation that has not been added changed.
    mutating func apply(_ spec: OperationSpec, to id: OperationID) {
        guard let record = store.live(id) else { return }
        record.pointee.lane = spec.lane
        record.pointee.priority = spec.priority
        var flags = record.pointee.flags.subtracting([.allowsFailure, .gate, .reports, .hasHandle])
        if spec.allowsFailure { flags.insert(.allowsFailure) }
        if spec.isGate { flags.insert(.gate) }
        if spec.reports { flags.insert(.reports) }
        if spec.hasHandle { flags.insert(.hasHandle) }
        record.pointee.flags = flags
        if spec.timeout > 0 || spec.retry != nil || !spec.resources.isEmpty || record.pointee.extras != .max {
            withExtras(record) {
                $0.timeout = spec.timeout
                $0.retry = spec.retry
                $0.declaredResources = spec.resources
            }
        }
    }

    /// The operation is a group around `inner`.
    mutating func groupCreated(_ id: OperationID, inner: QueueID) {
        guard let record = store.live(id) else { return }
        record.pointee.lane = .group
        withExtras(record) { $0.innerQueue = inner.index }
        queues[Int(inner.index)].ownerGroup = id
        queues[Int(inner.index)].kind = .inner
        queues[Int(inner.index)].isSuspended = true
    }

    /// The owner releases an operation.
    ///
    /// An operation that has finished or was never added is forgotten at once; others when they have finished.
    mutating func operationReleased(_ id: OperationID) {
        guard let record = store.live(id) else { return }
        record.pointee.flags.insert(.released)
        freeIfForgotten(id.slot)
    }

    /// Whether no code of an operation runs or will run unless its owner adds it.
    func isAtRest(_ id: OperationID) -> Bool {
        guard let record = store.live(id) else { return true }
        return record.pointee.phase == .created || record.pointee.phase == .finished
    }

    /// Frees a slot to which nothing refers any longer, and the slots to which only it referred.
    mutating func freeIfForgotten(_ slot: UInt32) {
        guard store.pointer(slot).pointee.flags.contains(.released) else { return }
        forget(slot)
        // Iterative, not recursive: a chain that was never added may be long.
        while let id = possiblyForgotten.popLast() {
            if store.live(id) != nil { forget(id.slot) }
        }
    }

    private mutating func forget(_ slot: UInt32) {
        let record = store.pointer(slot)
        switch record.pointee.phase {
        case .created:
            // A dependent would otherwise wait for an unrelated operation.
            guard record.pointee.firstDependent == .max else { return }
            dropDependencies(slot)
        case .finished:
            break
        case .free, .waiting, .ready, .claimed, .offered, .executing, .ending:
            return
        }
        if record.pointee.extras != .max {
            extras[Int(record.pointee.extras)] = OperationExtras()
            freeExtras.append(record.pointee.extras)
            record.pointee.extras = .max
        }
        freeSlot(slot)
    }

    /// Gives a slot back; its operation no longer has edges.
    @inline(__always)
    mutating func freeSlot(_ slot: UInt32) {
        store.free(slot)
        if store.liveCount == 0 { edges.removeAll() }
    }

    /// The priority changed.
    ///
    /// Before the start of the operation, this changes its place in the order; afterwards it has no effect.
    mutating func priorityChanged(_ id: OperationID, to priority: OperationPriority) {
        guard let record = store.live(id) else { return }
        let queue = record.pointee.queue
        if queue != .max, queues[Int(queue)].kind.isFirstInFirstOut { return }
        if has(.priorityChangeForgotten), record.pointee.phase == .ready { return }
        let old = record.pointee.priority
        record.pointee.priority = priority
        if old != priority, isExternal(record), record.pointee.phase != .finished {
            tell(.priority(priority), id, record)
        }
        guard record.pointee.phase == .ready, old != priority else { return }
        removeFromReady(record, level: old.level)
        insertReady(id.slot)
    }

    /// The body of an operation moved to another lane, before its start.
    mutating func bodyMoved(_ id: OperationID, to lane: ExecutionLane) {
        guard let record = store.live(id) else { return }
        switch record.pointee.phase {
        case .created, .waiting:
            record.pointee.lane = lane
        case .ready:
            removeFromReady(record, level: record.pointee.priority.level)
            record.pointee.lane = lane
            insertReady(id.slot)
        case .free, .claimed, .offered, .executing, .ending, .finished:
            break
        }
    }

    /// The time that an attempt may execute was set, for the attempts that start from now on; 0 for no limit.
    mutating func timeoutChanged(_ id: OperationID, to nanoseconds: Int64) {
        guard let record = store.live(id) else { return }
        withExtras(record) { $0.timeout = nanoseconds }
    }

    /// The retry policy of the operation was set, for the failures from now on.
    mutating func retryChanged(_ id: OperationID, to policy: RetryPolicy?) {
        guard let record = store.live(id) else { return }
        withExtras(record) { $0.retry = policy }
    }

    /// The handle of the operation has a completion block from now on.
    mutating func completionBlockSet(_ id: OperationID) { store.live(id)?.pointee.flags.insert(.callsHost) }

    /// The owner changed whether the run may succeed although the operation fails.
    mutating func failureAllowanceChanged(_ id: OperationID, to allowed: Bool) {
        guard let record = store.live(id) else { return }
        if allowed {
            record.pointee.flags.insert(.allowsFailure)
        } else {
            record.pointee.flags.remove(.allowsFailure)
        }
    }

    // MARK: Being ready

    /// All dependencies are released: decides whether it may run.
    mutating func dependenciesReleased(_ slot: UInt32) {
        let record = store.pointer(slot)
        report(.ready, slot)
        guard record.pointee.phase == .waiting else { return }
        settle(slot)
    }

    /// An operation in a queue has no unfinished dependency: it becomes ready, or is skipped.
    mutating func settle(_ slot: UInt32) {
        let (verdict, cause) = verdict(slot)
        switch verdict {
        case .run:
            enterReady(slot)
        case .skip, .skipQuietly:
            if holdSkip(slot) { return }
            let outcome: OperationOutcome = verdict == .skip ? .skipped : .skippedQuietly
            end(slot, outcome, cause: cause)
        }
    }

    /// The operation waits only for barriers, slots, resources and threads.
    mutating func enterReady(_ slot: UInt32) {
        let record = store.pointer(slot)
        let queue = Int(record.pointee.queue)
        let section = record.pointee.section
        if record.pointee.flags.contains(.barrier) {
            guard queues[queue].barriers.isFirst(section) else { return }
        } else if !queues[queue].barriers.isOpen(section), !has(.barrierOvertaken) {
            queues[queue].barriers.hold(store.id(slot), section: section)
            return
        }
        if isLogging { noteReadyList(slot) }
        insertReady(slot)
    }

    mutating func insertReady(_ slot: UInt32) {
        let record = store.pointer(slot)
        let queue = record.pointee.queue
        if queues[Int(queue)].overtakesClaims(record.pointee.priority.level, record.pointee.sequence) {
            effects.overtakesClaims = true
        }
        record.pointee.phase = .ready
        record.pointee.readyToken &+= 1
        let set = record.pointee.extras == .max ? 0 : extras[Int(record.pointee.extras)].resources
        let list = queues[Int(queue)].list(lane: record.pointee.lane, resources: set, entryPool)
        list.pointee.insert(
            ReadyList.Entry(
                sequence: has(.orderOfReadiness) ? nextSequence : record.pointee.sequence,
                slot: slot,
                token: record.pointee.readyToken
            ),
            level: record.pointee.priority.level
        )
        if queues[Int(queue)].family != nil { enteredReadyList(Int(queue), set, slot) }
        laneChanged(queue, record.pointee.lane)
        // A later operation elsewhere may have to yield now, which lets another operation pass.
        if set != 0 { resourcesChanged(set) }
    }

    mutating func removeFromReady(_ record: UnsafeMutablePointer<OperationRecord>, level: Int) {
        let queue = Int(record.pointee.queue)
        let set = record.pointee.extras == .max ? 0 : extras[Int(record.pointee.extras)].resources
        let list = queues[queue].list(lane: record.pointee.lane, resources: set, entryPool)
        record.pointee.readyToken &+= 1
        record.pointee.phase = .waiting
        list.pointee.invalidate(level: level)
        if list.pointee.isMostlyStale(level: level) { list.pointee.compact(level: level) { isLive($0) } }
        if queues[queue].width >= 0 { queueChanged(record.pointee.queue) }
        if set != 0 { resourcesChanged(set) }
        if queues[queue].family != nil {
            readyOneLeft(queue, isBarrier: record.pointee.flags.contains(.barrier))
        }
    }
}
