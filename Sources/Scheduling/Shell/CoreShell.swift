extension SchedulerCore {
    /// The shell's own data, besides the machine.
    struct Shell: ~Copyable {
        /// For each slot: the error that the body of the last attempt threw.
        var failures: [UInt32: any Error] = [:]
        /// For each slot: the errors of attempts that others followed, with their numbers, until the reader takes them.
        var earlierFailures: [UInt32: [(attempt: UInt32, error: any Error)]] = [:]
        var lanes = [LaneThreads](repeating: LaneThreads(), count: ExecutionLane.count)
        /// Names of operations with a handle that are in no queue yet, if they have a name.
        var names: [UInt32: String] = [:]
        var externals = ExternalTable()
        /// Threads that wait for a queue to be empty.
        var drainWaiters: [UInt32: [Parker]] = [:]
        var timers = TimerHeap<ScheduledTimer>()
        /// The moment until which the service thread sleeps; nil while it is awake, `.max` for ever.
        var serviceSleepsUntil: Int64?
        /// Whether the service thread checks for blocked workers every few milliseconds.
        var isWatching = false
        var isServiceRunning = false
        /// Bodies of operations with a handle that have ended; they will be notified outside the lock.
        var endedBodies: [any OperationBody] = []
        /// How many workers have claims whose progress the machine does not know.
        var openClaimCount = 0
        /// How many workers run bodies that are believed to be short.
        var shortClaimCount = 0
        /// The real bodies that execute on virtual time, in the order in which they started.
        var realBodies: [RealBody] = []
        var isReaderParked = false
        var readerWasWoken = false
        /// The kernel's ID of the reader's thread, if a core is left to it while it adds many operations; otherwise 0.
        var readerThread: Int32 = 0
        /// How much the reader had added at the last check of the service thread.
        var watchedAdditions = 0
        /// Lanes for which the system refused a thread; the service thread and waiting threads try again.
        var lanesWithoutThread: UInt16 = 0
        /// Called once no thread without work is left; nil until the scheduler is closed.
        var closeHandler: (@Sendable () -> Void)?
        /// The moment until which no service thread is requested, since the system refused one; 0 once there
        /// is one.
        var serviceRefusedUntil: Int64 = 0
        #if DEBUG
        /// The watchdog has reported something.
        var hasReportedLeftBehind = false
        #endif
        /// How many threads were started, ever.
        var startedThreadCount = 0
        /// The highest number of threads that the pool has had.
        var highestThreadCount = 0
    }
}
