internal import Synchronization

/// The threads of one lane.
struct LaneThreads {
    /// All of them.
    var workers: [Worker] = []
    /// Parked workers; the last one parked is woken first, because its caches are warm.
    var idle: [Worker] = []
    /// Threads that were asked for and have not exited.
    var threadCount = 0
    /// A worker was woken or started and has not looked for work yet.
    var isWakeInFlight = false
    /// How many workers run claims of short bodies.
    var shortCount = 0
    /// A worker polls before it parks.
    var isSearching = false
}

/// One flag for each lane, which a searching worker reads without the lock.
struct LaneSignals: ~Copyable {
    private let flags = Atomic<UInt64>(0)

    func raise(_ lane: ExecutionLane) {
        flags.bitwiseOr(1 << UInt64(lane.rawValue), ordering: .releasing)
    }

    func isRaised(_ lane: ExecutionLane) -> Bool {
        flags.load(ordering: .acquiring) & (1 << UInt64(lane.rawValue)) != 0
    }

    func lower(_ lane: ExecutionLane) {
        flags.bitwiseAnd(~(1 << UInt64(lane.rawValue)), ordering: .relaxed)
    }
}
