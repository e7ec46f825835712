/// What keeps an operation from starting or ending; for diagnoses.
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
    /// A group waits for what is inside.
    case inside(OperationID)
    /// It is inside a group that has not started.
    case unstartedGroup(OperationID)
    /// Waits for what was added before a barrier.
    case barrier(before: OperationID)
    /// There is too little of a resource; these operations hold some of it.
    case resource(String, heldBy: [OperationID])
    /// There is enough of a resource, but it is kept for an operation that goes before this one.
    case resourceKept(String, for: OperationID)
    case time
    case nothing
}
