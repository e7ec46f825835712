internal import Scheduling

/// The order in which a turn of the script thread serves the global queues.
///
/// A turn that one global queue requested serves all of them until one starts something: as with workers, the highest
/// class goes first, and one turn in sixteen begins with the lowest one. A queue that has nothing to start leaves the
/// turn to the next one, so no turn is lost.
struct GlobalTurns {
    private struct Member {
        let queue: QueueID
        let quality: OperationQualityOfService
    }

    /// The global queues that were used, the highest class first.
    private var members: [Member] = []
    private var count = 0
    /// Whether there are several global queues.
    var chooses: Bool { members.count > 1 }

    /// Adds a queue that is used for the first time.
    mutating func add(_ queue: QueueID, _ quality: OperationQualityOfService) {
        members.append(Member(queue: queue, quality: quality))
        members.sort { $0.quality.rawValue > $1.quality.rawValue }
    }

    /// The queues that a turn serves, in this order, if a global queue requested it; nil for the turn of another queue.
    mutating func queues(servedInTurnOf queue: QueueID) -> [QueueID]? {
        guard members.contains(where: { $0.queue == queue }) else { return nil }
        count &+= 1
        let queues = members.map(\.queue)
        return count & 15 == 0 ? queues.reversed() : queues
    }
}
