extension Scheduler {
    /// How a scheduler is set up.
    public struct Configuration: Sendable {
        /// What runs the bodies.
        public enum Executor: Sendable {
            /// Worker threads and Swift tasks.
            case threads
            /// No threads: bodies run one after the other where ``Scheduler/runSimulation()`` is called; what the
            /// rules leave open is chosen by the seed.
            case simulated(seed: UInt64)
        }

        /// How many closures of queues without a width run at once as long as none blocks; default: the number of
        /// cores, of which one is left to the reader while that adds operation after operation.
        public var workers: Int?
        /// How many closures run at once in all, at least 1; nil, the default, for no limit.
        public var jobLimit: Int?
        /// Where the time comes from; default: the monotonic clock.
        public var clock: SchedulerClock = .monotonic()
        /// What runs the bodies; default: threads.
        public var executor: Executor = .threads

        /// Called, on any thread, where the reader of events is to come and nobody sleeps in
        /// ``Scheduler/parkReader(until:)``.
        package var readerWaker: (@Sendable () -> Void)?

        /// What fixes the jitter of delays; nil, the default, for chance.
        package var seed: UInt64?

        /// What tests plant into the machine; without effect in release builds.
        package var plantedDefect: PlantedDefect?

        /// Whether workers leave a core to a reader that adds much; nil, the default: where no number of them was asked
        /// for.
        var leavesCoreToReader: Bool?

        /// Gets what the watchdog of debug builds reports; nil, the default, for standard error.
        var watchdogHandler: (@Sendable (String) -> Void)?

        /// Where its threads come from; tests have such as they go through step by step.
        var threads: any ThreadStarter = SystemThreads()

        /// How many operations a claim may have; nil, the default, for what follows from the measured time of the
        /// bodies.
        var claimSize: Int?

        /// How many threads a lane has at most.
        var threadsPerLane = 512

        /// How long a thread without work stays, in nanoseconds.
        var idleNanoseconds: Int64 = 2_000_000_000

        /// The defaults.
        public init() {}
    }
}
