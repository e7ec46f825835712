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
        while let (assignment, body) = feed({ core -> (OperationID, (any OperationBody)?)? in
            guard let id = core.takeNext(.worker) else { return nil }
            realBodyBegins(id, isTask: false, core)
            return (id, core.body(id))
        }) {
            isAnyStarted = true
            let run: @Sendable () -> Void = { [self] in
                var failure: (any Error)?
                inThreadScope {
                    do {
                        try body?.execute()
                    } catch {
                        failure = error
                    }
                }
                realBodyEnded(assignment, failure)
            }
            // If the system has no more threads, the body runs here.
            if !SystemThread.start(name: "opscript-real", run) { run() }
        }
        return isAnyStarted
    }
}
