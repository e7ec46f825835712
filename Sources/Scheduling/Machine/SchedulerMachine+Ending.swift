extension SchedulerMachine {
    /// The body of an executing operation ended: it returned, or `finish` or `fail` was called.
    ///
    /// If the operation is cancelled, or its time ran out, the way in which its body ended no longer matters.
    mutating func bodyEnded(_ id: OperationID, failed: Bool) {
        guard let record = store.live(id), record.pointee.phase == .executing,
            !record.pointee.flags.contains(.judged)
        else { return }
        let outcome: OperationOutcome
        if record.pointee.flags.contains(.cancelled) {
            outcome = .cancelled
        } else if failed || record.pointee.flags.contains(.timedOut) {
            if isJudged(record) { return awaitJudgement(record, id.slot) }
            if retry(id.slot) {
                drainEndings()
                return
            }
            outcome = .failed
        } else {
            outcome = .succeeded
        }
        carryOutAlone(record, id.slot, outcome)
    }

    /// The dependency because of which a finished operation did not run, or the first failure inside it; `.none` if its
    /// outcome has no such cause.
    func cause(of id: OperationID) -> OperationID {
        guard let record = store.live(id), record.pointee.phase == .finished else { return .none }
        return record.pointee.cause
    }

    /// A gate, or an operation that has started and no longer has a body, is ended from outside.
    mutating func endedFromOutside(_ id: OperationID, failed: Bool) throws(SchedulingFailure) {
        guard let record = store.live(id) else { return }
        switch record.pointee.phase {
        case .finished, .ending, .free:
            // A second end is ignored.
            return
        case .executing:
            bodyEnded(id, failed: failed)
        case .created where record.pointee.flags.contains(.gate):
            end(id.slot, failed ? .failed : .succeeded)
            drainEndings()
        case .created, .waiting, .ready, .claimed, .offered:
            // Cancelled before its start: in any case, it ends as cancelled.
            if record.pointee.flags.contains(.cancelled) { return }
            throw .notStarted(id)
        }
    }

    /// Whether host code, which may take long, has to be called at its end.
    @inline(__always)
    func callsHostAtEnd(_ id: OperationID) -> Bool {
        store.live(id)?.pointee.flags.contains(.callsHost) ?? false
    }

    /// Notes an ending; `drainEndings` carries it out.
    ///
    /// Cancelled and skipped operations wait until a suspended queue is resumed.
    mutating func end(_ slot: UInt32, _ outcome: OperationOutcome, cause: OperationID = .none) {
        let record = store.pointer(slot)
        leaveReady(record)
        let queue = record.pointee.queue
        if record.pointee.phase != .executing, queue != .max, queues[Int(queue)].isSuspended {
            record.pointee.phase = .ending
            record.pointee.outcome = outcome
            if cause != .none { withExtras(record) { $0.skippedBecause = cause } }
            queues[Int(queue)].endings.append(store.id(slot))
            return
        }
        endings.append(Ending(id: store.id(slot), outcome: outcome, cause: cause))
        if record.pointee.phase != .executing { record.pointee.phase = .ending }
    }

    /// It does not start, although nothing but its turn was missing.
    mutating func leaveReady(_ record: UnsafeMutablePointer<OperationRecord>) {
        if record.pointee.phase == .ready { removeFromReady(record, level: record.pointee.priority.level) }
        if record.pointee.phase == .offered { unoffer(record) }
    }

    /// Carries out all endings, and the endings that follow from them, one after the other and without
    /// recursion.
    @inline(__always)
    mutating func drainEndings() {
        if !endings.isEmpty, !isDrainingEndings { drainAllEndings() }
    }

    private mutating func drainAllEndings() {
        isDrainingEndings = true
        var index = 0
        while index < endings.count {
            let ending = endings[index]
            if let record = store.live(ending.id), record.pointee.phase != .finished {
                carryOut(record, ending.id.slot, ending.outcome, cause: ending.cause)
            }
            index += 1
        }
        endings.removeAll(keepingCapacity: endings.capacity <= 4096)
        isDrainingEndings = false
    }

    /// The same for one ending, of an executing operation. Nearly always nothing follows from it.
    mutating func carryOutAlone(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        _ outcome: OperationOutcome
    ) {
        if isDrainingEndings { return end(slot, outcome) }
        isDrainingEndings = true
        carryOut(record, slot, outcome)
        isDrainingEndings = false
        drainEndings()
    }

    private mutating func carryOut(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ slot: UInt32,
        _ outcome: OperationOutcome,
        cause: OperationID = .none
    ) {
        let wasExecuting = record.pointee.phase == .executing
        // It may have been cancelled since its outcome was decided.
        let isCancelled = record.pointee.flags.contains(.cancelled)
        let outcome = isCancelled ? OperationOutcome.cancelled : outcome
        let cause = isCancelled ? OperationID.none : cause
        let queue = record.pointee.queue
        if isLogging { noteEnding(slot) }
        if record.pointee.extras != .max { cancelTimers(record) }
        if has(.resourceKeptOnFailure), outcome == .failed {
            record.pointee.flags.remove(.holdsResources)
        }
        if !record.pointee.flags.isDisjoint(with: [.holdsSlot, .holdsResources]) { discharge(record) }
        record.pointee.phase = .finished
        record.pointee.outcome = outcome
        record.pointee.flags.remove(.retrying)
        if record.pointee.firstDependency != .max { dropDependencies(slot) }
        record.pointee.unfinishedDependencies = 0
        record.pointee.endEvent = eventCount + 1
        report(.finished, slot, outcome: outcome, wasExecuting: wasExecuting, other: cause)
        if record.pointee.flags.contains(.hasHandle) {
            effects.ended.append(store.id(slot))
            if record.pointee.flags.contains(.callsHost) { effects.callsHost = true }
        }
        let failed =
            (outcome == .failed || outcome == .skipped)
            && !record.pointee.flags.contains(.allowsFailure)
        if queue != .max {
            if queues[Int(queue)].kind == .external { tell(.left(isForGood: true), store.id(slot), record) }
            unlink(record)
            if failed, queues[Int(queue)].failFast, outcome == .failed, hasUnstarted(queue) {
                cancelUnstarted(queue)
            }
        }
        record.pointee.cause = cause
        if record.pointee.firstDependent != .max { releaseDependents(slot, outcome) }
        var inner = UInt32.max
        if record.pointee.lane == .group, record.pointee.extras != .max {
            inner = extras[Int(record.pointee.extras)].innerQueue
            if inner != .max, !wasExecuting { insideOutlived(inner) }
        }
        if queue != .max, queues[Int(queue)].kind == .inner {
            if !isReaderInput { noteEndInside(record) }
            insideFinished(store.id(slot), queue, failed: failed)
        }
        freeIfForgotten(slot)
        if queue != .max, queues[Int(queue)].isDropped { releaseIfDropped(queue) }
        if inner != .max { releaseIfDropped(inner) }
    }

    /// Whether a queue has an operation that does not execute.
    private func hasUnstarted(_ queue: UInt32) -> Bool {
        queues[Int(queue)].count > queues[Int(queue)].executingCount
    }

    // MARK: Attempts

    /// Prepares another attempt if there is one left.
    ///
    /// Returns true if it did.
    mutating func retry(_ slot: UInt32) -> Bool {
        let record = store.pointer(slot)
        guard hasAttemptsLeft(record), let policy = extras(of: record)?.retry else { return false }
        cancelTimers(record)
        if isLogging { noteEnding(slot) }
        if !has(.slotLostBetweenAttempts) { discharge(record) }
        record.pointee.flags.remove(.timedOut)
        record.pointee.flags.insert(.retrying)
        record.pointee.phase = .waiting
        report(.retrying, slot)
        if isExternal(record) { waitsAgainExternally(record, store.id(slot)) }
        let delay = policy.delay(afterAttempt: Int(record.pointee.attempt), chance: chance.nextUnit())
        if delay == 0 || has(.delayForgotten) {
            enterReady(slot)
        } else {
            effects.timersToArm.append(TimerToArm(payload: .retry(store.id(slot)), delay: delay))
        }
        return true
    }

    /// Whether the operation is a group, which ends when its last operation inside ends.
    func hasNoBody(_ record: UnsafeMutablePointer<OperationRecord>) -> Bool {
        guard record.pointee.lane == .group else { return false }
        return !isExternal(record) || extras(of: record)?.innerQueue != .max
    }

    /// Whether a failure of this attempt would be followed by another one.
    func hasAttemptsLeft(_ record: UnsafeMutablePointer<OperationRecord>) -> Bool {
        guard record.pointee.extras != .max, let policy = extras[Int(record.pointee.extras)].retry else {
            return false
        }
        return Int(record.pointee.attempt) < policy.attempts && record.pointee.queue != .max
            && !hasNoBody(record) && !record.pointee.flags.contains(.startedByHand)
    }

    mutating func cancelTimers(_ record: UnsafeMutablePointer<OperationRecord>) {
        let index = Int(record.pointee.extras)
        if let timer = extras[index].timeoutTimer.take() { timers.cancel(timer) }
        if let timer = extras[index].delayTimer.take() { timers.cancel(timer) }
    }

    // MARK: Groups

    /// An operation inside a group has finished.
    private mutating func insideFinished(_ id: OperationID, _ inner: UInt32, failed: Bool) {
        let owner = queues[Int(inner)].ownerGroup
        if failed, let group = store.live(owner) { withExtras(group) { $0.failuresInside.append(id) } }
        finishGroupIfDone(inner)
    }

    /// Ends a group that executes and has nothing unfinished inside.
    mutating func finishGroupIfDone(_ inner: UInt32) {
        guard queues[Int(inner)].count <= (has(.groupEndsEarly) ? 1 : 0),
            let group = store.live(queues[Int(inner)].ownerGroup),
            group.pointee.phase == .executing
        else { return }
        let failure = extras(of: group)?.failuresInside.first ?? .none
        let id = queues[Int(inner)].ownerGroup
        if group.pointee.flags.contains(.cancelled) {
            end(id.slot, .cancelled)
        } else if group.pointee.flags.contains(.timedOut) {
            end(id.slot, .failed)
        } else {
            end(id.slot, failure == .none ? .succeeded : .failed, cause: failure)
        }
    }

    /// A group ended without having started, so the operations inside end without having started, too.
    private mutating func insideOutlived(_ inner: UInt32) {
        cancelEverything(in: inner)
        setSuspended(QueueID(index: inner), to: false)
    }
}
