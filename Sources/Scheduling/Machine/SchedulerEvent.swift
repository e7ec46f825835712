/// Something that happened to an operation or a queue; events are in the order in which they happened.
package struct SchedulerEvent: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
        /// All its dependencies are released.
        case ready
        /// A dependency was added to it: it is no longer ready.
        case notReady
        case started
        /// An attempt failed; the reader decides whether another one follows.
        case attemptFailed
        /// An attempt failed; another one follows. `other` is not used.
        case retrying
        /// It was cancelled indirectly: by its group, its queue or `failFast`, not by a call for the operation itself.
        case cancelled
        /// An attempt's time ran out while it executed.
        case timedOut
        /// It has an outcome; `other` is the dependency because of which it did not run, or the first failure
        /// inside.
        case finished
        /// The reader may start an operation of `queue`.
        case readerTicket
        /// Its turn has come in a queue that another executor runs: the reader has to run its body.
        case externalTicket
    }

    package var id: OperationID
    package var other: OperationID
    package var kind: Kind
    package var outcome: OperationOutcome
    /// Whether an executing body has to be notified (`cancelled`).
    package var wasExecuting: Bool
    /// Whether the reader caused it and has shown its effect since.
    package var isShown = false

    package init(
        id: OperationID,
        other: OperationID = .none,
        kind: Kind,
        outcome: OperationOutcome = .succeeded,
        wasExecuting: Bool = false
    ) {
        self.id = id
        self.other = other
        self.kind = kind
        self.outcome = outcome
        self.wasExecuting = wasExecuting
    }

    /// The event that the reader may start an operation of a queue.
    static func readerTicket(_ queue: UInt32) -> SchedulerEvent {
        SchedulerEvent(id: OperationID(slot: queue, generation: 0), kind: .readerTicket)
    }

    /// The queue of a `readerTicket`.
    package var queue: QueueID { QueueID(index: id.slot) }
}

/// A task of the shell after an input, outside the lock.
package enum SchedulerAction: Sendable {
    /// Run the body as a Swift task.
    case startTask(OperationID)
    /// Notify the executing body that it is cancelled.
    case cancelBody(OperationID)
    /// Notify the executor that runs a queue of a step of an operation in it.
    case external(ExternalStep, OperationID, queue: UInt32)

    /// A step of an operation in a queue that another executor runs.
    package enum ExternalStep: Sendable {
        case added(OperationPriority)
        case ready
        case priority(OperationPriority)
        case cancelled
        /// It ended for good, or is added again.
        case left(isForGood: Bool)
    }
}

/// Why an input was refused.
///
/// The caller names the operations, since it knows their names.
package enum SchedulingFailure: Error, Equatable {
    case unknownOperation
    case alreadyInQueue(OperationID)
    case alreadyExecuting(OperationID)
    case alreadyFinished(OperationID)
    case isGate(OperationID)
    case notReady(OperationID)
    case dependsOnItself
    /// The operations along the cycle; the first one is not repeated.
    case cycle([OperationID])
    case unknownResource(OperationID, String)
    case notEnoughResource(OperationID, String, needed: Int, total: Int)
    case unknownQueue
    case repeatedInList(OperationID)
    case notStarted(OperationID)
}
