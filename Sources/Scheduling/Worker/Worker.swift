/// One thread of the pool.
final class Worker: @unchecked Sendable {
    // @unchecked because all mutable state is guarded by the scheduler's lock, unless its comment says otherwise.
    let lane: ExecutionLane
    let parker = Parker()
    /// The kernel's ID of the thread. Guarded by the scheduler's lock.
    var threadID: Int32 = 0
    /// Distinguishes it from the other workers that live now, from 1. Guarded by the scheduler's lock.
    var number: UInt16 = 0
    /// The claim that it runs. Guarded by the scheduler's lock; from the claim's cursor on, it belongs to the
    /// worker.
    let claim = Claim()
    /// Whether it is counted among those whose bodies are short. Guarded by the scheduler's lock.
    var isShort = false
    /// Counts its claims. Guarded by the scheduler's lock.
    var claimCount = 0
    /// Changes with each body that it begins, by an unspecified amount. Only under the scheduler's lock.
    var progress: Int { claimCount << 32 ^ claim.cursor.next }
    /// Whether it polls before it sleeps; a worker that does neither poll nor run anything is on the idle
    /// list. Only its own thread reads it.
    var isSearching = false
    /// Whether its claim holds a share of threads. Guarded by the scheduler's lock.
    var isSharing = false
    /// Its progress at the service thread's last check; -1 if it was not sharing. Guarded by the scheduler's lock.
    var watchedProgress = -1
    /// Whether it is counted among the blocked ones. Guarded by the scheduler's lock.
    var isCountedBlocked = false

    init(lane: ExecutionLane) {
        self.lane = lane
    }
}
