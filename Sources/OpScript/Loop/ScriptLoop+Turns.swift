internal import LuaVM
internal import Scheduling

extension ScriptLoop {
    /// Runs turns until nothing is left that could still run. The heart of the script thread.
    func runLoop() -> ScriptPause {
        if let simulation = virtualTime.simulation { return virtualTime.runSimulatedLoop(simulation) }
        while runState.exitRequest == nil {
            if agenda.turns.isEmpty || mayHaveToTakeIn { takeIn() }
            if runState.isStopping { return .stopped }
            if let turn = agenda.turns.popFirst() {
                perform(turn)
                if agenda.budgetEnd != .max, SchedulerClock.systemNow >= agenda.budgetEnd { return .busy }
                continue
            }
            if hasUnshownEvents || scheduler.hasEvents || link.hasPosts { continue }
            operations.releaseIDs()
            if let pause = waitForMore() { return pause }
        }
        return .over
    }

    /// Whether something has to be looked at though there are turns: they come before what happened in the scheduler.
    @inline(__always)
    private var mayHaveToTakeIn: Bool {
        scheduler.hasUndeliveredAdditions || link.hasPosts || !agenda.dueTimes.isEmpty
            || operations.sweepIsDue
            || vm.mayHaveDropped || bodies.taskAnchors.hasMany
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
        let mayTakeDue = all || agenda.turns.taken >= endOfDue
        let next = mayTakeDue ? agenda.dueTimes.nextDeadline : nil
        // The clock is read only where it is asked for: that takes as long as a tenth of a timer.
        let now = next == nil ? .min : scheduler.clock.now
        let isSomethingDue = next.map { $0 <= now } ?? false
        if all || isSomethingDue || link.hasPosts {
            takeInAllEvents()
        } else if agenda.turns.isEmpty {
            takeInSomeEvents()
        }
        if link.hasPosts { takeRequests() }
        if isSomethingDue { takeDue(now, all: all) }
        if operations.sweepIsDue { operations.sweepDropped() }
        vm.drainReleases()
        bodies.taskAnchors.drain(vm.main)
    }

    /// Whether something was fetched from the scheduler, and the script does not see it yet.
    var hasUnshownEvents: Bool { agenda.nextEvent < agenda.events.count }

    private func takeInSomeEvents() {
        if agenda.nextEvent >= agenda.events.count {
            guard scheduler.hasEvents else { return }
            fetchEvents()
        }
        let end = min(agenda.events.count, agenda.nextEvent + Self.eventBatch)
        // What is applied may call an observer, whose wait takes others in.
        while agenda.nextEvent < min(end, agenda.events.count) { applyNextEvent() }
        publishStatusNowAndThen()
    }

    private func applyNextEvent() {
        agenda.nextEvent += 1
        operations.apply(agenda.events[agenda.nextEvent - 1])
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
        scheduler.takeEvents(agenda.events)
        agenda.momentOfEvents = scheduler.now
        agenda.nextEvent = 0
        takeRequests()
    }

    /// Requests of other threads become turns. To be called between fetching events and applying them: whoever asked
    /// for something and then ended an operation did so in this order, and is served in it.
    func takeRequests() {
        guard link.hasPosts else { return }
        runState.isStopping = link.isStopped
        for post in link.takePosts() { agenda.turns.append(.post(post)) }
    }

    func applyFetchedEvents() {
        while agenda.nextEvent < agenda.events.count { applyNextEvent() }
    }

    /// How many that are due are taken at a time: as much as the caches of a core hold until their turns have come.
    private static let dueBatch = 64

    /// What is due is collected first, so that what is scheduled meanwhile waits for the next look: all of it where
    /// somebody lets it go first, and on virtual time, where the order can be seen. Else some of it, and more when the
    /// turns that there are then have been.
    private func takeDue(_ now: Int64, all: Bool) {
        // Who explores takes one at a time.
        if virtualTime.simulation?.choices != nil { return }
        let most = all || virtualTime.simulation != nil ? Int.max : Self.dueBatch
        while dueItems.count < most, let (_, item) = agenda.dueTimes.popDue(now) { dueItems.append(item) }
        for item in dueItems { happen(item, now) }
        if dueItems.count == most { endOfDue = agenda.turns.taken + agenda.turns.count }
        dueItems.removeAll(keepingCapacity: dueItems.count <= Self.dueBatch)
    }

