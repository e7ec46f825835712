/// Runs the operations of a queue that does not belong to the scheduler: an adopted queue of the host.
///
/// The scheduler decides when an operation is ready; the executor decides when its turn is, and then calls
/// ``ExternalTicket/run()``. The executor's functions are called one at a time, in the order of the events in the
/// scheduler, on any thread and outside any lock. Each `added` is followed by one `left`.
package protocol ExternalExecutor: AnyObject, Sendable {
    /// An operation is in the queue. Its turn may not come before it is ready.
    func added(_ ticket: ExternalTicket)

    /// The operation waits only for its turn.
    func becameReady(_ ticket: ExternalTicket)

    /// Its priority has changed.
    func priorityChanged(_ ticket: ExternalTicket, to priority: OperationPriority)

    /// It was cancelled; if it executes, the scheduler notifies its body.
    func cancelled(_ ticket: ExternalTicket)

    /// The operation has ended, or waits again (for a dependency or another attempt); in the second case it
    /// will be added once more.
    func left(_ ticket: ExternalTicket)
}
