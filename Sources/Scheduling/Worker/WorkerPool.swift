/// The life of worker threads: fetch, run, tell, search a while, sleep, leave.
///
/// ## How nothing ready is left while a worker sleeps
///
/// A worker decides to sleep under the lock, after it found nothing there, and is on the idle list from then on. What
/// makes work startable does so under the same lock and looks at the list afterwards. So either the worker sees the work,
/// or the work's bringer sees the worker. A wake in flight stands for a worker that will look under the lock; when it takes
/// something and leaves more behind, it wakes the next.
enum WorkerPool {
    static let maximumThreadsPerLane = 512

    /// The life of a worker, on its thread.
    static func run(_ worker: Worker, _ scheduler: Scheduler) {
        // Not in `worker`: the language would check each time that nobody else has it.
        var pause = Pause.ofWorker
        // Held once: its count of references lies beside what the script thread reads all the time.
        let runner = scheduler.runner
        var next = begin(worker, scheduler)
        while true {
            if let assignment = next {
                next = perform(assignment, runner, worker, scheduler, &pause)
            } else if worker.isSearching {
                search(worker, scheduler)
                next = endSearch(worker, scheduler)
            } else if worker.parker.park(nanoseconds: scheduler.idleNanoseconds) {
                next = awake(worker, scheduler)
            } else if leaves(worker, scheduler) {
                return
            }
        }
    }

    // MARK: Steps, each of which is one stay in the lock, or two where an end is to be told in between

    /// A thread has begun.
    static func begin(_ worker: Worker, _ scheduler: Scheduler) -> Assignment? {
        let threadID = SystemThread.currentID
        return scheduler.visit { core in
            worker.threadID = threadID
            core.workerStarted(worker)
            return core.assignOrRest(worker, scheduler.signals)
        }
    }

    /// Runs a body, reports its end and fetches the next one in the same stay in the lock.
    static func perform(
        _ assignment: Assignment,
        _ runner: (any OperationRunner)?,
        _ worker: Worker,
        _ scheduler: Scheduler,
        _ pause: inout Pause
    ) -> Assignment? {
        switch assignment.part {
        case .handles(let part): return perform(part: part, assignment, worker, scheduler, &pause)
        case .blocks(let part): return perform(part: part, worker, scheduler, &pause)
        case .identities(let part):
            guard let runner else { preconditionFailure("operations without bodies, and no runner") }
            return perform(part: part, runner, worker, scheduler, &pause)
        case nil: break
        }
        var failure: (any Error)?
        do {
            try assignment.execute(runner)
        } catch {
            failure = error
        }
        return scheduler.exchange(assignment, failure, on: worker, &pause)
    }

    /// A search is over: somebody signalled, or it was long enough.
    static func endSearch(_ worker: Worker, _ scheduler: Scheduler) -> Assignment? {
        let lane = Int(worker.lane.rawValue)
        return scheduler.visit { core in
            core.shell.lanes[lane].isSearching = false
            worker.isSearching = false
            guard let assignment = core.assign(to: worker) else {
                core.shell.lanes[lane].idle.append(worker)
                return nil
            }
            return assignment
        }
    }

    /// Somebody woke one that slept.
    static func awake(_ worker: Worker, _ scheduler: Scheduler) -> Assignment? {
        scheduler.visit { core in
            core.shell.lanes[Int(worker.lane.rawValue)].isWakeInFlight = false
            return core.assignOrRest(worker, scheduler.signals)
        }
    }

    /// Whether one that nobody needed for a while is gone. If it is not on the idle list any more, a wake is on its way.
    static func leaves(_ worker: Worker, _ scheduler: Scheduler) -> Bool {
        let lane = Int(worker.lane.rawValue)
        return scheduler.visit { core in
            guard let place = core.shell.lanes[lane].idle.firstIndex(where: { $0 === worker }) else {
                return false
            }
            core.shell.lanes[lane].idle.remove(at: place)
            core.workerLeft(worker)
            return true
        }
    }