    /// Something is due that was taken out of the list.
    func happen(_ item: Due, _ now: Int64) {
        switch item {
        case .wait(let wait):
            wait.timer = nil
            waits.end(wait, .timedOut)
        case .timer(let id):
            // Its handle, which is of no use any more, is left as it is: the timer may be far away in memory.
            agenda.turns.append(.fire(id))
        case .source(let source):
            source.kind.becameDue()
            sources.happened(source, 1)
        case .sleep(let id):
            operations.entry(id)?.pointee.attachment?.sleepTimer = nil
            let failure = operations.entry(id)?.pointee.attachment?.simulatedFailure.take()
            scheduler.feed { $0.bodyEnded(id, failure) }
        case .begin(let id):
            operations.entry(id)?.pointee.attachment?.sleepTimer = nil
            virtualTime.beginDelayed(id)
        case .body(let id):
            operations.entry(id)?.pointee.attachment?.sleepTimer = nil
            virtualTime.endInstantly(id)
        case .progress(let progress):
            agenda.turns.append(.host { [unowned self] in runtime.observers.progressIsDue(progress) })
        case .stubborn:
            operations.reportStubborn(now)
        }
    }

    /// Nothing can run on this thread now: sleeps until something can, or says what it waits for.
    func waitForMore() -> ScriptPause? {
        runtime.reporting.handOutEvents()
        if sources.table.lookForClosed(runtime) { return nil }
        let isOver = runState.mainChunkEnded && !hasReasonToGoOn
        if isOver { return runtime.observers.tellPendingProgress() ? nil : .over }
        if virtualTime.simulation != nil, scheduler.startRealBodies() {
            if let choices = virtualTime.simulation?.choices { virtualTime.warnOfRealBodies(choices) }
            return nil
        }
        let machineMoves = scheduler.visit { core in
            // Read under the lock, so that no event slips in between.
            core.collectClaims()
            return core.hasEvents ? nil : core.movesElsewhere
        }
        guard let machineMoves else { return nil }
        let executes = machineMoves || !runtime.threads.executing.isEmpty
        if !executes, runtime.run.endSettlers() { return nil }
        let machineDeadline = scheduler.nextDeadline
        let deadline = [agenda.dueTimes.nextDeadline, machineDeadline].compactMap { $0 }.min()
        if !executes, deadline == nil, !sources.table.isExpecting, !runtime.hostObjects.hasForeigners,
            !link.isHeld || !waits.clockRuns.isEmpty
        {
            // Who has let go of the last handle may have acted just before: that is to be done first.
            if link.hasPosts { return nil }
            return breakDeadlock() ? nil : .over
        }
        if scheduler.clock.isVirtual, !executes, let deadline {
            if runtime.run.expireDriver(before: deadline) || virtualTime.endBefore(deadline) { return nil }
            virtualTime.simulation?.firstAtThisMoment = agenda.dueTimes.nextSequence
            if virtualTime.simulation?.choices == nil {
                scheduler.advance(to: deadline)
            } else {
                // When what the scheduler waits for happens at that moment is a choice, too.
                scheduler.clock.advance(to: deadline)
            }
            return nil
        }
        runtime.globals.flushOutput()
        publishStatus()
        warnOfMissingThreads()
        let moment = scheduler.clock.isVirtual ? nil : agenda.dueTimes.nextDeadline
        guard parks else { return .waiting(until: moment) }
        scheduler.parkReader(until: moment)
        return nil
    }

    private func warnOfMissingThreads() {
        guard scheduler.lacksThreads, !warnedOfMissingThreads else { return }
        warnedOfMissingThreads = true
        runtime.diagnose(
            "warning: the system has no more threads to give (see 'ulimit -u'); what needs one waits until it has"
        )
    }

    /// Whether something could still happen by itself: operations in queues, timers that keep the run alive, waits.
    private var hasReasonToGoOn: Bool {
        if !waits.list.isEmpty || !runtime.threads.executing.isEmpty || !operations.startedByHand.isEmpty {
            return true
        }
        if timers.table.aliveCount > 0 { return true }
        if sources.table.keepAlive { return true }
        return isAnythingUnfinished
    }

