#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension Scheduler {
    /// How long a thread waits before the watchdog checks.
    static let watchdogInterval: Int64 = 1_000_000_000

    /// Checks whether something that could start was left behind, and reports it once. Does nothing in release builds.
    ///
    /// The service thread calls it while it watches, and a waiting thread calls it each second. A report is a defect of
    /// the scheduler: it goes to standard error, and ends the process if `OPSCRIPT_WATCHDOG` is `fatal`, as in the
    /// tests.
    func checkWakes() {
        #if DEBUG
        guard let report = wakeReport() else { return }
        if let watchdogHandler { return watchdogHandler(report) }
        let text = Array("opscript: \(report)\n".utf8)
        _ = write(2, text, text.count)
        if let mode = getenv("OPSCRIPT_WATCHDOG"), String(cString: mode) == "fatal" { fatalError(report) }
        #endif
    }

    #if DEBUG
    private func wakeReport() -> String? {
        look { core in
            guard core.usesThreads, !core.shell.hasReportedLeftBehind,
                // A test that plants a defect detects it in another way.
                !core.hasPlantedDefect || watchdogHandler != nil,
                let behind = core.leftBehind(awake: core.notedLanesAwake)
            else { return nil }
            core.shell.hasReportedLeftBehind = true
            let name = (core.body(behind.operation) as? ScheduledOperation)?.name ?? "an operation"
            let place = "(slot \(behind.operation.slot)) in queue \(behind.queue.index)"
            return "'\(name)' \(place) could start on lane \(behind.lane), and no worker is awake "
                + "that would look for it"
        }
    }
    #endif
}
