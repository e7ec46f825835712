internal import LuaVM
internal import Scheduling

/// Ends that are taken in before the script may see them.
///
/// A script that adds very many operations without a wait would have all of them in memory at once, with what the scheduler knows of them and
/// with their bodies, though workers end them meanwhile. So ends of Swift closures that succeeded are taken in while the script adds: the result goes to the
/// operation, and all else is used again. What the script sees changes at its next wait, as ever. See decision 0024.
extension ScriptRuntime {
    /// After so many additions somebody looks for ends.
    private static let additionsBetweenLooks = 64
    /// More that execute at the same time are not looked through.
    private static let startsKept = 64

    /// An operation was added; takes ends in now and then.
    @inline(__always)
    func additionWasMade() {
        additionsSinceLook += 1
        if additionsSinceLook >= Self.additionsBetweenLooks { lookForEarlyEnds() }
    }

    @inline(never)
    private func lookForEarlyEnds() {
        additionsSinceLook = 0
        // Telemetry and traces tell of each start and end when the script sees it.
        guard scheduler.hasEvents, simulation == nil, telemetry == nil, trace == nil, driver == nil else {
            return
        }
        if nextEvent == events.count {
            events.truncate()
            nextEvent = 0
            holdsLaterEvents = false
        }
        guard nextEvent == 0, !holdsLaterEvents else { return }
        releasedIDs.exchange(for: laterEvents, of: scheduler, letGo: &releasedBodies, free: freeIDs)
        // What bodies hold is the host's, and goes outside the lock.
        releasedBodies.removeAll(keepingCapacity: true)
        takeRequests()
        momentOfEvents = scheduler.clock.now
        for event in laterEvents.elements {
            if !holdsLaterEvents, event.kind == .finished, takeInEarly(event) {
                dropStart(of: event.id)
                continue
            }
            events.append(event)
            // What comes after an event that may lead to a callback has to stay behind it.
            if event.kind != .started || entry(event.id)?.pointee.attachment != nil
                || events.count > Self.startsKept
            {
                holdsLaterEvents = true
            }
        }
        laterEvents.truncate()
    }

    /// The start of an operation, which stands among few, is told with its end.
    private func dropStart(of id: OperationID) {
        for place in 0..<events.count where events[place].id == id {
            var following = place + 1
            while following < events.count {
                events[following - 1] = events[following]
                following += 1
            }
            events.truncate(to: events.count - 1)
            return
        }
    }

    /// Takes in the end of a Swift closure, if it is one on which nobody waits and that has one result.
    private func takeInEarly(_ event: SchedulerEvent) -> Bool {
        guard event.outcome == .succeeded, let entry = entry(event.id), entry.isOrdinary,
            let block = entry.pointee.block, let value = entries.result(entry),
            block.pointee.kind == .work, block.pointee.flags.contains(.isSubmitted),
            block.pointee.flags.isDisjoint(with: Self.oddFlags)
        else { return false }
        keep(value, in: block)
        if link.events.isObserved {
            if block.pointee.state != .executing { tell(.started, block, at: momentOfEvents) }
            tell(.succeeded, block, at: momentOfEvents)
            block.pointee.flags.insert(.toldEarly)
        }
        earlyEnds.append(EarlyEnd(block: block, formerID: event.id))
        block.pointee.flags.insert(.endedEarly)
        anchors.note(block, at: entry.pointee.place)
        block.pointee.id = .anchored(at: entry.pointee.place)
        release(entry)
        return true
    }

    private static let oddFlags: OperationBlock.Flags = [
        .isCancelled, .isHandedOut, .isBarrier, .wasStartedByHand, .isForeign, .isAsync, .endedEarly,
    ]

    /// Gives an operation whose end was taken in early an identity again, and all that hangs on it, since somebody asks for it.
    @inline(never)
    func surface(_ block: OperationPointer) {
        guard let place = block.pointee.id.place else { return }
        let id = scheduler.feed { $0.machine.endedOperationCreated() }
        let entry = entries.makeEntry(Int(id.slot))
        entry.pointee.id = id
        entry.pointee.block = block
        entry.pointee.place = place
        entry.pointee.hold = .untilEnd
        block.pointee.id = id
        block.pointee.flags.remove(.endedEarly)
        let body = WorkBody(definition(Int(block.pointee.work)), .none, takesOperations: false)
        let state = vm.main
        let top = state.top
        pushOperation(id, state)
        if pushKeptResults(block, state, state.top) > 0 { fill(body, state, top + 2) } else { body.set(.nil) }
        state.setTop(top)
        entry.pointee.body = body
    }

    /// The identities of what is in a queue and has not finished, as the script sees it, in the order of addition.
    func unfinished(_ queue: ScriptQueue) -> [OperationID] {
        var surfaced: [OperationID: OperationID] = [:]
        earlyEnds.forEach { end in
            guard withQueue(of: end.block, { $0 === queue }) ?? false else { return }
            surface(end.block)
            surfaced[end.formerID] = end.block.pointee.id
        }
        return queue.unfinished { id in
            let id = surfaced[id] ?? id
            return isUnfinished(id) ? id : nil
        }
    }

    // MARK: Showing

    /// Shows some of the ends that were taken in early. Callbacks they lead to become turns.
    func showEarlyEnds(atMost count: Int = .max) {
        var left = count
        while left > 0, let end = earlyEnds.popFirst() {
            left -= 1
            show(end)
        }
    }

    private func show(_ end: EarlyEnd) {
        let block = end.block
        guard block.pointee.flags.contains(.endedEarly) else {
            // Somebody has asked for it since.
            let id = block.pointee.id
            markStarted(block, at: momentOfEvents)
            apply(SchedulerEvent(id: id, kind: .finished, outcome: .succeeded, wasExecuting: true))
            return
        }
        block.pointee.state = .finished
        block.pointee.outcome = .succeeded
        block.pointee.attempt = 1
        block.pointee.flags.insert(.isReady)
        counts.succeeded += 1
        let isLast =
            withQueue(of: block) { queue in
                noteEnd(in: queue)
                observeCount(queue, old: queue.count + 1, removed: block.pointee.id)
                return queue.unfinishedOrUnsettled == 1
            } ?? true
        // Where nobody is to be called, there is nothing to wait for a turn.
        if isLast || block.pointee.flags.contains(.hasCompletion) {
            turns.append(.ended(block.pointee.id))
        } else {
            settle(block)
        }
    }

    /// An operation of a queue is seen to have finished.
    @inline(__always)
    func noteEnd(in queue: ScriptQueue) {
        // Those whose ends were taken in early are in its list by identities that nobody knows any more.
        let isLive: ((OperationID) -> Bool)? = earlyEnds.isEmpty ? { self.isUnfinished($0) } : nil
        queue.finished(isLive: isLive)
    }

    private func isUnfinished(_ id: OperationID) -> Bool {
        entry(id)?.pointee.block.map { !$0.pointee.isFinished } ?? false
    }
}
