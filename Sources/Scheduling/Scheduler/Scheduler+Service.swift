extension Scheduler {
    /// How long a body may block before another thread takes its place, at most about twice this.
    private static let watchInterval: Int64 = 4_000_000

    /// Starts the thread that watches the clock and blocked workers.
    func startService() {
        let parker = serviceParker
        let started = SystemThread.start(name: "opscript-clock", stackSize: 512 << 10) { [weak self] in
            while let wait = self?.serve() {
                if wait == .max {
                    parker.park()
                } else {
                    _ = parker.park(nanoseconds: wait)
                }
            }
        }
        if !started { feed { $0.isServiceRunning = false } }
    }

    /// Does what is due, and says how many nanoseconds to sleep; `.max` for until woken.
    private func serve() -> Int64 {
        let isVirtual = clock.isVirtual
        let now = clock.now
        var due: [ScheduledTimer] = []
        let suspects = feed { core -> [Int32] in
            core.serviceSleepsUntil = nil
            if !isVirtual {
                core.machine.timeReached(now)
                while let (_, timer) = core.timers.popDue(now) { due.append(timer) }
            }
            core.isWatching = core.machine.hasWorkBeyondShare
            guard core.isWatching else {
                core.machine.blockedCount = 0
                core.watched = [:]
                return []
            }
            // Only a worker that has the same body as at the last look can be blocked in it: a thread that is seen asleep between
            // two short bodies waits for the scheduler.
            let before = core.watched
            core.watched = core.sharers.mapValues(\.assignmentCount)
            return core.sharers.compactMap {
                before[$0.key] == $0.value.assignmentCount ? $0.value.threadID : nil
            }
        }
        for timer in due { timer.fire(at: now) }
        if !suspects.isEmpty {
            let blocked = suspects.count { SystemThread.isBlocked($0) }
            feed { core in
                core.machine.blockedCount = blocked
                if blocked > 0 { core.machine.wakeMask = .max }
            }
        }
        return feed { core in
            var until = Int64.max
            if !isVirtual {
                until = min(core.machine.nextDeadline ?? .max, core.timers.nextDeadline ?? .max)
            }
            if core.isWatching { until = min(until, now + Self.watchInterval) }
            core.serviceSleepsUntil = until
            return until == .max ? .max : max(0, until - clock.now)
        }
    }

    /// Moves virtual time on, and lets what is due happen.
    ///
    /// For whoever owns the clock.
    package func advance(to moment: Int64) {
        clock.advance(to: moment)
        var due: [ScheduledTimer] = []
        feed { core in
            core.machine.timeReached(moment)
            while let (_, timer) = core.timers.popDue(moment) { due.append(timer) }
        }
        for timer in due { timer.fire(at: moment) }
    }

    /// The next moment at which something is due.
    package var nextDeadline: Int64? {
        feed { core in
            switch (core.machine.nextDeadline, core.timers.nextDeadline) {
            case (let a?, let b?): min(a, b)
            case (let a, let b): a ?? b
            }
        }
    }
}
