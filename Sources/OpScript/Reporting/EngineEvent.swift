internal import Scheduling

/// An event of an operation, a timer or a queue: numbers and addresses, which are valid during the report.
///
/// It has no text. A subscriber that shows a name or an error reads it from the operation.
struct EngineEvent {
    enum Kind {
        // Of the audience `life`:

        /// The operation was added to a queue, or started by hand.
        case added
        /// Its dependencies are released.
        case ready
        /// An attempt began.
        case started
        /// An attempt ended, and another one follows.
        case retrying
        /// It was cancelled, or its time ran out.
        case cancelled
        /// It ended; the operation has the outcome.
        case ended
        /// A timer with this number fired.
        case fired(UInt64)

        // Of the audience `record`:

        case made
        case dependency(on: OperationPointer, DependencyCondition)
        case renamed
        /// It failed, and the failure has this place in the report.
        case failure(at: Int)
        /// The script has taken the failure with this place in the report.
        case failureHandled(at: Int)
        /// The width or the suspension of a queue changed.
        case queueChanged(QueueID)
        /// Its body is on the runner with this code from now on.
        case moved(UInt16)
        /// The script printed a line.
        case printed(UnsafeRawBufferPointer)

        // Of the audience `submission`:

        /// It is about to be added to a queue, or started by hand.
        case submission(to: QueueID?)
        /// It was not added after all.
        case refusal

        // Of the audience `bodies`:

        /// Its last attempt ended; the script does not see the end yet, so the view still has the start.
        case bodyEnded(OperationOutcome)
    }

    /// The subscribers that receive a kind of event.
    struct Audience: OptionSet {
        let rawValue: UInt32
        /// The life of operations, and timers.
        static let life = Audience(rawValue: 1 << 0)
        /// Everything else that a record of the run keeps.
        static let record = Audience(rawValue: 1 << 1)
        /// Operations before they are handed over.
        static let submission = Audience(rawValue: 1 << 2)
        /// Bodies that have ended.
        static let bodies = Audience(rawValue: 1 << 3)
    }

    let kind: Kind
    /// Nil for events of timers, queues and the run.
    let operation: OperationPointer?
    /// When the script thread learned of it, in nanoseconds on the scheduler's clock. For the audience `life` it does
    /// not decrease; 0 for events that need no moment.
    var moment: Int64

    /// Distinguishes operations and timers of the engine; a timer's has the highest bit set.
    var identity: UInt64 {
        if case .fired(let timer) = kind { return 1 << 63 | timer }
        return operation?.pointee.id.eventIdentity ?? 0
    }
}

extension EngineEvent.Kind {
    /// The audience; a constant where the kind is.
    @inline(__always)
    var audience: EngineEvent.Audience {
        switch self {
        case .added, .ready, .started, .retrying, .cancelled, .ended, .fired: .life
        case .made, .dependency, .renamed, .failure, .failureHandled, .queueChanged, .moved, .printed: .record
        case .submission, .refusal: .submission
        case .bodyEnded: .bodies
        }
    }
}
