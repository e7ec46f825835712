internal import Synchronization

/// Closing a scheduler: it gives its threads back.
extension Scheduler {
    /// Makes each thread end as soon as it has no work.
    ///
    /// Operations that are added later still run. Call it once.
    /// - Parameter handler: Called on any thread, once the threads without work have ended. It does not wait for
    ///   threads that run a body.
    package func close(_ handler: @escaping @Sendable () -> Void) {
        isClosingFlag.store(true, ordering: .sequentiallyConsistent)
        let (idle, closed) = visit { core -> ([Worker], (@Sendable () -> Void)?) in
            core.shell.closeHandler = handler
            return (core.shell.lanes.flatMap(\.idle), core.takeCloseHandler())
        }
        for worker in idle { worker.parker.unpark() }
        closed?()
    }

    /// Whether threads without work end at once.
    var isClosing: Bool { isClosingFlag.load(ordering: .sequentiallyConsistent) }

    /// How long a worker of a lane sleeps before it gives its thread back, in nanoseconds. A thread with a niceness of
    /// its own cannot be given back, only ended, so it stays longer.
    func idleTime(of lane: ExecutionLane) -> Int64 {
        if isClosing { return 0 }
        if lacksThreads { return Self.watchInterval }
        return lane.niceness == 0
            ? idleNanoseconds : idleNanoseconds.multipliedReportingOverflow(by: 2_000).partialValue
    }
}

extension SchedulerCore {
    /// The handler to call now because no thread without work is left; nil if there is no handler, or threads
    /// are left.
    func takeCloseHandler() -> (@Sendable () -> Void)? {
        guard shell.closeHandler != nil, shell.lanes.allSatisfy({ $0.idle.isEmpty && !$0.isSearching }) else {
            return nil
        }
        return shell.closeHandler.take()
    }
}
