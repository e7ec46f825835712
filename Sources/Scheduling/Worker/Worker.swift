/// One thread of the pool.
final class Worker: @unchecked Sendable {
    // @unchecked because all that changes is guarded by the scheduler's lock.
    let lane: ExecutionLane
    let parker = Parker()
    /// The kernel's number of the thread. Guarded by the scheduler's lock.
    var threadID: Int32 = 0
    /// Counts the bodies it was given. Guarded by the scheduler's lock.
    var assignmentCount = 0
    /// Whether its body holds a share of threads. Guarded by the scheduler's lock.
    var isSharing = false
    /// At the last look of the service thread: how many bodies it had been given; -1 if it was not sharing. Guarded by
    /// the scheduler's lock.
    var watchedCount = -1
    /// Whether it is counted among the blocked ones. Guarded by the scheduler's lock.
    var isCountedBlocked = false

    init(lane: ExecutionLane) {
        self.lane = lane
    }
}
