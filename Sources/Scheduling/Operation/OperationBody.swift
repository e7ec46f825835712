/// What an operation does when it executes.
///
/// The shell calls it outside its lock.
package protocol OperationBody: AnyObject, Sendable {
    /// Does the work, on a worker thread. Throwing makes the attempt fail.
    func execute() throws

    /// Does the work of an operation on the task lane.
    func executeAsTask() async throws

    /// Told on any thread, while it executes, that it was cancelled or that its time ran out.
    func cancelExecution()

    /// Told under the scheduler's lock how its operation ended, before anybody else can know. Only for operations
    /// with a handle; must do no more than remember it, and what the body threw.
    func operationDecided(_ outcome: OperationOutcome, error: (any Error)?)

    /// Told on any thread, outside any lock, that its operation has finished. Only for operations with a handle.
    func operationFinished()
}

extension OperationBody {
    package func executeAsTask() async throws { try execute() }
    package func operationDecided(_ outcome: OperationOutcome, error: (any Error)?) {}
    package func operationFinished() {}
}

/// Runs operations of which the scheduler has no body.
package protocol OperationRunner: AnyObject, Sendable {
    /// Does the work of an operation that executes, on a worker thread. Throwing makes the attempt fail.
    func execute(_ id: OperationID) throws

    /// An operation that executes was cancelled, or its time ran out.
    ///
    /// Called under the scheduler's lock, what it returns outside.
    func cancel(_ id: OperationID) -> (@Sendable () -> Void)?
}
