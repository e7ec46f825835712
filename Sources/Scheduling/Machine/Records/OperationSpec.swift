/// The properties of an operation that its owner specifies when it creates or adds the operation.
package struct OperationSpec: Sendable {
    package var lane: ExecutionLane = .worker
    package var priority: OperationPriority = .normal
    package var allowsFailure = false
    package var isGate = false
    /// Whether the event log reports readiness, start and end.
    package var reports = false
    /// Whether a Swift handle is notified of the end.
    package var hasHandle = false
    /// Nanoseconds an attempt may execute; 0 for no limit.
    package var timeout: Int64 = 0
    package var retry: RetryPolicy?
    /// Names and amounts.
    package var resources: [(name: String, amount: Int)] = []

    package init() {}
}
