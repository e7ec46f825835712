/// A record's data about one operation: numbers only, 96 bytes.
struct OperationRow: BitwiseCopyable {
    /// The value for a moment that did not come.
    static let never = Int64.min
    /// The value for no operation, name, place or queue.
    static let nothing = UInt32.max

    /// Moments in nanoseconds on the engine's clock.
    var made: Int64
    var added = Self.never
    var ready = Self.never
    var started = Self.never
    var ended = Self.never
    var delivered = Self.never
    /// Distinguishes operations of an engine.
    var identity: UInt64
    /// Indices into the lists of the record.
    var name = Self.nothing
    var work = Self.nothing
    var place = Self.nothing
    var queue = Self.nothing
    /// Rows of the operations that were the cause of its addition, its readiness and its start.
    var addedBy = Self.nothing
    var readyBy = Self.nothing
    var startedBy = Self.nothing
    /// The place of its last dependency in the list; each dependency refers to the one before.
    var lastDependency = Self.nothing
    var runner = RecordedRunner.none.code
    var attempts: UInt16 = 0
    var addedCause = ReleaseCause.script
    var readyCause = ReleaseCause.addition
    var startCause = ReleaseCause.addition
    /// The outcome in the lower seven bits, and above whether it is a step.
    var ending = Self.noOutcome

    private static let noOutcome: UInt8 = 0x7f
    private static let stepBit: UInt8 = 0x80

    /// Raw value of the outcome; `.max` before the end.
    var outcome: UInt8 {
        get { ending & Self.noOutcome == Self.noOutcome ? .max : ending & Self.noOutcome }
        set { ending = ending & Self.stepBit | newValue & Self.noOutcome }
    }
    /// Whether a wait submitted it.
    var isStep: Bool {
        get { ending & Self.stepBit != 0 }
        set { ending = ending & Self.noOutcome | (newValue ? Self.stepBit : 0) }
    }
}

/// A dependency of an operation on another one: 8 bytes.
struct DependencyRow: BitwiseCopyable {
    /// The place of the previous dependency of the same operation; `nothing` for the first.
    let previous: UInt32
    /// The row of the other one in the lower 29 bits, the condition above.
    private let packed: UInt32

    init(after previous: UInt32, on other: UInt32, _ condition: RecordedCondition) {
        self.previous = previous
        packed = other & 0x1fff_ffff | UInt32(condition.rawValue) << 29
    }

    var other: UInt32 { packed & 0x1fff_ffff }
    var condition: RecordedCondition { RecordedCondition(rawValue: UInt8(packed >> 29)) ?? .finished }
}

/// An attempt of an operation: 48 bytes.
struct AttemptRow: BitwiseCopyable {
    var operation: UInt32
    var runner: UInt16
    var readyCause: ReleaseCause
    var startCause: ReleaseCause
    /// Rows of the operations that were the cause of its readiness and its start.
    var readyBy: UInt32
    var startedBy: UInt32
    var ready: Int64
    /// When it was submitted to a cluster; `never` if it ran in this process.
    var submitted: Int64
    var started: Int64
    /// `never` if it has not ended.
    var ended: Int64

    /// The attempt that an operation has begun last.
    init(of operation: UInt32, _ row: OperationRow, submitted: Int64?, ended: Int64) {
        self.operation = operation
        self.submitted = submitted ?? OperationRow.never
        self.ended = ended
        runner = row.runner
        readyCause = row.readyCause
        startCause = row.startCause
        readyBy = row.readyBy
        startedBy = row.startedBy
        ready = row.ready
        started = row.started
    }

    /// When it began to execute, for the scheduler: when it was submitted, or when it started.
    var handedOver: Int64 { submitted == OperationRow.never ? started : submitted }

    /// The cause for which it waited when the operation was ready.
    var startWait: ReleaseCause {
        if startCause != .addition { return startCause }
        if case .worker = RecordedRunner(code: runner) { return .worker }
        return .script
    }
}
