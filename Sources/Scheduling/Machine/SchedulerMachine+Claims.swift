/// Claims: ready operations of one queue that a worker takes together and runs one after another.
///
/// A claim occupies one slot of its queue and one share of threads. The first operation of a claim starts when the
/// worker takes the claim. Each other one is `claimed` until the worker comes to it, or until it goes back to the ready
/// list.
extension SchedulerMachine {
    /// A worker of a lane asks for operations to run one after another.
    ///
    /// The first one is chosen as ``takeNext(_:)`` chooses. The others come from the same list, in its order. An
    /// operation on which others depend ends the claim: its dependents must not wait for the rest.
    ///
    /// - Parameters:
    ///   - limit: How many operations the claim may have, at least 1.
    ///   - ids: Receives the identities.
    /// - Returns: How many operations the claim has; 0 if nothing can start.
    mutating func claim(_ lane: ExecutionLane, atMost limit: Int, into ids: UnsafeMutablePointer<OperationID>)
        -> Int
    {
        guard let first = takeNext(lane) else { return 0 }
        ids[0] = first
        return limit > 1 ? extendClaim(first, lane, atMost: limit, ids) : 1
    }

    private mutating func extendClaim(
        _ first: OperationID,
        _ lane: ExecutionLane,
        atMost limit: Int,
        _ ids: UnsafeMutablePointer<OperationID>
    ) -> Int {
        let record = store.pointer(first.slot)
        let index = Int(record.pointee.queue)
        let queue = queues.pointer(index)
        guard record.pointee.firstDependent == .max, queue.pointee.family == nil,
            queue.pointee.onlyLane == lane,
            let list = queue.pointee.onlyList
        else { return 1 }
        let level = record.pointee.priority.level
        // The other workers get the rest, so that all workers finish at about the same time.
        let cores = sharedWidth(of: lane)
        let width = queue.pointee.width < 0 ? cores : min(queue.pointee.width, cores)
        // If there are more runners than a claim has room for, each takes one operation.
        let runners = min(width, Claim.capacity)
        let fair = runners > 1 ? list.pointee.liveCount / (2 * runners) : list.pointee.liveCount
        let most = min(limit, 1 + fair)
        var count = 1
        var lastSequence: UInt64 = 0
        while count < most, let entry = list.pointee.first(level: level, isLive: { isLive($0) }) {
            list.pointee.removeFirst(level: level)
            let next = store.pointer(entry.slot)
            next.pointee.phase = .claimed
            ids[count] = OperationID(slot: entry.slot, generation: next.pointee.generation)
            count += 1
            lastSequence = entry.sequence
            if next.pointee.firstDependent != .max { break }
        }
        if count > 1 { queue.pointee.noteClaimed(count - 1, until: (level, lastSequence)) }
        if list.pointee.liveCount == 0 { leaveRoundRobin(index, lane) }
        return count
    }

    /// The claim's current operation has succeeded, and its worker has continued with the next one in the
    /// same slot.
    mutating func claimAdvanced(from id: OperationID, to next: OperationID) {
        let record = store.pointer(id.slot)
        let following = store.pointer(next.slot)
        let held = record.pointee.flags.intersection(Self.claimFlags)
        record.pointee.flags.subtract(held)
        bodyEnded(id, failed: false)
        following.pointee.flags.formUnion(held)
        following.pointee.flags.remove(.retrying)
        queues.pointer(Int(following.pointee.queue)).pointee.claimedCount -= 1
        if isLogging { noteBefore(id) }
        execute(following, next.slot)
    }

    /// A claimed operation returns to the ready list, to its place in the order of addition.
    mutating func unclaimed(_ id: OperationID) {
        let record = store.pointer(id.slot)
        queues.pointer(Int(record.pointee.queue)).pointee.claimedCount -= 1
        insertReady(id.slot)
    }

    /// A worker has taken the block of an operation, whose end then has no consequences; or it has put the block back,
    /// which has to be released if the operation ends now.
    @inline(__always)
    mutating func blockMoved(_ id: OperationID, toWorker: Bool) {
        let record = store.pointer(id.slot)
        record.pointee.flags.remove(toWorker ? .hasHandle : .released)
        record.pointee.flags.insert(toWorker ? .released : .hasHandle)
    }

    /// Whether an operation is in a claim and has not started.
    func isClaimed(_ id: OperationID) -> Bool { store.live(id)?.pointee.phase == .claimed }

    /// The slot and share of a claim, which pass from each of its operations to the next.
    private static let claimFlags: OperationRecord.Flags = [.holdsSlot, .holdsJob, .holdsShare]
}