    /// Whether there are operations that have not finished, or whose ends are still to be taken in, besides those whose
    /// run has ended without them.
    var isAnythingUnfinished: Bool {
        scheduler.visit { core in
            core.unfinishedCount > runState.abandonedCount
                || core.closureExecutingCount > runState.abandonedCount
                || core.hasEvents
        }
    }

    func perform(_ turn: Turn) {
        switch turn {
        case .startOperation(let queue): startOperation(from: queue)
        case .nativeTicket(let id): runtime.hostObjects.runNativeTicket(of: id)
        case .ended(let id): bodies.serveEnd(of: id)
        case .observed(let observations, let change): runtime.observers.tellObservers(observations, change)
        case .resume(let wait): waits.resume(wait)
        case .goOn(let task):
            waits.goOnAfterTurns(task.takeRetainedValue())
        case .stopAsynchronous(let id): bodies.stopAsynchronous(id)
        case .fire(let id): timers.fire(id)
        case .source(let source): sources.callHandler(of: source)
        case .lateCompletion(let handle): bodies.callLateCompletion(handle)
        case .post(let post): post.body(runtime)
        case .host(let body): body()
        }
    }

    /// Starts the best operation of a queue that this thread runs.
    func startOperation(from queue: QueueID) {
        if let id = takeOperation(from: queue) { bodies.runBody(id, at: agenda.momentOfEvents) }
    }

    /// Has the scheduler start the best operation of a queue, whose body is to be run then.
    func takeOperation(from queue: QueueID) -> OperationID? {
        // What it depended on shows as finished before it starts.
        applyFetchedEvents()
        let id = scheduler.takeReaderOperation(queue, agenda.events)
        agenda.momentOfEvents = scheduler.now
        agenda.nextEvent = 0
        takeRequests()
        applyFetchedEvents()
        return id
    }

    // MARK: Ends of the run

    /// The main chunk raised, or a callback did and nobody caught it: the run ends like the first Ctrl-C.
    func runFailed(_ error: ErrorValue) {
        // What unwinds after `os.exit` is no failure.
        if runState.exitRequest != nil { return }
        if runState.report.error == nil, !(runState.isCancelled && error.code == .cancelled) {
            runState.report.error = error.scriptError
        } else if error.code != .cancelled {
            runtime.diagnose(error.message)
        }
        cancelRun()
    }

    func callbackFailed(_ what: String, _ error: ErrorValue) {
        if runState.isCancelled, error.code == .cancelled { return }
        runFailed(error)
    }

    /// The host cancels a run, or the one that goes on; not one that began after it.
    func cancelFromOutside(_ request: RunRequest? = nil) {
        guard case .run(let current) = runtime.run.session, request == nil || request === current else {
            return
        }
        link.cancelIsTakenIn()
        runState.report.wasCancelled = true
        cancelRun()
    }

    /// Cancels everything: operations, waits, timers. Completion blocks run.
    func cancelRun() {
        guard !runState.isCancelled else { return }
        runState.isCancelled = true
        cancelEverything()
        letCancelledOnesEnd()
    }

    /// What was cancelled in suspended queues ends, since nobody resumes them any more; the script still sees them
    /// suspended.
    private func letCancelledOnesEnd() {
        for queue in queues.table.all where queue.isSuspended && queue.kind != .inner && queue.kind != .native
        {
            scheduler.feed { $0.suspensionChanged(queue.id, to: false) }
        }
    }

    /// Cancels what there is at the moment, and interrupts what waits.
    func cancelEverything() {
        timers.invalidateTimers()
        for source in sources.table.all { sources.cancelSource(source) }
        operations.cancelAllOperations()
        for thread in runtime.threads.executing.values { runtime.threads.cancelThread(thread) }
        for wait in waits.list.all where belongsToRun(wait.task) && !wait.isShielded {
            waits.end(wait, .failed(waits.cancellation(wait.task)))
        }
    }

    /// Whether a task is cancelled with the run, and not with an operation: also one that goes on after its operation
    /// has ended.
    func belongsToRun(_ task: ScriptTask) -> Bool {
        guard let id = task.operation, let view = operations.liveView(id) else { return true }
        return view.pointee.isFinished
    }
}
