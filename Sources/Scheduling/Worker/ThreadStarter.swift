/// Where a scheduler gets its threads from.
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
        SystemThread.start(name: "opscript-worker", niceness: lane.niceness ?? 0) {
            scheduler.inThreadScope { WorkerPool.run(Worker(lane: lane), scheduler) }
        }
    }

    func startService(_ life: @escaping @Sendable () -> Void) -> Bool {
        SystemThread.start(name: "opscript-clock", stackSize: 512 << 10, life)
    }
}