    // MARK: Without the lock

    /// Looks for work a little while longer, so that a stream of short bodies needs no wakes.
    private static func search(_ worker: Worker, _ scheduler: Scheduler) {
        let start = SchedulerClock.systemNow
        let watchesAdditions = worker.lane == .worker
        let search = worker.search
        while !scheduler.signals.isRaised(worker.lane) {
            let elapsed = SchedulerClock.systemNow - start
            if search.isOver(after: elapsed) { break }
            if watchesAdditions {
                if scheduler.hasNewOperations { break }
                if search.looksAtReader(after: elapsed), scheduler.hasAdditions { break }
            }
            // Looking all the time would pull the flag's cache line away from whoever raises it.
            for _ in 0..<32 { _ = SchedulerClock.systemNow }
        }
    }
}

/// A body that a worker was given to run.
///
/// The scheduler keeps a handle until its body has ended, so that the reference need not be counted here; any other body may be let
/// go of earlier by its owner.
struct Assignment {
    var id: OperationID
    var handle: Unmanaged<ScheduledOperation>?
    var body: (any OperationBody)?
    /// Whether the body is not needed any more once it has succeeded.
    var isOnce = false
    /// Among which the worker finds what it runs, where it is given a part of a stretch.
    var part: StretchMembers.Bodies?
    /// How many there are, among them those of others.
    var partEnd = 0

    @inline(__always)
    func execute(_ runner: (any OperationRunner)?) throws {
        if let handle {
            try handle._withUnsafeGuaranteedRef { try isOnce ? $0.executeOnce() : $0.execute() }
        } else if let body {
            try body.execute()
        } else {
            try runner?.execute(id)
        }
    }
}

extension Scheduler {
    /// Reports the end of a worker's body and fetches its next one, in one stay in the lock.
    fileprivate func exchange(
        _ assignment: Assignment,
        _ failure: (any Error)?,
        on worker: Worker,
        _ pause: inout Pause
    ) -> Assignment? {
        let core = enter(&pause)
        var ended: (any OperationBody)?
        var successor = OperationID.none
        let telling = core.ended(assignment, failure, on: worker, &ended, &successor)
        let next = core.assignNext(to: worker, after: successor, telling, signals)
        leave()
        tell(telling, assignment.handle)
        // Let go of outside the lock, if this is the last reference to it.
        withExtendedLifetime(ended) {}
        return next.tellsBefore ? takeHeld(worker, &pause) : next.assignment
    }

    /// Reports what a worker did of a stretch and fetches its next body, in one stay in the lock.
    ///
    /// - Parameters:
    ///   - handle: The last one that it ran, which it holds, where that has a handle.
    ///   - end: How far that one's end has come.
    ///   - nanoseconds: How long all of them took.
    func exchange(
        partEndingWith handle: Unmanaged<ScheduledOperation>?,
        _ end: StretchPart.End,
        _ failure: (any Error)?,
        after nanoseconds: Int64,
        on worker: Worker,
        _ pause: inout Pause
    ) -> Assignment? {
        let core = enter(&pause)
        worker.part.took(nanoseconds)
        var members: StretchMembers?
        var ended: (any OperationBody)?
        var successor = OperationID.none
        var telling = SchedulerCore.Telling.told
        var handle = handle
        if let id = core.partEnded(worker, with: end, &members) {
            if handle == nil { handle = core.handle(id) }
            let assignment = Assignment(id: id, handle: handle, isOnce: true)
            telling = core.ended(assignment, failure, on: worker, &ended, &successor)
        } else {
            core.stopsSharing(worker)
        }
        let next = core.assignNext(to: worker, after: successor, telling, signals)
        leave()
        tell(telling, handle)
        withExtendedLifetime((members, ended)) {}
        return next.tellsBefore ? takeHeld(worker, &pause) : next.assignment
    }

