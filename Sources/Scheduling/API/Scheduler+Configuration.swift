extension Scheduler {
    /// How a scheduler is set up.
    public struct Configuration: Sendable {
        /// The executor of the bodies.
        public enum Executor: Sendable {
            /// Worker threads and Swift tasks.
            case threads
            /// No threads: bodies run one after the other where ``SimulatedExecutor/run()`` is called; the seed
            /// decides what the rules leave open.
            case simulated(seed: UInt64)
        }

        /// How many closures of queues without a width run at once as long as none blocks; default: the number of
        /// cores, one of which is left to the reader while it keeps adding operations.
        public var workers: Int?
        /// How many closures run at once in all, at least 1; nil, the default, for no limit.
        public var jobLimit: Int?
        /// The source of time; default: the monotonic clock.
        public var clock: SchedulerClock = .monotonic()
        /// The executor of the bodies; default: threads.
        public var executor: Executor = .threads

        /// Called, on any thread, when the reader of events is needed and has given its thread away by
        /// ``Scheduler/awaitReader()``. Spurious calls are possible.
        package var readerWaker: (@Sendable () -> Void)?

        /// Called on each thread that runs bodies, with the function that runs them, so that it can set up
        /// thread-local state first; nil, the default, if there is nothing to set up.
        package var threadScope: (@Sendable (_ life: () -> Void) -> Void)?

        /// The seed for the jitter of delays; nil, the default, for a random one.
        package var seed: UInt64?

        /// Whether each event has a fact, for a record of the run; default: no.
        package var recordsFacts = false

        /// Whether every queue is suspended as long as the scheduler lives, even if its owner resumes it,
        /// so that nothing starts; default: no.
        package var holdsQueues = false

        /// The defect that tests plant into the machine; has no effect in release builds.
        package var plantedDefect: PlantedDefect?

        /// Whether workers leave a core to a reader that adds many operations; nil, the default: if the number of
        /// workers is not set.
        var leavesCoreToReader: Bool?

        /// Receives the reports of the watchdog in debug builds; nil, the default, for standard error.
        var watchdogHandler: (@Sendable (String) -> Void)?

        /// The source of its threads; tests supply threads that they run step by step.
        var threads: any ThreadStarter = SystemThreads()

        /// How many operations a claim may have; nil, the default, to derive the number from the measured time of the
        /// bodies.
        var claimSize: Int?

        /// How many threads a lane has at most.
        var threadsPerLane = 512

        /// How long a thread without work stays, in nanoseconds, before it becomes a spare thread of the process.
        var idleNanoseconds: Int64 = 1_000_000

        /// The defaults.
        public init() {}
    }
}
