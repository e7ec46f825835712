internal import LuaVM
internal import Scheduling

extension ScriptLoop {
    /// Runs turns until nothing is left to run. This is the main loop of the script thread.
    func runLoop() -> ScriptPause {
        if let simulation = virtualTime.simulation { return virtualTime.runSimulatedLoop(simulation) }
        while !runState.isOver {
            if bodies.pausedTask != nil { return .busy }
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

    /// Whether `takeIn` has something to do although there are turns, which come before the scheduler's events.
    @inline(__always)
    private var mayHaveToTakeIn: Bool {
        scheduler.hasUndeliveredAdditions || link.hasPosts || !agenda.dueTimes.isEmpty
            || operations.sweepIsDue
            || vm.mayHaveDropped || bodies.taskAnchors.hasMany
    }

    /// How many events are taken in before the turns they lead to: as many as fit into the caches of a core.
    private static let eventBatch = 256

    /// Takes in events from elsewhere, between two turns.
    ///
    /// The scheduler's events come before timers that are due by now: a script that adds an operation and sleeps finds
    /// the operation started, however late the system lets this thread continue.
    ///
    /// - Parameter all: Whether to take in everything that happened until now. Otherwise turns come first,
    ///   and then a part of the events, so that an operation's memory is still in the cache when its
    ///   callbacks are called.
    func takeIn(all: Bool = false) {
        scheduler.deliverAdditions()
        let mayTakeDue = all || agenda.turns.taken >= endOfDue
        let next = mayTakeDue ? agenda.dueTimes.nextDeadline : nil
        // The clock is read only if needed: a read takes a tenth of the time of a timer.
        let now = next == nil ? .min : scheduler.clock.now
        let isSomethingDue = next.map { $0 <= now } ?? false
        if all || isSomethingDue || link.hasPosts {
            takeInAllEvents()
        } else if agenda.turns.isEmpty {
            takeInSomeEvents()
        }
        if runState.isCancelled { shareMemory() } else { checkMemory() }
        if link.hasPosts { takeRequests() }
        if isSomethingDue { takeDue(now, all: all) }
        if operations.sweepIsDue { operations.sweepDropped() }
        vm.drainReleases()
        bodies.taskAnchors.drain(vm.main)
    }

    /// Lua may use the part of the script's memory that Swift does not use. Returns that part; nil without a limit.
    @discardableResult
    private func shareMemory() -> Int? {
        guard countsMemory, let limit = configuration.memoryLimit else { return nil }
        let outside = link.meter.memoryOutside
        let rest = max(1, limit - outside)
        if outside != memoryOutside {
            memoryOutside = outside
            vm.setMemoryLimit(rest)
        }
        return rest
    }

    /// Collects garbage if the script's memory is beyond its limit, and ends the run if that does not suffice.
    ///
    /// Results of closures become values of the script while no Lua code runs that would meet the limit.
    /// - Returns: Whether the memory is within the limit.
    @discardableResult
    func checkMemory() -> Bool {
        guard let rest = shareMemory(), vm.memoryInUse > rest else { return true }
        operations.holdNewOnesWeakly()
        bodies.sliced { vm.collectGarbage() }
        guard vm.memoryInUse > rest else { return true }
        if !runState.isCancelled {
            let limit = configuration.memoryLimit ?? 0
            runFailed(ErrorValue(.limit, "the script used more memory than its limit (\(limit) bytes)"))
        }
        return false
    }

    /// Whether events were fetched from the scheduler that the script does not see yet.
    var hasUnshownEvents: Bool { agenda.nextEvent < agenda.events.count }

    private func takeInSomeEvents() {
        if agenda.nextEvent >= agenda.events.count {
            guard scheduler.hasEvents else { return }
            fetchEvents()
        }
        let end = min(agenda.events.count, agenda.nextEvent + Self.eventBatch)
        // Applying an event may call an observer, whose wait takes in other events.
        while agenda.nextEvent < min(end, agenda.events.count) { applyNextEvent() }
        publishStatusNowAndThen()
    }

    private func applyNextEvent() {
        let place = agenda.nextEvent
        agenda.nextEvent += 1
        let event = agenda.events[place]
        if scheduler.recordsFacts, let id = operations.entries.identity(of: event) {
            agenda.setFact(agenda.facts[place], of: id)
        }
        if let ended = operations.apply(event) { bodies.settle(ended) }
        if scheduler.recordsFacts { agenda.dropFact() }
    }

    /// Takes in all events until this moment, but not the ends that workers add meanwhile: that might never
    /// end.
    func takeInAllEvents() {
        if hasUnshownEvents { applyFetchedEvents() }
        guard scheduler.hasEvents || scheduler.mayHoldEvents else { return }
        fetchEvents()
        applyFetchedEvents()
        publishStatusNowAndThen()
    }

    func fetchEvents() {
        agenda.fetchesEvents()
        scheduler.takeEvents(agenda.events, agenda.facts)
        if hasJournal { runtime.journaling.flush() }
        agenda.momentOfEvents = scheduler.now
        takeRequests()
    }

    /// Appends a turn for each request of another thread. To be called between fetching and applying events: a thread
    /// that makes a request and then ends an operation is served in this order.
    func takeRequests() {
        guard link.hasPosts else { return }
        runState.isStopping = link.isStopped
        for post in link.takePosts() { agenda.turns.append(.post(post)) }
    }

    func applyFetchedEvents() {
        while agenda.nextEvent < agenda.events.count { applyNextEvent() }
    }

    /// How many due items are taken at a time: as many as stay in the caches of a core until their turns.
    private static let dueBatch = 64

    /// Collects the due items first, so that items scheduled meanwhile wait for the next call. Takes all of
    /// them if `all` is set, and under virtual time, where the order is visible. Otherwise takes a batch; the
    /// next one follows when the turns in the queue by then have been taken.
    private func takeDue(_ now: Int64, all: Bool) {
        // An exploration takes one item at a time.
        if virtualTime.simulation?.choices != nil { return }
        let most = all || virtualTime.simulation != nil ? Int.max : Self.dueBatch
        while dueItems.count < most, let (_, item) = agenda.dueTimes.popDue(now) { dueItems.append(item) }
        for item in dueItems { happen(item, now) }
        if dueItems.count == most { endOfDue = agenda.turns.taken + agenda.turns.count }
        dueItems.removeAll(keepingCapacity: dueItems.count <= Self.dueBatch)
    }

    /// Performs an item that is due and was taken out of the list.
    func happen(_ item: Due, _ now: Int64) {
        switch item {
        case .wait(let wait):
            wait.timer = nil
            waits.end(wait, .timedOut)
        case .timer(let id):
            // The timer's handle, now useless, is not cleared: the timer may not be in the cache.
            agenda.turns.append(.fire(id))
        case .source(let source):
            source.kind.becameDue()
            sources.happened(source, 1)
        case .sleep(let id):
            operations.entry(id)?.pointee.attachment?.sleepTimer = nil
            let failure = operations.entry(id)?.pointee.attachment?.simulatedFailure.take()
            virtualTime.bodyEnded(id, failure)
        case .begin(let id):
            operations.entry(id)?.pointee.attachment?.sleepTimer = nil
            virtualTime.beginDelayed(id)
        case .body(let id):
            operations.entry(id)?.pointee.attachment?.sleepTimer = nil
            virtualTime.endInstantly(id)
        case .cluster(let cluster):
            cluster.timer = nil
            virtualTime.serve(cluster)
        case .progress(let progress):
            agenda.turns.append(.host { [unowned self] in runtime.observers.progressIsDue(progress) })
        case .stubborn:
            operations.reportStubborn(now)
        }
    }

    /// Called if nothing can run on this thread now: sleeps until something can, or returns the reason for
    /// the wait.
    func waitForMore() -> ScriptPause? {
        runtime.reporting.outlet.handOut()
        if sources.table.lookForClosed(runtime) { return nil }
        let isOver = runState.mainChunkEnded && !runtime.run.isHeldOpen && !hasReasonToGoOn
        if isOver {
            if runtime.observers.tellPendingProgress() { return nil }
            noteStuckSources()
            return .over
        }
        if virtualTime.simulation != nil, scheduler.startRealBodies() {
            if let choices = virtualTime.simulation?.choices { virtualTime.warnOfRealBodies(choices) }
            return nil
        }
        var realEnd: Int64?
        if virtualTime.simulation != nil {
            let (isAnyTaken, nextMoment) = scheduler.takeInRealEnds()
            if isAnyTaken { return nil }
            realEnd = nextMoment
        }
        let machine = scheduler.visit { core in
            // Read under the lock and together, so that no event is missed: a timer may be due at any moment.
            core.collectClaims()
            return core.hasEvents ? nil : (moves: core.movesElsewhere, deadline: core.nextDeadline)
        }
        guard let machine else { return nil }
        let executes = machine.moves || !runtime.threads.executing.isEmpty
        if !executes, runtime.run.endSettlers() { return nil }
        let deadline = [agenda.dueTimes.nextDeadline, machine.deadline].compactMap { $0 }.min()
        // The next line of a person may end any wait.
        let isBetweenLines = runtime.run.isBetweenLines
        // A frame comes before virtual time passes.
        let expectsFrame = runtime.frames.isExpected
        if !executes, deadline == nil, !isBetweenLines, !expectsFrame, !sources.table.isExpecting,
            !runtime.hostObjects.hasForeigners, !link.isHeld || !waits.clockRuns.isEmpty
        {
            // The thread that released the last handle may have made a request just before; that request
            // comes first.
            if link.hasPosts || takesUpLeftBehind() { return nil }
            return breakDeadlock() ? nil : .over
        }
        #if DEBUG
        if virtualTime.simulation != nil, !executes, takesUpLeftBehind() { return nil }
        #endif
        if let simulation = virtualTime.simulation, !executes, !isBetweenLines, !expectsFrame, let deadline {
            if runtime.run.expireDriver(before: deadline) || virtualTime.endBefore(deadline) { return nil }
            simulation.firstAtThisMoment = agenda.dueTimes.nextSequence
            if simulation.choices == nil {
                scheduler.advance(to: deadline)
            } else {
                // The exploration also chooses when, at that moment, the scheduler's own deadlines take effect.
                scheduler.clock.advance(to: deadline)
            }
            return nil
        }
        runtime.globals.flushOutput()
        publishStatus()
        warnOfMissingThreads()
        if expectsFrame { return .waiting(until: SchedulerClock.systemNow) }
        let moment = scheduler.clock.isVirtual ? realEnd : agenda.dueTimes.nextDeadline
        return sleep(until: moment) ? nil : .waiting(until: moment)
    }

    /// Sleeps until something can run; false if it has to give its thread away before that.
    private func sleep(until moment: Int64?) -> Bool {
        guard patience > 0 else { return false }
        // This thread is the one that notices when threads are available again.
        if patience == .max || scheduler.lacksThreads {
            scheduler.parkReader(until: moment)
            return true
        }
        guard SpareThreads.beginStay() else { return false }
        defer { SpareThreads.endStay() }
        let end = SchedulerClock.systemNow + patience
        if let moment, moment <= end {
            scheduler.parkReader(until: moment)
            return true
        }
        return scheduler.parkReader(until: end)
    }

    private func warnOfMissingThreads() {
        guard scheduler.lacksThreads, !warnedOfMissingThreads else { return }
        warnedOfMissingThreads = true
        runtime.diagnose(
            "warning: the system has no more threads (see 'ulimit -u'); operations that need one wait"
        )
    }

    /// Whether something could still happen: operations in queues, timers that keep the run alive, waits.
    private var hasReasonToGoOn: Bool {
        if !waits.list.isEmpty || !runtime.threads.executing.isEmpty || !operations.startedByHand.isEmpty {
            return true
        }
        if timers.table.aliveCount > 0 { return true }
        if sources.table.keepAlive { return true }
        return isAnythingUnfinished
    }

    /// Whether there are operations that have not finished or whose ends are still to be taken in, not counting the
    /// operations that an ended run has abandoned.
    var isAnythingUnfinished: Bool {
        scheduler.visit { core in
            core.unfinishedCount > runState.abandonedCount + sources.table.heldCallCount
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

    /// Starts the best operation of a queue whose bodies this thread runs.
    ///
    /// The turn may be older than the end that released that operation. Then the operation starts in a later turn:
    /// observers, completion block and waiters come before the bodies that an end releases.
    func startOperation(from queue: QueueID) {
        switch takeOperation(from: queue, inTurn: agenda.turns.taken - 1) {
        case .start(let id): bodies.runBody(id, at: agenda.momentOfEvents)
        case .later: agenda.turns.append(.startOperation(queue))
        case .nothing: break
        }
    }

    /// Makes the scheduler start the best operation of a queue; the caller then runs its body.
    ///
    /// - Parameter turn: How many turns were taken before this one; `.max`: the operation may start in any case.
    func takeOperation(from queue: QueueID, inTurn turn: Int = .max) -> ReaderStart {
        guard agenda.choosesGlobalQueue, let queues = runtime.dispatch.globalQueues(servedInTurnOf: queue)
        else {
            return takeOperation(fromOnly: queue, inTurn: turn)
        }
        var isHeldBack = false
        for queue in queues {
            switch takeOperation(fromOnly: queue, inTurn: turn) {
            case .start(let id): return .start(id)
            case .later: isHeldBack = true
            case .nothing: break
            }
        }
        return isHeldBack ? .later : .nothing
    }

    private func takeOperation(fromOnly queue: QueueID, inTurn turn: Int) -> ReaderStart {
        // The script sees the operation's dependencies as finished before the operation starts.
        applyFetchedEvents()
        agenda.fetchesEvents()
        var fact = EventFact()
        let start = scheduler.takeReaderOperation(
            queue,
            agenda.events,
            agenda.facts,
            start: &fact,
            mayHold: turn < agenda.lastRelease,
            mayStart: { [operations] in operations.mayStart($0, inTurn: turn) }
        )
        agenda.momentOfEvents = scheduler.now
        takeRequests()
        applyFetchedEvents()
        if scheduler.recordsFacts, case .start(let id) = start { agenda.setFact(fact, of: id) }
        return start
    }

    // MARK: Ends of the run

    /// Called if the main chunk or a callback raised an uncaught error: the run ends as after the first Ctrl-C.
    func runFailed(_ error: ErrorValue) {
        // An error that unwinds after `os.exit` is not a failure.
        if runState.isOver { return }
        if runState.report.error == nil, !(runState.isCancelled && error.code == .cancelled) {
            runState.report.error = error.scriptError(hiding: link.secrets)
        } else if error.code != .cancelled {
            runtime.diagnose(error)
        }
        cancelRun()
    }

    func callbackFailed(_ what: String, _ error: ErrorValue) {
        let isEnding = runState.isCancelled || runtime.run.driver?.isCleaning == true
        if isEnding, error.code == .cancelled { return }
        if runtime.run.isHeldOpen { return runtime.diagnose(error) }
        runFailed(error)
    }

    /// Cancels the run that the host named, or the current one; a run that began after the named one is not cancelled.
    func cancelFromOutside(_ request: RunRequest? = nil) {
        guard case .run(let current) = runtime.run.session, request == nil || request === current else {
            return
        }
        link.cancelIsTakenIn()
        runState.report.wasCancelled = true
        cancelRun()
    }

    /// Cancels everything: operations, waits, timers. Completion blocks still run.
    func cancelRun() {
        guard !runState.isCancelled else { return }
        runState.isCancelled = true
        bodies.timeWatch?.graceBegins()
        cancelEverything()
        letCancelledOnesEnd()
    }

    /// Lets cancelled operations in suspended queues end, since nothing resumes these queues any more; the script still
    /// sees them suspended.
    private func letCancelledOnesEnd() {
        for queue in queues.table.all where queue.isSuspended && queue.kind != .inner && queue.kind != .native
        {
            scheduler.feed { $0.suspensionChanged(queue.id, to: false) }
        }
        sources.suspensionsChanged()
    }

    /// Cancels everything that exists at the moment, and interrupts waits.
    func cancelEverything() {
        timers.invalidateTimers()
        for source in sources.table.all { sources.cancelSource(source) }
        operations.cancelAllOperations()
        for thread in runtime.threads.executing.values { runtime.threads.cancelThread(thread) }
        for wait in waits.list.all where belongsToRun(wait.task) && !waits.isShielded(wait) {
            waits.cancel(wait)
        }
    }

    /// Whether a task is cancelled with the run, and not with an operation. This is also true of a task that
    /// continues after its operation has ended.
    func belongsToRun(_ task: ScriptTask) -> Bool {
        guard let id = task.operation, let view = operations.liveView(id) else { return true }
        return view.pointee.isFinished
    }
}