    /// What a worker runs that has told of what it ran before: what it has kept, if nobody has taken that.
    @inline(never)
    private func takeHeld(_ worker: Worker, _ pause: inout Pause) -> Assignment? {
        let core = enter(&pause)
        defer { leave() }
        if let next = worker.held.take() {
            core.shell.heldCount -= 1
            return next
        }
        return core.assignOrRest(worker, signals)
    }

    /// Tells the reader how far a worker has come that goes on.
    @inline(never)
    func tellOfPart(of worker: Worker, _ pause: inout Pause) {
        enter(&pause).tellOfPart(worker)
        leave()
    }

    private func tell(_ telling: SchedulerCore.Telling, _ handle: Unmanaged<ScheduledOperation>?) {
        switch telling {
        case .nothing: break
        case .told: handle?.release()
        case .toBeTold: handle?.takeRetainedValue().operationFinished()
        }
    }
}

extension SchedulerCore {
    /// Finds something to run for a worker; else it searches from here on, or is on the idle list where another one of its lane does.
    ///
    /// In the same stay in the lock: whoever brings work later finds the worker, and starts no other thread.
    @inline(__always)
    fileprivate func assignOrRest(_ worker: Worker, _ signals: borrowing LaneSignals) -> Assignment? {
        if let assignment = assign(to: worker) { return assignment }
        rest(worker, signals)
        return nil
    }

    @inline(never)
    private func rest(_ worker: Worker, _ signals: borrowing LaneSignals) {
        let lane = Int(worker.lane.rawValue)
        worker.isSearching = !shell.lanes[lane].isSearching
        if worker.isSearching {
            shell.lanes[lane].isSearching = true
            worker.search.isRestrained = machine.isCoreNeededElsewhere
            signals.lower(worker.lane)
        } else {
            shell.lanes[lane].idle.append(worker)
        }
    }

    /// Finds something to run for a worker. More of it than that wakes another one.
    func assign(to worker: Worker) -> Assignment? {
        if machine.stretch.isActive {
            if machine.hasReadyBesideStretch {
                dissolveStretch()
            } else if worker.lane == .worker {
                return assignPart(to: worker) ?? (shell.heldCount == 0 ? nil : takeHeld(for: worker))
            }
        }
        guard let id = machine.takeNext(worker.lane) else {
            return shell.heldCount == 0 ? nil : takeHeld(for: worker)
        }
        worker.assignmentCount &+= 1
        worker.isSharing = machine.holdsShare(id)
        if machine.mayHaveWork(worker.lane) { machine.wakeMask |= 1 << UInt16(worker.lane.rawValue) }
        return assignment(id)
    }

    /// Finds something to run for a worker whose last body has ended, as ``assignOrRest(_:_:)`` does.
    ///
    /// What it is to tell before may take long, and even wait for what it found, or for what comes meanwhile. So then what it found is held where others
    /// can take it, and it does not rest yet: ``Scheduler/takeHeld(_:_:)`` comes after that.
    ///
    /// - Parameter successor: What that one made start, for this worker; `.none` where it did not.
    @inline(__always)
    fileprivate func assignNext(
        to worker: Worker,
        after successor: OperationID,
        _ telling: Telling,
        _ signals: borrowing LaneSignals
    ) -> (assignment: Assignment?, tellsBefore: Bool) {
        let tells = telling == .toBeTold || !machine.actions.isEmpty
        let next: Assignment?
        if successor != .none {
            next = assign(successor: successor, to: worker)
        } else if tells {
            // Others could take all of a part but the first.
            makeStretchKnown()
            next = assign(to: worker)
        } else {
            next = assignOrRest(worker, signals)
        }
        // The share of threads that the ended body held, unless the next one took it.
        if !worker.isSharing { machine.wakeSharers() }
        if tells, let next {
            worker.held = next
            worker.isHeldLong = false
            shell.heldCount += 1
        }
        return (next, tells)
    }

