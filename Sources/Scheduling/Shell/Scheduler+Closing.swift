internal import Synchronization

/// How a scheduler gives its threads back.
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

    /// How long a worker sleeps before it exits, in nanoseconds.
    var idleTime: Int64 { isClosing ? 0 : idleNanoseconds }
}

extension SchedulerCore {
    /// What is to be called now because no thread without work is left; nil if there is none, or threads are left.
    func takeCloseHandler() -> (@Sendable () -> Void)? {
        guard shell.closeHandler != nil, shell.lanes.allSatisfy({ $0.idle.isEmpty && !$0.isSearching }) else {
            return nil
        }
        return shell.closeHandler.take()
    }
}
