internal import LuaVM
internal import Scheduling

extension ScriptRuntime {
    /// Runs turns until nothing is left that could still run. The heart of the script thread.
    func runLoop() -> ScriptPause {
        if let simulation { return runSimulatedLoop(simulation) }
        while exitRequest == nil {
            if turns.isEmpty || mayHaveToTakeIn { takeIn() }
            if isStopping { return .stopped }
            if let turn = turns.popFirst() {
                perform(turn)
                if budgetEnd != .max, SchedulerClock.systemNow >= budgetEnd { return .busy }
                continue
            }
            if hasUnshownEvents || scheduler.hasEvents || link.hasPosts { continue }
            releaseIDs()
            if let pause = waitForMore() { return pause }
        }
        return .over
    }

    /// Whether something has to be looked at though there are turns: they come before what happened in the scheduler.
    @inline(__always)
    private var mayHaveToTakeIn: Bool {
        scheduler.hasUndeliveredAdditions || link.hasPosts || !dueTimes.isEmpty || sweepIsDue
            || vm.mayHaveDropped || taskAnchors.hasMany
    }

    /// How many events are taken in before the turns they lead to: as much as the caches of a core hold.
    private static let eventBatch = 256

    /// Takes in what happened elsewhere, between two turns.
    ///
    /// What happened in the scheduler comes before timers that are due by now: a script that adds an operation and
    /// sleeps finds it started, however late the machine lets this thread go on.
    ///
    /// - Parameter all: Whether it has to be all that happened until now. Else turns come first, and then some of it,
    ///   so that an operation's memory is still near when its callbacks are called.
    func takeIn(all: Bool = false) {
        scheduler.deliverAdditions()
        let mayTakeDue = all || turns.taken >= endOfDue
        let next = mayTakeDue ? dueTimes.nextDeadline : nil
        // The clock is read only where it is asked for: that takes as long as a tenth of a timer.
        let now = next == nil ? .min : scheduler.clock.now
        let isSomethingDue = next.map { $0 <= now } ?? false
        if all || isSomethingDue || link.hasPosts {
            takeInAllEvents()
        } else if turns.isEmpty {
            takeInSomeEvents()
        }
        if link.hasPosts { takeRequests() }
        if isSomethingDue { takeDue(now, all: all) }
        if sweepIsDue { sweepDropped() }
        vm.drainReleases()
        taskAnchors.drain(vm.main)
    }

    /// Whether something was fetched from the scheduler, and the script does not see it yet.
    var hasUnshownEvents: Bool { nextEvent < events.count }

    private func takeInSomeEvents() {
        if nextEvent >= events.count {
            guard scheduler.hasEvents else { return }
            fetchEvents()
        }
        let end = min(events.count, nextEvent + Self.eventBatch)
        // What is applied may call an observer, whose wait takes others in.
        while nextEvent < min(end, events.count) { applyNextEvent() }
        publishStatusNowAndThen()
    }

    private func applyNextEvent() {
        nextEvent += 1
        prefetchLaterEvents()
        apply(events[nextEvent - 1])
    }

    /// Where very many operations are in memory, most of the time goes to waiting for it: what the next events need is
    /// fetched while this one is applied, first what is known of an operation, then what that points to.
    @inline(__always)
    private func prefetchLaterEvents() {
        let far = nextEvent + 12
        guard far < events.count else { return }
        let slot = Int(events[far].id.slot)
        if slot < entries.count { CacheLine.prefetch(entries[slot]) }
        let near = Int(events[nextEvent + 5].id.slot)
        guard near < entries.count else { return }
        let entry = entries[near]
        if let block = entry.pointee.block {
            CacheLine.prefetch(block)
            CacheLine.prefetch(UnsafeRawPointer(block) + 64)
        }
    }

    /// All that happened until this moment; not what workers end meanwhile, which might go on for ever.
    func takeInAllEvents() {
        if hasUnshownEvents { applyFetchedEvents() }
        guard scheduler.hasEvents || scheduler.mayHoldEvents else { return }
        fetchEvents()
        applyFetchedEvents()
        publishStatusNowAndThen()
    }

    func fetchEvents() {
        scheduler.takeEvents(events)
        momentOfEvents = scheduler.now
        nextEvent = 0
        takeRequests()
    }

