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

    /// Whether ``operationFinished()`` calls code of the host's, which may take long. Asked under the lock.
    var callsHostAtEnd: Bool { get }
}

extension OperationBody {
    package func executeAsTask() async throws { try execute() }
    package func operationDecided(_ outcome: OperationOutcome, error: (any Error)?) {}
    package func operationFinished() {}
    package var callsHostAtEnd: Bool { false }
}
