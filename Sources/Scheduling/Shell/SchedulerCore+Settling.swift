/// The shell's work at both ends of a critical section: it takes in additions that were made without the
/// lock, and gathers the consequences.
extension SchedulerCore {
    // MARK: The reader's core

    /// The reader has added something, so the reader is running.
    func readerIsBusy() {
        if shell.readerThread != 0 { coreNeededElsewhere(true) }
    }

    /// The reader does nothing that needs a core.
    func readerRests() { coreNeededElsewhere(false) }

    // MARK: Additions without the lock

    /// Takes in everything that was added without the lock.
    func admit(_ additions: AdditionRing) {
        additions.takeAll { (submission: consuming Submission) in
            if submission.isDependency {
                plainDependencyAdded(submission)
            } else {
                plainOperationAdded(submission)
            }
        }
        readerIsBusy()
    }

    /// Takes in new operations that were added without the lock.
    func admit(_ operations: borrowing AdditionList) {
        operations.takeAll { operation, queue in
            let id = operation.known(to: self)
            setBody(operation, for: id)
            newOperationAdded(id, to: queue)
        }
    }

    /// The kinds of additions after which the writer has to take the lock, because no worker polls them, is
    /// on its way to check them, or will check them soon.
    ///
    /// For a queue without a width, a worker will check when a share of threads is free again; for one with a width,
    /// when a worker with short bodies has run its claim. The service thread watches both.
    var additionNeed: AdditionNeed {
        let lane = Int(ExecutionLane.worker.rawValue)
        if shell.lanes[lane].isSearching || shell.lanes[lane].isWakeInFlight { return [] }
        if !shell.isWatching || !usesThreads { return .all }
        var need: AdditionNeed = []
        if hasShare(.worker) { need.insert(.shared) }
        if !isServedSoon(.worker) { need.insert(.limited) }
        return need
    }

    // MARK: Consequences of an input

    /// Whether an input left nothing behind: nearly always true if bodies are short.
    @inline(__always)
    var isSettled: Bool {
        effects.isSettled
            && !(shell.isReaderParked && hasEvents)
            && (!usesThreads
                || !hasTimers && shell.timers.isEmpty && shell.lanesWithoutThread == 0
                    && (shell.isWatching || !needsWatching))
    }

    /// Gathers the consequences of an input. Called once, at the end of each critical section.
    @inline(__always)
    func settle(_ scheduler: Scheduler) -> Aftermath {
        var aftermath = Aftermath()
        if effects.overtakesClaims { takeBackClaims() }
        startPushed()
        if !effects.timersToArm.isEmpty { armTimers(scheduler.clock.now) }
        if !effects.ended.isEmpty { gatherEnded(into: &aftermath) }
        if !effects.actions.isEmpty { gatherActions(into: &aftermath, scheduler) }
        if effects.emptiesQueue { gatherDrained(into: &aftermath) }
        if shell.isReaderParked, hasEvents {
            scheduler.readerAwakes(self)
            aftermath.withMore { $0.wakesReader = true }
        }
        guard usesThreads else {
            // There is no sleeping worker to wake: the simulation's caller fetches the bodies.
            _ = takeLanesToWake()
            return aftermath
        }
        if effects.lanesToWake != 0 { gatherWakes(into: &aftermath, signals: scheduler.signals) }
        if hasTimers || !shell.timers.isEmpty || needsWatching || shell.lanesWithoutThread != 0 {
            gatherService(into: &aftermath, isVirtual: scheduler.clock.isVirtual)
        }
        return aftermath
    }

    /// Handles receive all that they need, so the slot is free from here on.
    private func gatherEnded(into aftermath: inout Aftermath) {
        let hasOne = effects.ended.count == 1
        for id in effects.ended.elements {
            guard let outcome = outcome(of: id) else { continue }
            let failure = shell.failures.isEmpty ? nil : shell.failures.removeValue(forKey: id.slot)
            if let body = takeBody(id.slot) {
                body.operationDecided(outcome, error: failure)
                if hasOne { aftermath.completion = body } else { shell.endedBodies.append(body) }
            }
            operationReleased(id)
        }
        endedWereTaken()
        if !hasOne { aftermath.withMore { swap(&$0.completions, &shell.endedBodies) } }
    }

    private func gatherActions(into aftermath: inout Aftermath, _ scheduler: Scheduler) {
        for action in effects.actions {
            guard case .external(let step, let id, let queue) = action else {
                aftermath.withMore { $0.actions.append(action) }
                continue
            }
            guard let external = note(step, id, queue, scheduler) else { continue }
            aftermath.withMore { more in
                if more.externals.last !== external { more.externals.append(external) }
            }
        }
        actionsWereTaken()
    }

    private func gatherDrained(into aftermath: inout Aftermath) {
        emptyQueuesWereSeen()
        if shell.drainWaiters.isEmpty { return }
        for (queue, parkers) in shell.drainWaiters where operationCount(in: QueueID(index: queue)) == 0 {
            shell.drainWaiters[queue] = nil
            aftermath.withMore { $0.drained += parkers }
        }
    }

    /// At most one wake-up per lane is in flight: a woken worker that leaves work behind wakes the next.
    private func gatherWakes(into aftermath: inout Aftermath, signals: borrowing LaneSignals) {
        var mask = takeLanesToWake() & ExecutionLane.workerMask
        while mask != 0 {
            let index = mask.trailingZeroBitCount
            mask &= mask - 1
            guard let lane = ExecutionLane(rawValue: UInt8(index)), !shell.lanes[index].isWakeInFlight,
                mayHaveWork(lane), mayUseShare(lane) || !isServedSoon(lane)
            else { continue }
            if shell.lanes[index].isSearching {
                signals.raise(lane)
            } else if let worker = shell.lanes[index].idle.popLast() {
                shell.lanes[index].isWakeInFlight = true
                if aftermath.unpark == nil {
                    aftermath.unpark = worker
                } else {
                    aftermath.withMore { $0.unpark.append(worker) }
                }
            } else if shell.lanes[index].threadCount < threadsPerLane {
                shell.lanes[index].threadCount += 1
                shell.lanes[index].isWakeInFlight = true
                aftermath.withMore { $0.spawn.append(lane) }
            }
        }
    }

    private func gatherService(into aftermath: inout Aftermath, isVirtual: Bool) {
        if !shell.isServiceRunning {
            if needsService(before: .max, isVirtual: isVirtual),
                shell.serviceRefusedUntil == 0 || SchedulerClock.systemNow >= shell.serviceRefusedUntil
            {
                shell.isServiceRunning = true
                aftermath.withMore { $0.startsService = true }
            }
        } else if let sleepsUntil = shell.serviceSleepsUntil,
            needsService(before: sleepsUntil, isVirtual: isVirtual)
        {
            shell.serviceSleepsUntil = nil
            aftermath.withMore { $0.wakesService = true }
        }
    }

    /// Whether the service thread has something to do before a moment. The owner of virtual time advances it.
    private func needsService(before moment: Int64, isVirtual: Bool) -> Bool {
        if !isVirtual {
            if let deadline = nextMachineDeadline, deadline < moment { return true }
            if let deadline = shell.timers.nextDeadline, deadline < moment { return true }
        }
        return !shell.isWatching && (needsWatching || shell.lanesWithoutThread != 0)
    }

    /// Whether the service thread has to check the workers every few milliseconds: a body that blocks gives its share
    /// of threads to another one, and the rest of its claim is taken back.
    @inline(__always)
    private var needsWatching: Bool { hasWorkBeyondShare || hasShortClaims }
}