    /// Requests of other threads become turns. To be called between fetching events and applying them: whoever asked
    /// for something and then ended an operation did so in this order, and is served in it.
    func takeRequests() {
        guard link.hasPosts else { return }
        isStopping = link.isStopped
        for post in link.takePosts() { turns.append(.post(post)) }
    }

    func applyFetchedEvents() {
        while nextEvent < events.count { applyNextEvent() }
    }

    /// How many that are due are taken at a time: as much as the caches of a core hold until their turns have come.
    private static let dueBatch = 64

    /// What is due is collected first, so that what is scheduled meanwhile waits for the next look: all of it where
    /// somebody lets it go first, and on virtual time, where the order can be seen. Else some of it, and more when the
    /// turns that there are then have been.
    private func takeDue(_ now: Int64, all: Bool) {
        // Who explores takes one at a time.
        if simulation?.choices != nil { return }
        let most = all || simulation != nil ? Int.max : Self.dueBatch
        while dueItems.count < most, let (_, item) = dueTimes.popDue(now) { dueItems.append(item) }
        prefetchDue()
        for item in dueItems { happen(item, now) }
        if dueItems.count == most { endOfDue = turns.taken + turns.count }
        dueItems.removeAll(keepingCapacity: dueItems.count <= Self.dueBatch)
    }

    /// One after the other these would be waited for: a timer is found through its entry. Of the timers only the first
    /// are fetched, since all at once are more than a core waits for at a time; the others are when it is nearly their
    /// turn.
    private func prefetchDue() {
        for case .timer(let id) in dueItems { timers.prefetchEntry(id) }
        for case .timer(let id) in dueItems.prefix(TimerTable.lookAhead) { timers.prefetch(id) }
    }

    /// Something is due that was taken out of the list.
    func happen(_ item: Due, _ now: Int64) {
        switch item {
        case .wait(let wait):
            wait.timer = nil
            end(wait, .timedOut)
        case .timer(let id):
            // Its handle, which is of no use any more, is left as it is: the timer may be far away in memory.
            turns.append(.fire(id))
        case .source(let source):
            source.timerHandle = nil
            happened(source, 1)
        case .sleep(let id):
            entry(id)?.pointee.attachment?.sleepTimer = nil
            let failure = entry(id)?.pointee.attachment?.simulatedFailure.take()
            scheduler.feed { $0.bodyEnded(id, failure) }
        case .begin(let id):
            entry(id)?.pointee.attachment?.sleepTimer = nil
            beginDelayed(id)
        case .body(let id):
            entry(id)?.pointee.attachment?.sleepTimer = nil
            endInstantly(id)
        case .progress(let progress): turns.append(.host { [unowned self] in progressIsDue(progress) })
        case .stubborn:
            reportStubborn(now)
        }
    }

    /// Nothing can run on this thread now: sleeps until something can, or says what it waits for.
    func waitForMore() -> ScriptPause? {
        handOutEvents()
        if sources.lookForClosed(self) { return nil }
        let isOver = mainChunkEnded && !hasReasonToGoOn
        if isOver { return tellPendingProgress() ? nil : .over }
        if simulation != nil, scheduler.startRealBodies() {
            if let choices = simulation?.choices { warnOfRealBodies(choices) }
            return nil
        }
        let machineMoves = scheduler.visit { core in
            // Read under the lock, so that no event slips in between.
            core.collectClaims()
            return core.hasEvents ? nil : core.movesElsewhere
        }
        guard let machineMoves else { return nil }
        let executes = machineMoves || !threads.isEmpty
        if !executes, endSettlers() { return nil }
        let machineDeadline = scheduler.nextDeadline
        let deadline = [dueTimes.nextDeadline, machineDeadline].compactMap { $0 }.min()
        if !executes, deadline == nil, !sources.isExpecting, !hasForeigners,
            !link.isHeld || !clockRuns.isEmpty
        {
            // Who has let go of the last handle may have acted just before: that is to be done first.
            if link.hasPosts { return nil }
            return breakDeadlock() ? nil : .over
        }
        if scheduler.clock.isVirtual, !executes, let deadline {
            if expireDriver(before: deadline) || endBefore(deadline) { return nil }
            simulation?.firstAtThisMoment = dueTimes.nextSequence
            if simulation?.choices == nil {
                scheduler.advance(to: deadline)
            } else {
                // When what the scheduler waits for happens at that moment is a choice, too.
                scheduler.clock.advance(to: deadline)
            }
            return nil
        }
        flushOutput()
        publishStatus()
        warnOfMissingThreads()
        let moment = scheduler.clock.isVirtual ? nil : dueTimes.nextDeadline
        guard parks else { return .waiting(until: moment) }
        scheduler.parkReader(until: moment)
        return nil
    }

