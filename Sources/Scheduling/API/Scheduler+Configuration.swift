extension Scheduler {
    /// How a scheduler is set up.
    public struct Configuration: Sendable {
        /// What runs the bodies.
        public enum Executor: Sendable {
            /// Worker threads and Swift tasks.
            case threads
            /// No threads: bodies run one after the other where ``Scheduler/runSimulation()`` is called; the seed
            /// decides what the rules leave open.
            case simulated(seed: UInt64)
        }

        /// How many closures of queues without a width run at once as long as none blocks; default: the number of
        /// cores, one of which is left to the reader while it keeps adding operations.
        public var workers: Int?
        /// How many closures run at once in all, at least 1; nil, the default, for no limit.
        public var jobLimit: Int?
        /// Where the time comes from; default: the monotonic clock.
        public var clock: SchedulerClock = .monotonic()
        /// What runs the bodies; default: threads.
        public var executor: Executor = .threads

        /// Called, on any thread, when the reader of events is needed and has given its thread away by
        /// ``Scheduler/awaitReader()``; sometimes also without need.
        package var readerWaker: (@Sendable () -> Void)?

        /// Runs the life of each thread that runs bodies, so that it can set up what bodies find there; nil, the
        /// default: there is nothing to set up.
        package var threadScope: (@Sendable (_ life: () -> Void) -> Void)?

        /// The seed for the jitter of delays; nil, the default, for a random one.
        package var seed: UInt64?

        /// Whether each event has a fact, for a record of the run; default: no.
        package var recordsFacts = false

        /// Whether every queue is suspended as long as the scheduler lives, whatever its owner says, so that nothing
        /// starts; default: no.
        package var holdsQueues = false

        /// The defect that tests plant into the machine; has no effect in release builds.
        package var plantedDefect: PlantedDefect?

        /// Whether workers leave a core to a reader that adds many operations; nil, the default: if the number of
        /// workers is not set.
        var leavesCoreToReader: Bool?

        /// Receives the reports of the watchdog in debug builds; nil, the default, for standard error.
        var watchdogHandler: (@Sendable (String) -> Void)?

        /// Where its threads come from; tests supply threads that they run step by step.
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