    /// Gives a worker what another one of its lane keeps while it tells.
    @inline(never)
    private func takeHeld(for worker: Worker) -> Assignment? {
        for other in shell.lanes[Int(worker.lane.rawValue)].workers {
            guard let next = other.held.take() else { continue }
            shell.heldCount -= 1
            worker.assignmentCount &+= 1
            worker.isSharing = other.isSharing
            stopsSharing(other)
            return next
        }
        return nil
    }

    /// Has others look for what a worker keeps that has been telling since the last look.
    func watchHeld() {
        guard shell.heldCount != 0 else { return }
        for lane in shell.lanes.indices {
            for worker in shell.lanes[lane].workers where worker.held != nil {
                if worker.isHeldLong {
                    shell.lanesWithHeld |= 1 << UInt16(lane)
                    machine.wakeMask |= 1 << UInt16(lane)
                }
                worker.isHeldLong = true
            }
        }
    }

    /// Gives a worker the operation that its last one made start.
    @inline(__always)
    func assign(successor id: OperationID, to worker: Worker) -> Assignment {
        worker.assignmentCount &+= 1
        worker.isSharing = true
        return assignment(id)
    }

    /// The body of an operation that executes, for who runs it.
    @inline(__always)
    func assignment(_ id: OperationID) -> Assignment {
        let (hasHandle, isTriedOnce) = machine.handling(id)
        if hasHandle, let handle = handle(id) {
            prefetch(after: id)
            return Assignment(id: id, handle: handle, isOnce: isTriedOnce)
        }
        return Assignment(id: id, body: body(id))
    }

    /// What a worker does outside the lock with the handle whose body it ran.
    fileprivate enum Telling {
        case nothing
        /// The scheduler's reference to it is the worker's to let go of.
        case told
        /// The same, and it is to be told.
        case toBeTold
    }

    /// The body that a worker was given ended.
    ///
    /// - Parameters:
    ///   - body: Gets the body, where it is no handle and the scheduler needs it no more.
    ///   - successor: Gets the operation that the worker is to run next, where there is nothing to choose.
    @inline(__always)
    fileprivate func ended(
        _ assignment: Assignment,
        _ failure: (any Error)?,
        on worker: Worker,
        _ body: inout (any OperationBody)?,
        _ successor: inout OperationID
    ) -> Telling {
        let id = assignment.id
        stopsSharing(worker)
        if failure == nil, machine.plainBodySucceeded(id, successor: &successor) {
            guard let handle = assignment.handle else {
                body = takeBody(id.slot)
                return .nothing
            }
            abandonBody(id.slot)
            if !shell.failures.isEmpty { shell.failures[id.slot] = nil }
            machine.plainHandleTold(id)
            if assignment.isOnce {
                return handle._withUnsafeGuaranteedRef { $0.succeeded() } ? .told : .toBeTold
            }
            handle._withUnsafeGuaranteedRef { $0.operationDecided(.succeeded, error: nil) }
            return .toBeTold
        }
        bodyEnded(id, failure)
        // Another attempt needs the body.
        if machine.hasFinishedWithoutHandle(id) { body = takeBody(id.slot) }
        return .nothing
    }

    /// A worker's body ended: it holds no share of threads.
    @inline(__always)
    fileprivate func stopsSharing(_ worker: Worker) {
        worker.isSharing = false
        if worker.isCountedBlocked {
            worker.isCountedBlocked = false
            machine.blockedCount -= 1
        }
    }

    func workerStarted(_ worker: Worker) {
        let index = Int(worker.lane.rawValue)
        shell.lanes[index].workers.append(worker)
        shell.lanes[index].isWakeInFlight = false
        shell.startedThreadCount += 1
        shell.highestThreadCount = max(
            shell.highestThreadCount,
            shell.lanes.reduce(0) { $0 + $1.workers.count }
        )
    }

    func workerLeft(_ worker: Worker) {
        let index = Int(worker.lane.rawValue)
        shell.lanes[index].workers.removeAll { $0 === worker }
        shell.lanes[index].threadCount -= 1
    }
}
