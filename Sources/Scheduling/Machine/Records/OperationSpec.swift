/// What an owner specifies about an operation when it makes or adds it.
package struct OperationSpec: Sendable {
    package var lane: ExecutionLane = .worker
    package var priority: OperationPriority = .normal
    package var allowsFailure = false
    package var isGate = false
    /// Whether readiness, start and end go to the event log.
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
