/// The reason why an operation does not start or end; for diagnoses.
package enum Obstacle: Sendable, Equatable {
    /// It is in no queue.
    case notAdded
    case suspended(QueueID)
    /// The queue's width is 0.
    case noWidth(QueueID)
    /// All slots are taken.
    case noSlot(QueueID, by: [OperationID])
    case dependency(OperationID)
    /// Its end has not been reported.
    case executing
    /// A group waits for the operations inside it.
    case inside(OperationID)
    /// It is inside a group that has not started.
    case unstartedGroup(OperationID)
    /// Waits for the operations that were added before a barrier.
    case barrier(before: OperationID)
    /// Too little of a resource is available; these operations hold some of it.
    case resource(String, heldBy: [OperationID])
    /// Enough of a resource is available, but it is reserved for an operation that goes before this one.
    case resourceKept(String, for: OperationID)
    case time
    case nothing
}
