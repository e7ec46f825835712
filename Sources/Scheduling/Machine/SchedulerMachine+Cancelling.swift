extension SchedulerMachine {
    /// The operation was cancelled.
    ///
    /// Returns true if the operation had not finished.
    ///
    /// If it has not started, it finishes as cancelled without waiting for its dependencies; an executing
    /// body is notified.
    @discardableResult
    mutating func cancelled(_ id: OperationID) -> Bool {
        guard let record = store.live(id), record.pointee.phase != .finished else { return false }
        cancel(id.slot, reporting: false)
        drainEndings()
        return true
    }

    /// The reader cancelled operations of whose ends it does not know yet: their outcome is `cancelled` after all.
    ///
    /// Operations that depend on them and have not started follow, and so do groups that failed only because of them.
    /// - Complexity: O(count); O(operations) if others depended on one of them when it ended.
    mutating func cancelledAfterEnd(_ ids: [OperationID]) -> CorrectedEnds {
        var ends = CorrectedEnds()
        for id in ids {
            guard let record = store.live(id), record.pointee.phase == .finished,
                record.pointee.outcome != .cancelled
            else { continue }
            record.pointee.flags.insert(.cancelled)
            record.pointee.outcome = .cancelled
            ends.cancelled.append(id)
            if record.pointee.flags.contains(.hadDependents) { ends.origins[id] = .cancelled }
            forgive(id, record, &ends)
        }
        if !ends.origins.isEmpty { correctDependents(of: ends.origins) }
        return ends
    }

    /// An operation has not failed after all: a group that failed only because of it has succeeded.
    private mutating func forgive(
        _ id: OperationID,
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ ends: inout CorrectedEnds
    ) {
        var (id, record) = (id, record)
        while record.pointee.queue != .max, queues[Int(record.pointee.queue)].kind == .inner {
            let owner = queues[Int(record.pointee.queue)].ownerGroup
            guard let group = store.live(owner), let failures = extras(of: group)?.failuresInside,
                failures.contains(id)
            else { return }
            withExtras(group) { $0.failuresInside.removeAll { $0 == id } }
            guard failures.count == 1, group.pointee.phase == .finished, group.pointee.outcome == .failed,
                !group.pointee.flags.contains(.timedOut)
            else { return }
            let hadDependents = group.pointee.flags.contains(.hadDependents)
            // Once the reader has taken the event, those that depend on the group are decided.
            if hadDependents, group.pointee.endEvent <= takenEvents { return }
            group.pointee.outcome = .succeeded
            group.pointee.cause = .none
            ends.succeeded.append(owner)
            if hadDependents { ends.origins[owner] = .succeeded }
            (id, record) = (owner, group)
        }
    }

    /// Operations that depend on others and have not started are decided once more.
    private mutating func correctDependents(of origins: [OperationID: OperationOutcome]) {
        for slot in 0..<store.capacity {
            let dependent = store.pointer(slot)
            guard dependent.pointee.firstDependency != .max,
                [.created, .waiting, .ready, .offered, .ending].contains(dependent.pointee.phase)
            else { continue }
            var isChanged = false
            var index = dependent.pointee.firstDependency
            while index != .max {
                let edge = edges.pointer(index)
                if edge.pointee.outcome != nil {
                    let origin = edges.origin(edge, in: store)
                    if let outcome = origins[origin] {
                        edge.pointee.decide(outcome, generation: origin.generation)
                        isChanged = true
                    }
                }
                index = edge.pointee.nextDependency
            }
            if isChanged { reconsider(slot) }
        }
    }

    /// Whether a failure of the operation in a slot cancels others in a queue.
    func failsFast(_ slot: UInt32, in queue: QueueID) -> Bool {
        queues[Int(queue.index)].failFast && store.pointer(slot).pointee.queue == queue.index
    }

    /// The reader sees a failure in a queue that fails fast: the operations that have not started are cancelled, also
    /// those that it added since the failure happened.
    mutating func failureSeen(in queue: QueueID) {
        cancelUnstarted(queue.index)
        drainEndings()
    }

    /// Several operations were cancelled at once: none of them is decided by the end of another one.
    ///
    /// Returns for each whether it had not finished.
    mutating func cancelled(together ids: [OperationID]) -> [Bool] {
        let areInTime = ids.map { id in
            guard let record = store.live(id), record.pointee.phase != .finished else { return false }
            cancel(id.slot, reporting: false)
            return true
        }
        drainEndings()
        return areInTime
    }

    /// All operations of a queue were cancelled.
    mutating func allCancelled(in queue: QueueID) {
        cancelEverything(in: queue.index)
        drainEndings()
    }

    /// Cancels all operations in a queue, and all operations inside its executing groups, at any depth.
    mutating func cancelEverything(in queue: UInt32) {
        // Iterates over the queues instead of recursing: groups may be nested deeply.
        cancellations.append(queue)
        guard cancellations.count == 1 else { return }
        var next = 0
        while next < cancellations.count {
            cancelOperations(in: cancellations[next])
            next += 1
        }
        cancellations.removeAll()
    }

    private mutating func cancelOperations(in queue: UInt32) {
        var slot = queues[Int(queue)].firstOperation
        while slot != .max {
            let next = store.pointer(slot).pointee.nextInQueue
            cancel(slot, reporting: true)
            slot = next
        }
    }

    /// Cancels the operations of a queue that have not started.
    mutating func cancelUnstarted(_ queue: UInt32) {
        var slot = queues[Int(queue)].firstOperation
        while slot != .max {
            let record = store.pointer(slot)
            let next = record.pointee.nextInQueue
            if record.pointee.phase != .executing { cancel(slot, reporting: true) }
            slot = next
        }
    }

    /// The operations inside a group that has not started are cancelled with it, and end with it.
    private mutating func cancelInside(_ record: UnsafeMutablePointer<OperationRecord>) {
        guard record.pointee.lane == .group, let inner = extras(of: record)?.innerQueue, inner != .max else {
            return
        }
        cancelEverything(in: inner)
    }

    mutating func cancel(_ slot: UInt32, reporting: Bool) {
        let record = store.pointer(slot)
        guard !record.pointee.flags.contains(.cancelled), record.pointee.phase != .finished else { return }
        // It only waits for its queue; then it ends as cancelled.
        if record.pointee.phase == .ending {
            record.pointee.flags.insert(.cancelled)
            if reporting { report(.cancelled, slot) }
            cancelInside(record)
            return
        }
        let wasTimedOut = record.pointee.flags.contains(.timedOut)
        // An attempt that ran out of time has failed, unless another one would follow.
        if !wasTimedOut || hasAttemptsLeft(record) { record.pointee.flags.insert(.cancelled) }
        let isExecuting = record.pointee.phase == .executing
        if reporting { report(.cancelled, slot, wasExecuting: isExecuting) }
        if isExternal(record) { tell(.cancelled, store.id(slot), record) }
        if !isExecuting { cancelInside(record) }
        switch record.pointee.phase {
        case .created:
            if record.pointee.flags.contains(.gate) { end(slot, .cancelled) }
        case .ready where has(.cancelledStarts) && queues[Int(record.pointee.queue)].freeSlots > 0:
            break
        case .waiting, .ready, .offered:
            end(slot, .cancelled)
        case .executing:
            if wasTimedOut { return }
            if record.pointee.lane == .group, hasNoBody(record) {
                if let inner = extras(of: record)?.innerQueue, inner != .max { cancelEverything(in: inner) }
                // An empty group cannot execute: it ended when it started.
            } else {
                effects.actions.append(.cancelBody(store.id(slot)))
            }
        case .claimed:
            assertionFailure("slot \(slot) is cancelled, and its claim was not taken back")
        case .free, .ending, .finished:
            break
        }
    }
}

/// The operations whose outcomes have changed since they ended, because the reader did not know their ends yet.
package struct CorrectedEnds: Sendable {
    /// Those that are cancelled now.
    package fileprivate(set) var cancelled: [OperationID] = []
    /// The groups that have succeeded now.
    package fileprivate(set) var succeeded: [OperationID] = []
    /// The new outcomes of those on which others depended.
    fileprivate var origins: [OperationID: OperationOutcome] = [:]
}
