extension SchedulerCore {
    /// What the shells know beside the machine.
    struct Shell: ~Copyable {
        /// By slot: what the body of the last attempt threw.
        var failures: [UInt32: any Error] = [:]
        var lanes = [LaneThreads](repeating: LaneThreads(), count: ExecutionLane.count)
        /// Names of operations with a handle that are in no queue yet, where they have one.
        var names: [UInt32: String] = [:]
        var externals = ExternalTable()
        /// Threads that wait for a queue to be empty.
        var drainWaiters: [UInt32: [Parker]] = [:]
        var timers = TimerHeap<ScheduledTimer>()
        /// Until when the service thread sleeps; nil while it is awake, `.max` for ever.
        var serviceSleepsUntil: Int64?
        /// Whether the service thread looks at blocked workers every few milliseconds.
        var isWatching = false
        var isServiceRunning = false
        /// Bodies that nobody needs any more, to be released outside the lock.
        var spentBodies: [any OperationBody] = []
        /// How many workers have claims of which the machine does not know how far they have come.
        var openClaimCount = 0
        /// How many workers run bodies that are short as far as is known.
        var shortClaimCount = 0
        var isReaderParked = false
        var readerWasWoken = false
        /// The kernel's number of the reader's thread, if a core is left to it while it adds much; else 0.
        var readerThread: Int32 = 0
        /// At the last look of the service thread: how much the reader had added.
        var watchedAdditions = 0
        /// Lanes for which the system gave no thread; the service thread tries again, and whoever waits.
        var lanesWithoutThread: UInt16 = 0
        /// Until when no service thread is asked for, since the system gave none; 0 once there is one.
        var serviceRefusedUntil: Int64 = 0
        #if DEBUG
        /// The watchdog has reported something.
        var hasReportedLeftBehind = false
        #endif
        /// How many threads were started, ever.
        var startedThreadCount = 0
        /// How many threads of the pool there were at most.
        var highestThreadCount = 0
    }
}
