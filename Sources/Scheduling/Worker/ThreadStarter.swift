/// The source of a scheduler's threads.
///
/// Called on the thread that needs one, outside the lock.
protocol ThreadStarter: Sendable {
    /// Starts a thread that runs a worker (``WorkerPool/run(_:_:)``). False if there are no more threads.
    func startWorker(of lane: ExecutionLane, for scheduler: Scheduler) -> Bool

    /// Starts a thread that watches the clock and blocked workers. False if there are no more threads.
    func startService(_ life: @escaping @Sendable () -> Void) -> Bool
}

/// Threads of the operating system.
struct SystemThreads: ThreadStarter {
    func startWorker(of lane: ExecutionLane, for scheduler: Scheduler) -> Bool {
        let life: @Sendable () -> Void = {
            scheduler.inThreadScope { WorkerPool.run(Worker(lane: lane), scheduler) }
        }
        guard let niceness = lane.niceness, niceness != 0 else {
            return SpareThreads.run(name: "opscript-worker", life)
        }
        return SystemThread.start(name: "opscript-worker", niceness: niceness, life)
    }

    func startService(_ life: @escaping @Sendable () -> Void) -> Bool {
        SpareThreads.run(name: "opscript-clock", life)
    }
}
