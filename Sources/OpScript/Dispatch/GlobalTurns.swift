internal import Scheduling

/// Decides which global queue a turn of the script thread is for.
///
/// As with workers, the highest class goes first, and one turn in sixteen is for the lowest one.
///
/// The turns of global queues keep their places among all turns; only the queues change places.
struct GlobalTurns {
    private struct Member {
        let queue: QueueID
        let quality: OperationQualityOfService
        /// How many turns it has requested and not received.
        var pending = 0
    }

    /// The global queues that were used, the lowest class first.
    private var members: [Member] = []
    private var count = 0
    /// Whether there are several global queues. Otherwise a turn is for the queue that requested it, and
    /// nothing is counted.
    var chooses: Bool { members.count > 1 }

    /// Adds a queue that is used for the first time.
    ///
    /// - Parameter asked: Returns the number of turns that a global queue has requested and not received yet.
    mutating func add(
        _ queue: QueueID,
        _ quality: OperationQualityOfService,
        asked: (QueueID) -> Int
    ) {
        if members.count == 1 { members[0].pending = asked(members[0].queue) }
        members.append(Member(queue: queue, quality: quality))
        members.sort { $0.quality.rawValue < $1.quality.rawValue }
    }

    /// A queue requested a turn.
    mutating func asked(_ queue: QueueID) {
        guard let place = members.firstIndex(where: { $0.queue == queue }) else { return }
        members[place].pending += 1
    }

    /// The queue that receives a turn which another queue requested.
    mutating func take(from queue: QueueID) -> QueueID {
        guard members.contains(where: { $0.queue == queue }) else { return queue }
        count &+= 1
        let chosen =
            count & 15 == 0
            ? members.firstIndex { $0.pending > 0 } : members.lastIndex { $0.pending > 0 }
        guard let chosen else { return queue }
        members[chosen].pending -= 1
        return members[chosen].queue
    }
}
