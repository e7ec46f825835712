internal import Scheduling

extension ScriptLoop {
    /// The status of the run is published at most once per interval: every tenth of a second.
    private static let interval: Int64 = 100_000_000

    /// Publishes the status of the run, unless it was published a moment ago.
    func publishStatusNowAndThen() {
        guard configuration.tracksStatus else { return }
        let now = SchedulerClock.systemNow
        if now - statusPublishedAt >= Self.interval { publishStatus(now) }
    }

    /// Publishes the status of the run.
    func publishStatus() {
        if configuration.tracksStatus { publishStatus(SchedulerClock.systemNow) }
    }

    private func publishStatus(_ now: Int64) {
        statusPublishedAt = now
        var snapshot = StatusSnapshot()
        snapshot.finished = runState.counts.finished
        snapshot.total = max(runState.counts.submitted, runState.counts.finished)
        snapshot.failed = runState.counts.failed
        snapshot.runningCount = operations.entries.executingCount
        // Under virtual time, seconds of the system's clock mean nothing: then durations count from now.
        let isVirtual = scheduler.clock.isVirtual
        snapshot.running = operations.entries.longestExecuting(16).compactMap { entry in
            entry.pointee.view.map { (operations.name($0), isVirtual ? now : $0.pointee.startedAt) }
        }
        link.publish(snapshot)
    }
}