    private func warnOfMissingThreads() {
        guard scheduler.lacksThreads, !warnedOfMissingThreads else { return }
        warnedOfMissingThreads = true
        diagnose(
            "warning: the system has no more threads to give (see 'ulimit -u'); what needs one waits until it has"
        )
    }

    /// Whether something could still happen by itself: operations in queues, timers that keep the run alive, waits.
    private var hasReasonToGoOn: Bool {
        if !waits.isEmpty || !threads.isEmpty || !startedByHand.isEmpty { return true }
        if timers.aliveCount > 0 { return true }
        if sources.keepAlive { return true }
        return isAnythingUnfinished
    }

    /// Whether there are operations that have not finished, or whose ends are still to be taken in, besides those whose
    /// run has ended without them.
    var isAnythingUnfinished: Bool {
        scheduler.visit { core in
            core.unfinishedCount > abandonedCount
                || core.closureExecutingCount > abandonedCount
                || core.hasEvents
        }
    }

    func perform(_ turn: Turn) {
        switch turn {
        case .startOperation(let queue): startOperation(from: queue)
        case .nativeTurn(let id): runNativeTurn(of: id)
        case .ended(let id): serveEnd(of: id)
        case .observed(let observations, let change): tell(observations, change)
        case .resume(let wait): resume(wait)
        case .goOn(let task):
            goOnAfterTurns(task.takeRetainedValue())
        case .stopAsynchronous(let id): stopAsynchronous(id)
        case .fire(let id): fire(id)
        case .source(let source): callHandler(of: source)
        case .lateCompletion(let handle): callLateCompletion(handle)
        case .post(let post): post.body(self)
        case .host(let body): body()
        }
    }

    // MARK: Ends of the run

    /// The main chunk raised, or a callback did and nobody caught it: the run ends like the first Ctrl-C.
    func runFailed(_ error: ErrorValue) {
        // What unwinds after `os.exit` is no failure.
        if exitRequest != nil { return }
        if report.error == nil, !(isCancelled && error.code == .cancelled) {
            report.error = error.scriptError
        } else if error.code != .cancelled {
            diagnose(error.message)
        }
        cancelRun()
    }

    func callbackFailed(_ what: String, _ error: ErrorValue) {
        if isCancelled, error.code == .cancelled { return }
        runFailed(error)
    }

    /// The host cancels a run, or the one that goes on; not one that began after it.
    func cancelFromOutside(_ request: RunRequest? = nil) {
        guard case .run(let current) = session, request == nil || request === current else { return }
        link.cancelIsTakenIn()
        report.wasCancelled = true
        cancelRun()
    }

    /// Cancels everything: operations, waits, timers. Completion blocks run.
    func cancelRun() {
        guard !isCancelled else { return }
        isCancelled = true
        cancelAll()
        letCancelledOnesEnd()
    }

    /// What was cancelled in suspended queues ends, since nobody resumes them any more; the script still sees them
    /// suspended.
    private func letCancelledOnesEnd() {
        for queue in queues.all where queue.isSuspended && queue.kind != .inner && queue.kind != .native {
            scheduler.feed { $0.suspensionChanged(queue.id, to: false) }
        }
    }

    /// Cancels what there is at the moment, and interrupts what waits.
    func cancelAll() {
        invalidateTimers()
        for source in sources.all { cancel(source) }
        cancelAllOperations()
        for thread in threads.values { cancel(thread) }
        for wait in waits.all where belongsToRun(wait.task) && !wait.isShielded {
            end(wait, .failed(cancellation(wait.task)))
        }
    }

    /// Whether a task is cancelled with the run, and not with an operation: also one that goes on after its operation
    /// has ended.
    func belongsToRun(_ task: ScriptTask) -> Bool {
        guard let id = task.operation, let block = liveBlock(id) else { return true }
        return block.pointee.isFinished
    }
}
