/// Something that happened to an operation or a queue, in eight bytes; events are in the order in which they happened.
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
        /// It has an outcome.
        case finished
        /// The reader may start an operation of `queue`.
        case readerTicket
        /// Its turn has come in a queue that another executor runs: the reader has to run its body.
        case externalTicket
    }

    /// The slot of the operation; for a `readerTicket`, the index of the queue.
    package let slot: UInt32
    /// The lower half of the operation's generation. Only the reader frees the slots of its operations, so no slot gets
    /// a generation with the same half while an event waits to be read.
    private let generation: UInt16
    package let kind: Kind
    /// The outcome in the lowest bits, and two marks.
    private var details: UInt8

    private static let outcomeMask: UInt8 = 0b111
    private static let executingMark: UInt8 = 1 << 3
    private static let shownMark: UInt8 = 1 << 4

    init(id: OperationID, kind: Kind, outcome: OperationOutcome = .succeeded, wasExecuting: Bool = false) {
        slot = id.slot
        generation = UInt16(truncatingIfNeeded: id.generation)
        self.kind = kind
        details = outcome.rawValue | (wasExecuting ? Self.executingMark : 0)
    }

    /// The event that the reader may start an operation of a queue.
    static func readerTicket(_ queue: UInt32) -> SchedulerEvent {
        SchedulerEvent(id: OperationID(slot: queue, generation: 0), kind: .readerTicket)
    }

    /// The queue of a `readerTicket`.
    package var queue: QueueID { QueueID(index: slot) }

    /// Whether it is about an operation that the reader has not released.
    package func isAbout(_ id: OperationID) -> Bool {
        id.slot == slot && UInt16(truncatingIfNeeded: id.generation) == generation
    }

    /// How the operation ended (`finished`).
    package var outcome: OperationOutcome {
        OperationOutcome(rawValue: details & Self.outcomeMask) ?? .failed
    }

    /// Whether the operation executed when it ended (`finished`), or its executing body has to be notified
    /// (`cancelled`, `timedOut`).
    package var wasExecuting: Bool { details & Self.executingMark != 0 }

    /// Whether the reader caused it and has shown its effect since.
    package var isShown: Bool { details & Self.shownMark != 0 }

    /// The reader shows its effect at once.
    mutating func markShown() { details |= Self.shownMark }
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
