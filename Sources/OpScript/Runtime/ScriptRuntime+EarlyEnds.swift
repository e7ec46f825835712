internal import LuaVM
internal import Scheduling

/// Ends that are taken in before the script may see them.
///
/// A script that adds very many operations without a wait would have all of them in memory at once, with what the scheduler knows of them and
/// with their bodies, though workers end them meanwhile. So ends of Swift closures that succeeded are taken in while the script adds: the result goes to the
/// operation, and all else is used again. What the script sees changes at its next wait, as ever. See decision 0024.
extension ScriptRuntime {
    /// After so many additions somebody looks for ends.
    private static let additionsBetweenLooks = 128
    /// After so many it tries again, where others were at the scheduler.
    private static let additionsBetweenTries = 8
    /// As many may be needed until the next look, which may have to be tried again and again.
    private static let identitiesUntilLook = 3 * additionsBetweenLooks
    /// After so many ends somebody looks for what else has happened: as much as the caches of a core hold.
    private static let endsBetweenLooks = 256
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
        // A finalizer may have added in the middle of a look, or of whatever holds identities.
        guard !vm.isFinalizing else { return }
        if nextEvent == events.count {
            events.truncate()
            nextEvent = 0
            holdsLaterEvents = false
        }
        guard nextEvent == 0, !holdsLaterEvents else { return }
        guard
            releasedIDs.exchange(
                for: laterEvents,
                of: scheduler,
                letGo: &releasedBodies,
                free: freeIDs,
                needed: Self.identitiesUntilLook
            )
        else {
            additionsSinceLook = Self.additionsBetweenLooks - Self.additionsBetweenTries
            return
        }
        // What bodies hold is the host's, and goes outside the lock.
        releasedBodies.removeAll(keepingCapacity: true)
        takeRequests()
        momentOfEvents = scheduler.clock.now
        let later = laterEvents.elements
        var next = 0
        while next < later.count {
            prefetch(later, after: next)
            let event = later[next]
            next += 1
            switch event.kind {
            case .finished:
                if !holdsLaterEvents, takeInEarly(event) {
                    dropStart(of: event.id)
                    continue
                }
                holdsLaterEvents = true
            case .started:
                // Mostly its end follows at once.
                if !holdsLaterEvents, next < later.count, later[next].id == event.id,
                    case .finished = later[next].kind, takeInEarly(later[next])
                {
                    next += 1
                    continue
                }
                if entry(event.id)?.pointee.attachment != nil || events.count >= Self.startsKept {
                    holdsLaterEvents = true
                }
            case .ready, .notReady, .retrying, .cancelled, .timedOut, .scriptTurn, .externalTurn:
                // What comes after an event that may lead to a callback has to stay behind it.
                holdsLaterEvents = true
            }
            events.append(event)
        }
        laterEvents.truncate()
    }

    /// Other threads have written events and what closures gave: fetches those that come soon.
    @inline(__always)
    private func prefetch(_ events: UnsafeMutableBufferPointer<SchedulerEvent>, after place: Int) {
        if place + 24 < events.count, let start = events.baseAddress {
            CacheLine.prefetch(start + place + 24)
        }
        guard place + 6 < events.count else { return }
        let slot = Int(events[place + 6].id.slot)
        if let cell = entries.cells.possible(slot) { WorkCells.prefetch(cell) }
        if slot < entries.count { CacheLine.prefetch(entries[slot]) }
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
            let block = entry.pointee.block,
            block.pointee.kind == .work, block.pointee.flags.contains(.isSubmitted),
            block.pointee.flags.isDisjoint(with: Self.oddFlags), keepResult(entry, block)
        else { return false }
        if link.events.isObserved {
            if block.pointee.state != .executing { tell(.started, block, at: momentOfEvents) }
            tell(.succeeded, block, at: momentOfEvents)
            block.pointee.flags.insert(.toldEarly)
        }
        earlyEnds.append(EarlyEnd(block: block, formerID: event.id))
        block.pointee.flags.insert(.endedEarly)
        block.pointee.id = .anchored(at: entry.pointee.place)
        release(entry)
        return true
    }

    /// Gives an operation the only result of its closure; false where there is none, or more than one.
    @inline(__always)
    private func keepResult(_ entry: UnsafeMutablePointer<OperationEntry>, _ block: OperationPointer) -> Bool
    {
        if let cell = entries.cell(entry), let result = cell.endedPlainValue {
            block.pointee.resultCount = 1
            block.pointee.plainResult = result
            return true
        }
        guard let value = entries.result(entry) else { return false }
        keep(value, in: block)
        return true
    }

    private static let oddFlags: OperationBlock.Flags = [
        .isCancelled, .isHandedOut, .isBarrier, .wasStartedByHand, .isForeign, .isAsync, .endedEarly,
    ]

    /// Gives an operation whose end was taken in early an identity again, and all that hangs on it, since somebody asks for it.
    @inline(never)
    func surface(_ block: OperationPointer) {
        guard let place = block.pointee.id.place else { return }
        let id = scheduler.visit { $0.machine.endedOperationCreated() }
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

    /// Shows all ends that were taken in early. Callbacks they lead to become turns.
    func showEarlyEnds() {
        while let end = earlyEnds.popFirst() { showWithTurn(end) }
        anchors.removeLeaving(vm.main)
    }

    /// Shows ends that were taken in early up to the first that leads to a turn.
    func showSomeEarlyEnds() {
        earlyEnds.leftUntilLook = Self.endsBetweenLooks
        while turns.isEmpty, earlyEnds.leftUntilLook > 0, let end = earlyEnds.popFirst() {
            earlyEnds.leftUntilLook -= 1
            showWithTurn(end)
        }
        anchors.removeLeaving(vm.main)
    }

    /// Shows ends that were taken in early up to the first with a completion block, which is to be called next: no turn comes before it, and
    /// nobody need look for what happened elsewhere.
    @inline(__always)
    func nextEarlyCompletion() -> OperationPointer? {
        defer { anchors.removeLeaving(vm.main) }
        while turns.isEmpty, earlyEnds.leftUntilLook > 0, !link.hasPosts, let end = earlyEnds.popFirst() {
            earlyEnds.leftUntilLook -= 1
            if show(end) { return end.block }
        }
        return nil
    }

    private func showWithTurn(_ end: EarlyEnd) {
        if show(end) { turns.append(.ended(end.block.pointee.id)) }
    }

    /// True where its completion block is to be called.
    @inline(__always)
    private func show(_ end: EarlyEnd) -> Bool {
        let block = end.block
        guard block.pointee.flags.contains(.endedEarly) else {
            // Somebody has asked for it since.
            let id = block.pointee.id
            markStarted(block, at: momentOfEvents)
            apply(SchedulerEvent(id: id, kind: .finished, outcome: .succeeded, wasExecuting: true))
            return false
        }
        block.pointee.state = .finished
        block.pointee.outcome = .succeeded
        block.pointee.attempt = 1
        block.pointee.flags.insert(.isReady)
        counts.succeeded += 1
        _ = withQueue(of: block) { queue in
            noteEnd(in: queue)
            observeCount(queue, old: queue.count + 1, removed: block.pointee.id)
        }
        if block.pointee.flags.contains(.hasCompletion) { return true }
        // Where nobody is to be told, there is nothing to wait for a turn.
        let id = block.pointee.id
        if settleEarlyEnd(block), let place = id.place {
            anchors.removeSoon(place)
        } else {
            turns.append(.ended(id))
        }
        return false
    }

    /// Nobody is left to be told of an end that was taken in early; false, and nothing happens, where its queue may be waited for. The
    /// userdata stays anchored.
    @inline(__always)
    func settleEarlyEnd(_ block: OperationPointer) -> Bool {
        let isSettled =
            withQueue(of: block) { queue in
                guard queue.unfinishedOrUnsettled > 1 else { return false }
                queue.settled()
                if let progress = queue.progress { changed(progress) }
                return true
            } ?? false
        guard isSettled else { return false }
        block.pointee.flags.insert(.isSettled)
        block.pointee.flags.remove(.endedEarly)
        goneCount &+= 1
        block.pointee.id = .gone(goneCount)
        return true
    }

    /// An operation of a queue is seen to have finished.
    @inline(__always)
    func noteEnd(in queue: ScriptQueue) {
        queue.finished()
        // Those whose ends were taken in early are in its list by identities that nobody knows any more.
        if queue.knowsManyFinished, earlyEnds.isEmpty { queue.forgetFinished { isUnfinished($0) } }
    }

    private func isUnfinished(_ id: OperationID) -> Bool {
        entry(id)?.pointee.block.map { !$0.pointee.isFinished } ?? false
    }
}
