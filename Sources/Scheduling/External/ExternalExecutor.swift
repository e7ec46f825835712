/// Runs what is put into a queue that is not the scheduler's: an adopted queue of the host's.
///
/// The scheduler decides when an operation is ready; the executor decides when its turn is, and then calls
/// ``ExternalTicket/run()``. It is told of everything one call at a time, in the order in which it happened in the
/// scheduler, on any thread and outside any lock. Each `added` is followed by one `left`.
package protocol ExternalExecutor: AnyObject, Sendable {
    /// An operation is in the queue. Its turn may not come before it is ready.
    func added(_ ticket: ExternalTicket)

    /// Nothing but its turn holds the operation back.
    func becameReady(_ ticket: ExternalTicket)

    /// Its priority is another one now.
    func priorityChanged(_ ticket: ExternalTicket, to priority: OperationPriority)

    /// It was cancelled; where it executes its body is told by the scheduler.
    func cancelled(_ ticket: ExternalTicket)

    /// The operation has ended, or has to wait again (a dependency, another attempt), and is then added once more.
    func left(_ ticket: ExternalTicket)
}
