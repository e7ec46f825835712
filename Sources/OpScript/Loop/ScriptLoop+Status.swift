internal import Scheduling

extension ScriptLoop {
    /// The status of the run is published at most once per interval: every tenth of a second.
    private static let interval: Int64 = 100_000_000
    /// At most so many executing operations are listed.
    private static let mostListed = 128

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
        publish(
            finished: runState.counts.finished - runState.awaitedSteps,
            total: runState.counts.submitted - runState.awaitedSteps,
            failed: runState.counts.failed - runState.awaitedFailures,
            now
        )
    }

    /// Publishes the counts of the run's report, which are final.
    func publishFinalStatus() {
        guard configuration.tracksStatus else { return }
        let report = runState.report
        let finished = report.succeeded + report.failed + report.handled + report.cancelled + report.skipped
        let total = runState.counts.submitted
        publish(finished: finished, total: total, failed: report.failed, SchedulerClock.systemNow)
    }

    /// Whether the main chunk may add operations before those that it has added end.
    private var isGrowing: Bool {
        guard !runState.mainChunkEnded else { return false }
        let wait = runtime.waits.list.all.first { if case .main = $0.task.end { true } else { false } }
        return switch wait?.target {
        case .operations, .queue: false
        case .time, .source, .something, nil: true
        }
    }

    private func publish(finished: Int, total: Int, failed: Int, _ now: Int64) {
        var snapshot = StatusSnapshot()
        snapshot.finished = finished
        snapshot.total = max(total, finished)
        snapshot.failed = failed
        snapshot.runningCount = operations.entries.executingCount
        snapshot.retryingCount = operations.entries.retryingCount
        snapshot.usage = runtime.usage
        // Under virtual time, seconds of the system's clock mean nothing: then durations count from now.
        let isVirtual = scheduler.clock.isVirtual
        var done = runState.kinds.done
        var rest = isVirtual ? nil : runState.kinds.rest
        var steps: [OperationID: String] = [:]
        for entry in operations.entries.longestExecuting(Self.mostListed) {
            guard let view = entry.pointee.view else { continue }
            if entry.pointee.isCountedAsStep, let waiter = entry.pointee.waiter {
                steps[waiter] = operations.name(view)
                continue
            }
            let since = isVirtual ? now : view.pointee.startedAt
            if !view.pointee.flags.contains(.belongsToWaits) {
                // An executing operation has done a part of its work.
                done += max(0, now - since)
                rest = rest.map { $0 - min(now - since, runState.kinds.mean(of: view) ?? 0) }
            }
            snapshot.running.append(
                StatusSnapshot.Running(
                    id: entry.pointee.id,
                    name: operations.name(view),
                    since: since,
                    body: entry.pointee.body,
                    text: entry.pointee.attachment?.progress?.localizedDescription
                )
            )
        }
        // The text of an operation that has none of its own is the step for which it waits.
        for place in snapshot.running.indices {
            let running = snapshot.running[place]
            if running.text == nil, running.body == nil { snapshot.running[place].text = steps[running.id] }
        }
        snapshot.done = Double(done) / 1e9
        snapshot.rest = rest.map { Double(max(0, $0)) / 1e9 }
        snapshot.isGrowing = isGrowing
        snapshot.failures = runState.report.failures
        link.publish(snapshot)
    }
}
