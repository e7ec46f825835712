internal import Scheduling

extension ScriptLoop {
    /// How often others are told how far the run has come, at most: every tenth of a second.
    private static let interval: Int64 = 100_000_000

    /// Tells others how far the run has come, unless they were told a moment ago.
    func publishStatusNowAndThen() {
        guard configuration.tracksStatus else { return }
        let now = SchedulerClock.systemNow
        if now - statusPublishedAt >= Self.interval { publishStatus(now) }
    }

    /// Tells others how far the run has come.
    func publishStatus() {
        if configuration.tracksStatus { publishStatus(SchedulerClock.systemNow) }
    }

    private func publishStatus(_ now: Int64) {
        statusPublishedAt = now
        var snapshot = StatusSnapshot()
        snapshot.finished = operations.counts.finished
        snapshot.total = max(operations.counts.submitted, operations.counts.finished)
        snapshot.failed = operations.counts.failed
        snapshot.runningCount = operations.entries.executingCount
        // Where time is virtual, seconds of the system's clock mean nothing: then they count from now.
        let isVirtual = scheduler.clock.isVirtual
        snapshot.running = operations.entries.longestExecuting(16).compactMap { entry in
            entry.pointee.view.map { (operations.name($0), isVirtual ? now : $0.pointee.startedAt) }
        }
        link.publish(snapshot)
    }
}
