#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import Synchronization

extension Scheduler {
    /// How long a body may block before another thread takes its place; it can be up to about twice this.
    static let watchInterval: Int64 = 4_000_000

    /// Starts the thread that watches the clock, blocked workers and the events of sources. Returns false if
    /// the system refuses; then a thread that takes the lock some milliseconds later requests one again.
    @discardableResult
    func startService() -> Bool {
        let first = Mutex<Scheduler?>(self)
        if threads.startService({ Self.runService(first.withLock { $0.take() }) }) { return true }
        visit { core in
            core.shell.isServiceRunning = false
            core.shell.serviceRefusedUntil = SchedulerClock.systemNow + Self.watchInterval
            lacksThreadsFlag.store(true, ordering: .relaxed)
        }
        return false
    }

    /// The system refused a thread for a lane.
    func threadWasRefused(to lane: ExecutionLane) {
        visit { core in
            core.shell.lanes[Int(lane.rawValue)].threadCount -= 1
            core.shell.lanes[Int(lane.rawValue)].isWakeInFlight = core.has(.refusedThreadExpected)
            core.shell.lanesWithoutThread |= 1 << UInt16(lane.rawValue)
            lacksThreadsFlag.store(true, ordering: .relaxed)
        }
    }

    /// Whether the system has refused a thread; the request is repeated every few milliseconds. Read without
    /// the lock.
    package var lacksThreads: Bool { lacksThreadsFlag.load(ordering: .relaxed) }

    /// Sleeps until the parker is unparked, or until a moment on the system's clock; nil for ever.
    ///
    /// While the system refuses threads, the sleeper requests them again every few milliseconds: no other
    /// thread that could do so may be left.
    ///
    /// - Returns: False if the parker was not unparked.
    func wait(for parker: Parker, until deadline: Int64?) -> Bool {
        while lacksThreadsFlag.load(ordering: .relaxed) {
            let rest = (deadline ?? .max) - SchedulerClock.systemNow
            if rest <= 0 { break }
            if parker.park(nanoseconds: min(rest, Self.watchInterval)) { return true }
            visit { core in
                core.asksForThreadsAgain()
                lacksThreadsFlag.store(core.shell.serviceRefusedUntil != 0, ordering: .relaxed)
            }
        }
        #if DEBUG
        while (deadline ?? .max) - SchedulerClock.systemNow > Self.watchdogInterval {
            if parker.park(nanoseconds: Self.watchdogInterval) { return true }
            checkWakes()
        }
        #endif
        if let deadline { return parker.park(nanoseconds: max(0, deadline - SchedulerClock.systemNow)) }
        parker.park()
        return true
    }

    /// The life of the service thread.
    ///
    /// Like a worker, it retains the scheduler while it has something to watch, and releases it before a sleep that may
    /// be long. It makes a weak reference only for such a sleep: an object that ever had one keeps its reference count
    /// in a side table, and each operation and queue counts one reference (measured: 14 ns more for each).
    private static func runService(_ first: consuming Scheduler?) {
        var scheduler = first
        guard let sleep = scheduler?.serviceSleep else { return }
        while let rest = scheduler?.serve() {
            switch rest {
            case .short(let nanoseconds):
                sleep.park(nanoseconds: nanoseconds)
            case .idle(let nanoseconds):
                sleep.park(nanoseconds: nanoseconds)
                if scheduler?.mayEndService() ?? true { return }
            case .long(let nanoseconds):
                weak let weakly = scheduler
                scheduler = nil
                sleep.park(nanoseconds: nanoseconds)
                scheduler = weakly
            }
        }
    }

    /// How the service thread sleeps.
    private enum ServiceRest {
        /// It watches workers.
        case short(Int64)
        /// Until it is woken, or something is due; `.max` for ever.
        case long(Int64)
        /// There is nothing to watch: the thread ends unless that changes within this time.
        case idle(Int64)
    }

    /// Whether there is still nothing to watch: then another thread is started once there is something.
    private func mayEndService() -> Bool {
        visit { core in
            guard core.shell.serviceSleepsUntil == .max, serviceSleep.monitor == nil else { return false }
            core.shell.isServiceRunning = false
            core.shell.serviceSleepsUntil = nil
            return true
        }
    }

    /// The monitor that waits for descriptors, files, processes and signals, with the thread that it needs.
    ///
    /// - Throws: If the system has no descriptor left, or no thread.
    package func eventMonitor() throws(SystemFailure) -> EventMonitor {
        let monitor = try serviceSleep.makeMonitor()
        let mustStart = visit { core in
            defer { core.shell.isServiceRunning = true }
            return !core.shell.isServiceRunning
        }
        if mustStart, !startService() { throw SystemFailure(code: EAGAIN) }
        return monitor
    }

