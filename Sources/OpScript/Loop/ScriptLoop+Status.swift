internal import Scheduling

extension ScriptLoop {
    /// The status of the run is published at most once per interval: every tenth of a second.
    private static let interval: Int64 = 100_000_000

    /// Publishes the status of the run, unless it was published a moment ago.
    func publishStatusNowAndThen() {
        guard publishesStatus else { return }
        let now = SchedulerClock.systemNow
        if now - statusPublishedAt >= Self.interval { publishStatus(now) }
    }

    /// Publishes the status of the run.
    func publishStatus() {
        if publishesStatus { publishStatus(SchedulerClock.systemNow) }
    }

    /// Ends that come after a run do not change its status.
    private var publishesStatus: Bool {
        guard configuration.tracksStatus else { return false }
        if case .run = runtime.run.session { return true }
        return !runtime.run.asks.isEmpty
    }

    private func publishStatus(_ now: Int64) {
        statusPublishedAt = now
        publish(finished: runState.counts.finished, failed: runState.counts.failed, now)
    }

    /// Publishes the counts of the run's report, which are final.
    func publishFinalStatus() {
        guard configuration.tracksStatus else { return }
        let report = runState.report
        let finished = report.succeeded + report.failed + report.handled + report.cancelled + report.skipped
        publish(finished: finished, failed: report.failed, SchedulerClock.systemNow)
    }

    private func publish(finished: Int, failed: Int, _ now: Int64) {
        var snapshot = StatusSnapshot()
        snapshot.finished = finished
        snapshot.total = max(runState.counts.submitted, finished)
        snapshot.failed = failed
        snapshot.runningCount = operations.entries.executingCount
        // Under virtual time, seconds of the system's clock mean nothing: then durations count from now.
        let isVirtual = scheduler.clock.isVirtual
        var done = runState.kinds.done
        var rest = isVirtual ? nil : runState.kinds.rest
        snapshot.running = operations.entries.longestExecuting(64).compactMap { entry in
            entry.pointee.view.map { view in
                let since = isVirtual ? now : view.pointee.startedAt
                // An executing operation has done a part of its work.
                done += max(0, now - since)
                rest = rest.map { $0 - min(now - since, runState.kinds.mean(of: view) ?? 0) }
                return StatusSnapshot.Running(
                    name: operations.name(view),
                    since: since,
                    body: entry.pointee.body,
                    text: entry.pointee.attachment?.progress?.localizedDescription
                )
            }
        }
        snapshot.done = Double(done) / 1e9
        snapshot.rest = rest.map { Double(max(0, $0)) / 1e9 }
        snapshot.isGrowing = !runState.mainChunkEnded
        snapshot.failures = runState.report.failures
        link.publish(snapshot)
    }
}
