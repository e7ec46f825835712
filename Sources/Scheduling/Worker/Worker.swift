/// One thread of the pool.
final class Worker: @unchecked Sendable {
    // @unchecked because all that changes is guarded by the scheduler's lock.
    let lane: ExecutionLane
    let parker = Parker()
    /// The kernel's number of the thread. Guarded by the scheduler's lock.
    var threadID: Int32 = 0
    /// Counts the bodies it was given. Guarded by the scheduler's lock.
    var assignmentCount = 0
    /// Counts the bodies that it began, in no particular steps. Only under the scheduler's lock.
    var progress: Int { assignmentCount << 32 ^ cursor.next }
    /// Whether it looks for work without sleeping; else it is on the idle list, where it has nothing to run. Only its own thread looks at it.
    var isSearching = false
    /// How it does. Only its own thread looks at it.
    var search = WorkerSearch()
    /// Whether its body holds a share of threads. Guarded by the scheduler's lock.
    var isSharing = false
    /// At the last look of the service thread: its progress; -1 if it was not sharing. Guarded by
    /// the scheduler's lock.
    var watchedCount = -1
    /// Whether it is counted among the blocked ones. Guarded by the scheduler's lock.
    var isCountedBlocked = false

    /// What it runs next, while it tells of what it ran: another one may take it. Guarded by the scheduler's lock.
    var held: Assignment?
    /// Whether the service thread has seen that. Guarded by the scheduler's lock.
    var isHeldLong = false

    /// What it was given of a stretch.
    var part = StretchPart()
    /// Where it stands in that.
    let cursor = StretchCursor()

    init(lane: ExecutionLane) {
        self.lane = lane
    }
}
