/// Claims of workers: how they are taken, how far they have come, and how they are taken back.
extension SchedulerCore {
    /// Takes a claim for a worker; otherwise the worker polls from here on, or is on the idle list if another one of
    /// its lane polls.
    ///
    /// All this happens in one critical section, so a thread that adds work later finds the worker, and
    /// starts no other thread.
    func claimOrRest(_ worker: Worker, _ signals: borrowing LaneSignals) -> Bool {
        if claim(for: worker) { return true }
        let lane = Int(worker.lane.rawValue)
        worker.isSearching = !shell.lanes[lane].isSearching
        if worker.isSearching {
            shell.lanes[lane].isSearching = true
            signals.lower(worker.lane)
        } else {
            shell.lanes[lane].idle.append(worker)
        }
        return false
    }

    /// Takes a claim for a worker, if there is something to run. If there is more, another worker is woken.
    func claim(for worker: Worker) -> Bool {
        let limit = claimSize ?? worker.claim.size
        log?.worker = worker.number
        var count = claim(worker.lane, atMost: limit, into: worker.claim.ids)
        guard count > 0 else { return false }
        var place = 0
        while place < count {
            let id = worker.claim.ids[place]
            worker.claim.members[place] = takeMember(id)
            place += 1
            // Only its own worker reports its end, and does so at once: host code that is called then may
            // take long.
            guard place < count, callsHostAtEnd(id) else { continue }
            // The bodies of these have not been taken yet.
            for rest in place..<count { unclaimed(worker.claim.ids[rest]) }
            count = place
        }
        worker.claim.begin(count)
        if worker.claim.isOpen { shell.openClaimCount += 1 }
        if limit > 1 {
            worker.isShort = true
            shell.lanes[Int(worker.lane.rawValue)].shortCount += 1
            shell.shortClaimCount += 1
        }
        worker.claimCount &+= 1
        worker.isSharing = holdsShare(worker.claim.ids[0])
        if mayHaveWork(worker.lane), !has(.leftWorkWakesNobody) {
            wake(worker.lane)
        }
        return true
    }

    /// A worker has run its claim up to the cursor's place.
    ///
    /// - Parameter failure: The error that the last body threw.
    func claimEnded(_ worker: Worker, _ failure: (any Error)?, after nanoseconds: Int64) {
        if failure != nil, worker.claim.isOpen { takeBack(worker) }
        collect(worker)
        if worker.claim.isOpen {
            worker.claim.isOpen = false
            shell.openClaimCount -= 1
        }
        worker.claim.lasted(nanoseconds)
        isShortNoMore(worker)
        let id = worker.claim.ids[worker.claim.reported]
        log?.worker = worker.number
        worker.isSharing = false
        if worker.isCountedBlocked {
            worker.isCountedBlocked = false
            blockedBodyEnded(worker.lane)
        }
        if let log, failure == nil {
            let now = log.now
            log.now = worker.claim.stamps[worker.claim.reported + 1]
            bodyEnded(id, nil)
            log.now = now
        } else {
            bodyEnded(id, failure)
        }
        forgetFailure(of: id)
    }

    /// Whether as many workers of a lane as there are cores run short bodies: they will look for work again within some
    /// microseconds, and the service thread makes sure that they do.
    ///
    /// Waking one more would only make them compete for the cores.
    @inline(__always)
    func isServedSoon(_ lane: ExecutionLane) -> Bool {
        shell.isWatching && shell.lanes[Int(lane.rawValue)].shortCount >= sharedWidth(of: lane)
    }

    /// A worker's bodies are no longer short, or its claim has ended.
    func isShortNoMore(_ worker: Worker) {
        guard worker.isShort else { return }
        worker.isShort = false
        shell.lanes[Int(worker.lane.rawValue)].shortCount -= 1
        shell.shortClaimCount -= 1
    }

    /// Takes in the ends of the operations that a worker has left behind in its claim.
    func collect(_ worker: Worker) {
        guard worker.claim.isOpen else { return }
        let current = worker.claim.cursor.current
        let log = log
        let now = log?.now ?? 0
        log?.worker = worker.number
        while worker.claim.reported < current {
            let id = worker.claim.ids[worker.claim.reported]
            worker.claim.reported += 1
            if let log { log.now = worker.claim.stamps[worker.claim.reported] }
            claimAdvanced(from: id, to: worker.claim.ids[worker.claim.reported])
            forgetFailure(of: id)
        }
        log?.now = now
    }

    /// Whether workers may have ended operations that the machine does not know of.
    var hasOpenClaims: Bool { shell.openClaimCount > 0 }

    /// Whether a worker runs bodies that are believed to be short: if one turns out to be long, the service thread has
    /// to notice.
    var hasShortClaims: Bool { shell.shortClaimCount > 0 }

    /// Whether the operations that the reader has added are expected to end soon: a worker polls for them, or
    /// runs short bodies.
    var answersSoon: Bool { shell.lanes[Int(ExecutionLane.worker.rawValue)].isSearching || hasShortClaims }

    /// Takes in the progress of all workers.
    package func collectClaims() {
        guard shell.openClaimCount > 0 else { return }
        for lane in shell.lanes.indices {
            for worker in shell.lanes[lane].workers { collect(worker) }
        }
    }

    /// Takes back the operations that workers have claimed and not begun. Afterwards the machine knows the
    /// state of each operation exactly.
    func takeBackClaims() {
        claimsWereTakenBack()
        guard shell.openClaimCount > 0 else { return }
        for lane in shell.lanes.indices {
            for worker in shell.lanes[lane].workers where worker.claim.isOpen { takeBack(worker) }
        }
        claimsWereTakenBack()
    }

    func takeBack(_ worker: Worker) {
        let unstarted = worker.claim.cursor.takeBack()
        collect(worker)
        for place in unstarted {
            putBack(worker.claim.takeMember(place), worker.claim.ids[place])
            unclaimed(worker.claim.ids[place])
        }
        shell.openClaimCount -= 1
        worker.claim.wasTakenBack()
    }

    /// Of a block that has ended, nothing is left that could ask for its error.
    private func forgetFailure(of id: OperationID) {
        if !shell.failures.isEmpty, state(of: id) == nil { shell.failures[id.slot] = nil }
    }

    /// Whether host code, which may take long, has to be called after this critical section.
    var callsHostNext: Bool { effects.callsHost || !effects.actions.isEmpty }

    func workerStarted(_ worker: Worker) {
        let index = Int(worker.lane.rawValue)
        let taken = Set(shell.lanes.flatMap { $0.workers.map(\.number) })
        worker.number = (1...UInt16.max).first { !taken.contains($0) } ?? .max
        shell.lanes[index].workers.append(worker)
        if !has(.wakeInFlightKept) { shell.lanes[index].isWakeInFlight = false }
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
