extension SchedulerMachine {
    /// The earliest moment at which a timer is due.
    var nextDeadline: Int64? { Self.earlier(timers.nextDeadline, terms.nextDeadline) }

    /// The same, without the terms of starts if no operation waits for one.
    ///
    /// - Complexity: O(queues and their ready lists) if there are terms.
    var nextEffect: Int64? {
        guard let term = terms.nextDeadline, waitsForTerm else { return timers.nextDeadline }
        return Self.earlier(timers.nextDeadline, term)
    }

    private static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// By operation, when the delay before its start, or before its next attempt, is over.
    ///
    /// - Complexity: O(*n* log *n*) in the number of timers.
    var delays: [OperationID: Int64] {
        timers.entries(dueBy: .max).reduce(into: [:]) { delays, entry in
            switch entry.payload {
            case .delay(let id), .retry(let id): delays[id] = entry.deadline
            case .timeout, .term: break
            }
        }
    }

    /// Arms the timers that were requested since the last call.
    mutating func armTimers(_ now: Int64) {
        for pending in effects.timersToArm {
            let (sum, overflow) = now.addingReportingOverflow(pending.delay)
            let deadline = overflow ? Int64.max : sum
            switch pending.payload {
            case .timeout(let id):
                guard let record = store.live(id), record.pointee.phase == .executing,
                    !record.pointee.flags.contains(.judged)
                else { continue }
                if let earlier = extras(of: record)?.timeoutTimer { timers.cancel(earlier) }
                let handle = timers.schedule(at: deadline, pending.payload)
                withExtras(record) { $0.timeoutTimer = handle }
            case .delay(let id), .retry(let id):
                guard let record = store.live(id), record.pointee.phase == .waiting else { continue }
                let handle = timers.schedule(at: deadline, pending.payload)
                withExtras(record) { $0.delayTimer = handle }
            case .term: terms.schedule(at: deadline, pending.payload)
            }
        }
        effects.timersToArm.removeAll(keepingCapacity: true)
    }

    /// The time is at least `now`.
    mutating func timeReached(_ now: Int64) {
        while let (_, payload) = terms.popDue(now) ?? timers.popDue(now) {
            if isLogging { noteCause(.delay) }
            switch payload {
            case .timeout(let id): timeRanOut(id)
            case .term(let resource): termPassed(Int(resource))
            case .delay(let id):
                guard let record = store.live(id), record.pointee.flags.contains(.delayed) else { continue }
                withExtras(record) { $0.delayTimer = nil }
                // A cancelled operation ends when its queue is resumed.
                guard record.pointee.phase == .waiting else { continue }
                record.pointee.flags.remove(.delayed)
                if record.pointee.flags.contains(.outsideLine) { joinLine(record, id) }
                record.pointee.unfinishedDependencies -= 1
                if record.pointee.unfinishedDependencies == 0 { dependenciesReleased(id.slot) }
            case .retry(let id):
                guard let record = store.live(id), record.pointee.phase == .waiting else { continue }
                withExtras(record) { $0.delayTimer = nil }
                enterReady(id.slot)
            }
        }
        drainEndings()
    }

    private mutating func timeRanOut(_ id: OperationID) {
        guard let record = store.live(id), record.pointee.phase == .executing else { return }
        withExtras(record) { $0.timeoutTimer = nil }
        guard record.pointee.flags.isDisjoint(with: [.timedOut, .cancelled]) else { return }
        record.pointee.flags.insert(.timedOut)
        if record.pointee.lane == .group, hasNoBody(record) {
            if let inner = extras(of: record)?.innerQueue, inner != .max { cancelEverything(in: inner) }
        } else {
            effects.actions.append(.cancelBody(id))
        }
        report(.timedOut, id.slot, wasExecuting: true)
    }
}
