extension Scheduler {
    /// Starts the operations that workers would fetch now, each body on a thread of its own; for a simulated
    /// scheduler whose bodies are real.
    ///
    /// The caller that steps the scheduler calls this when nothing else can run, so that the starts and their
    /// order depend only on the order of additions. The widths of queues, the share of threads and the limit
    /// of jobs decide how many execute at once.
    /// - Returns: Whether anything was started.
    package func startRealBodies() -> Bool {
        var isAnyStarted = false
        while let assignment = feed({ $0.takeNext(.worker) }) {
            isAnyStarted = true
            let body = feed { $0.body(assignment) }
            let run: @Sendable () -> Void = { [self] in
                var failure: (any Error)?
                inThreadScope {
                    do {
                        try body?.execute()
                    } catch {
                        failure = error
                    }
                }
                feed { $0.bodyEnded(assignment, failure) }
            }
            // If the system has no more threads, the body runs here.
            if !SystemThread.start(name: "opscript-real", run) { run() }
        }
        return isAnyStarted
    }
}
