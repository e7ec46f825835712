internal import Scheduling

/// Dispatch queues, groups, semaphores and work items.
///
/// Owns the global queues. Called by their bindings.
final class DispatchObjects: RuntimePart {
    let queues: Queues
    let operations: Operations
    let waits: Waits
    let bodies: Bodies

    /// The global concurrent queues, by quality of service.
    var globalQueues: [OperationQualityOfService: ScriptQueue] = [:]

    /// The order in which a turn serves them.
    var globalTurns = GlobalTurns()

    /// The global queues that a turn serves, if a global queue requested it; nil for the turn of another queue.
    func globalQueues(servedInTurnOf queue: QueueID) -> [QueueID]? {
        // An exploration chooses among the turns itself.
        if runtime.virtualTime.simulation?.choices != nil { return nil }
        return globalTurns.queues(servedInTurnOf: queue)
    }

    init(
        _ foundation: RuntimeFoundation,
        queues: Queues,
        operations: Operations,
        waits: Waits,
        bodies: Bodies
    ) {
        self.queues = queues
        self.operations = operations
        self.waits = waits
        self.bodies = bodies
        super.init(foundation)
    }
}
