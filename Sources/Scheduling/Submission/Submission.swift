/// A submission of the reader without the lock: an operation on its way into a queue, or a dependency.
///
/// The body is in its place already (``SchedulerCore/bodyPlace(_:)``).
///
/// Neither can be refused. An operation that is added needs no resources, and is not a barrier. An operation that gets
/// a dependency is in no queue and nothing depends on it, so the dependency closes no cycle; and it does not depend on
/// the other operation yet.
///
/// Moved and never copied. One flat record of 48 bytes, because a move between an enum's payload and the ring costs a
/// tenth of an addition.
package struct Submission: ~Copyable {
    let id: OperationID
    /// The queue of an addition.
    let queue: QueueID
    package var lane = ExecutionLane.worker
    package var priority = OperationPriority.normal
    package var allowsFailure = false
    /// Whether it is a dependency.
    let isDependency: Bool
    let condition: DependencyCondition
    /// The dependency came with an argument: a later call cannot weaken it.
    package var isStrict = false
    /// The reader knows that the operation is not ready now, and no event that says otherwise is on its way.
    package var isKnownToReader = false
    /// The operation that a dependency waits for.
    let other: OperationID
    /// Nanoseconds an attempt may execute; 0 for no limit.
    package var timeout: Int64 = 0
    package var retry: RetryBox?

    /// An operation is added to a queue.
    package init(adding id: OperationID, to queue: QueueID) {
        self.id = id
        self.queue = queue
        isDependency = false
        condition = .notFailed
        other = .none
    }

    /// An operation depends on another one from now on.
    package init(_ id: OperationID, dependsOn other: OperationID, when condition: DependencyCondition) {
        self.id = id
        self.other = other
        self.condition = condition
        isDependency = true
        queue = QueueID(index: 0)
    }
}
