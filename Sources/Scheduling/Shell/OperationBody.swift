/// The code of an operation.
///
/// The shell calls it outside its lock.
package protocol OperationBody: AnyObject, Sendable {
    /// Does the work, on a worker thread. If it throws, the attempt fails.
    func execute() throws

    /// Does the work of an operation on the task lane.
    func executeAsTask() async throws

    /// Called on any thread, while the body executes, when it was cancelled or its time ran out.
    func cancelExecution()

    /// Called under the scheduler's lock with the outcome of its operation, before any other code can know
    /// it. Only for operations with a handle. An implementation may only store the outcome and the error that
    /// the body threw.
    func operationDecided(_ outcome: OperationOutcome, error: (any Error)?)

    /// Called on any thread, outside any lock, when its operation has finished. Only for operations with a handle.
    func operationFinished()
}

extension OperationBody {
    package func executeAsTask() async throws { try execute() }
    package func operationDecided(_ outcome: OperationOutcome, error: (any Error)?) {}
    package func operationFinished() {}
}
