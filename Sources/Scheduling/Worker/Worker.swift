/// One thread of the pool.
final class Worker: @unchecked Sendable {
    // @unchecked because `threadID` is set by the thread itself before it is listed as a sharer, under the lock.
    let lane: ExecutionLane
    let parker = Parker()
    /// Guarded by the scheduler's lock.
    var threadID: Int32 = 0
    /// Counts the bodies it was given.
    ///
    /// Guarded by the scheduler's lock.
    var assignmentCount = 0

    init(lane: ExecutionLane) {
        self.lane = lane
    }
}
