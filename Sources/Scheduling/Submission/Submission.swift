/// An operation on its way into a queue whose addition cannot be refused: it needs no resources, and is not a
/// barrier.
///
/// Moved and never copied.
package struct PlainAddition: ~Copyable {
    var id: OperationID
    var queue: QueueID
    package var lane = ExecutionLane.worker
    package var priority = OperationPriority.normal
    package var allowsFailure = false
    /// Nanoseconds an attempt may execute; 0 for no limit.
    package var timeout: Int64 = 0
    package var retry: RetryPolicy?
    package var body: (any OperationBody)?

    package init(_ id: OperationID, to queue: QueueID) {
        self.id = id
        self.queue = queue
    }
}

/// A dependency that cannot be refused: `id` is in no queue and nothing depends on it, so the dependency closes no
/// circle, and `id` does not depend on `other` yet.
package struct PlainDependency {
    let id: OperationID
    let other: OperationID
    let condition: DependencyCondition
    /// It came with an argument: a later call cannot weaken it.
    package var isStrict = false
    /// The reader knows that the operation is not ready now, and no event that says otherwise is on its way.
    package var isKnownToReader = false

    package init(_ id: OperationID, on other: OperationID, when condition: DependencyCondition) {
        self.id = id
        self.other = other
        self.condition = condition
    }
}

/// What one thread submits to the scheduler without the lock.
enum Submission: ~Copyable {
    case addition(PlainAddition)
    case dependency(PlainDependency)
}