    /// Serves everything that is due, and returns how to sleep.
    private func serve() -> ServiceRest {
        let isVirtual = clock.isVirtual
        let now = clock.now
        var due: [ScheduledTimer] = []
        var busyReader: Int32 = 0
        var hasTimePassed = false
        let suspects = visit { core -> [(worker: Worker, thread: Int32, count: Int)] in
            core.shell.serviceSleepsUntil = nil
            core.shell.serviceRefusedUntil = 0
            if !isVirtual {
                hasTimePassed = core.timeReached(now, &due)
            }
            // A lane that got no thread may get one now.
            core.asksForThreadsAgain()
            // A reader that adds many operations will soon add more; otherwise the reader itself would have
            // to ensure that this thread watches.
            core.shell.isWatching =
                core.hasWorkBeyondShare || core.isCoreNeededElsewhere || core.hasShortClaims
            busyReader = core.suspectedReader(additions.addedCount)
            return core.suspects()
        }
        for timer in due { timer.fire(at: now) }
        // An operation may have waited for a moment alone, and now for something that never comes: no event says so.
        if hasTimePassed { wakeReader() }
        checkWakes()
        let blocked = suspects.filter { SystemThread.isBlocked($0.thread) }
        let readerIsBlocked = busyReader != 0 && SystemThread.isBlocked(busyReader)
        return visit { core in
            core.count(blocked: blocked)
            if readerIsBlocked { core.readerRests() }
            var until = Int64.max
            if !isVirtual {
                until = min(core.nextMachineDeadline ?? .max, core.shell.timers.nextDeadline ?? .max)
            }
            if core.shell.isWatching || core.shell.lanesWithoutThread != 0 {
                core.shell.isWatching = true
                until = min(until, SchedulerClock.systemNow + Self.watchInterval)
            }
            core.shell.serviceSleepsUntil = until
            if until == .max { return serviceSleep.monitor == nil ? .idle(idleNanoseconds) : .long(.max) }
            let rest = max(0, until - SchedulerClock.systemNow)
            return rest <= Self.watchInterval ? .short(rest) : .long(rest)
        }
    }

    /// Advances virtual time, and serves everything that is due.
    ///
    /// For the owner of the clock.
    package func advance(to moment: Int64) {
        clock.advance(to: moment)
        var due: [ScheduledTimer] = []
        feed { core in
            core.timeReached(moment, &due)
        }
        for timer in due { timer.fire(at: moment) }
    }

    /// The next moment at which something is due.
    package var nextDeadline: Int64? {
        visit { core in
            switch (core.nextMachineDeadline, core.shell.timers.nextDeadline) {
            case (let a?, let b?): min(a, b)
            case (let a, let b): a ?? b
            }
        }
    }
}

extension SchedulerCore {
    /// Requests threads again for lanes that got none.
    func asksForThreadsAgain() {
        wake(lanes: shell.lanesWithoutThread)
        shell.lanesWithoutThread = 0
    }

    /// The time is at least `now`. Returns whether an operation has waited for it.
    @discardableResult
    fileprivate func timeReached(_ now: Int64, _ due: inout [ScheduledTimer]) -> Bool {
        var isAwaited = false
        if let deadline = nextMachineDeadline, deadline <= now {
            takeBackClaims()
            machineTimeReached(now)
            isAwaited = true
        }
        while let (_, timer) = shell.timers.popDue(now) { due.append(timer) }
        return isAwaited
    }

    /// Workers that may be blocked: those that still have the body they had at the last check.
    ///
    /// A thread that sleeps between two short bodies waits for the scheduler, and is not included.
    ///
    /// The rest of the claim of such a worker is taken back: a claim should last some microseconds.
    fileprivate func suspects() -> [(worker: Worker, thread: Int32, count: Int)] {
        var suspects: [(worker: Worker, thread: Int32, count: Int)] = []
        for lane in shell.lanes.indices where !shell.lanes[lane].workers.isEmpty {
            for worker in shell.lanes[lane].workers {
                if worker.watchedProgress == worker.progress {
                    if worker.claim.isOpen { takeBack(worker) }
                    if worker.isShort {
                        isShortNoMore(worker)
                        wakeAllLanes()
                    }
                }
                if shell.isWatching, worker.isSharing, worker.watchedProgress == worker.progress {
                    suspects.append((worker, worker.threadID, worker.progress))
                }
                worker.watchedProgress = worker.isSharing || worker.isShort ? worker.progress : -1
            }
        }
        return suspects
    }

    /// The thread of a reader that has a core left to it and has added nothing since the last check: it may be blocked.
    /// 0 if there is none.
    fileprivate func suspectedReader(_ addedCount: Int) -> Int32 {
        guard shell.isWatching, isCoreNeededElsewhere else { return 0 }
        defer { shell.watchedAdditions = addedCount }
        return shell.watchedAdditions == addedCount ? shell.readerThread : 0
    }

    /// Counts the workers that were seen to block and still have the same body, and no others.
    func count(blocked: [(worker: Worker, thread: Int32, count: Int)]) {
        var counts = [Int](repeating: 0, count: ExecutionLane.count)
        for lane in ExecutionLane.workers {
            for worker in shell.lanes[Int(lane.rawValue)].workers { worker.isCountedBlocked = false }
        }
        for (worker, _, assignments) in blocked
        where worker.isSharing && worker.progress == assignments {
            worker.isCountedBlocked = true
            counts[Int(worker.lane.rawValue)] += 1
            if worker.claim.isOpen { takeBack(worker) }
        }
        for lane in ExecutionLane.workers { blockedCountChanged(lane, to: counts[Int(lane.rawValue)]) }
    }
}
