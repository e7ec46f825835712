/// Receives the facts of a run, in batches, on the script thread.
///
/// The engine makes facts only while there is a sink. A sink must return soon: the script waits for it.
public protocol RunSink: AnyObject, Sendable {
    /// A run begins.
    func runBegan(_ run: RunHeader)
    /// Facts, in the order in which the script thread learned of them.
    func received(_ facts: RunFacts)
    /// An operation failed.
    func operationFailed(_ failure: RecordedFailure)
    /// An operation was added to a queue for the first time, or the settings of such a queue changed.
    func queueChanged(_ queue: QueueSettings)
    /// The run has ended; no more facts of it follow.
    func runEnded(_ record: RunRecord)
}

extension RunSink {
    /// Does nothing.
    public func runBegan(_ run: RunHeader) {}
    /// Does nothing.
    public func received(_ facts: RunFacts) {}
    /// Does nothing.
    public func operationFailed(_ failure: RecordedFailure) {}
    /// Does nothing.
    public func queueChanged(_ queue: QueueSettings) {}
    /// Does nothing.
    public func runEnded(_ record: RunRecord) {}
}

/// The properties of a run that are known when it begins.
public struct RunHeader: Sendable, Hashable {
    /// The name of the script.
    public let name: String
    /// Whether time is virtual.
    public let isVirtual: Bool
    /// The seed of all randomness; nil if there is none.
    public let seed: UInt64?
    /// How many closures of queues without a width run at once.
    public let workers: Int

    /// Makes a header.
    public init(name: String, isVirtual: Bool, seed: UInt64?, workers: Int) {
        self.name = name
        self.isVirtual = isVirtual
        self.seed = seed
        self.workers = workers
    }
}

/// A fact, in 16 bytes.
public struct RunFact: Sendable, Hashable, BitwiseCopyable {
    /// The kind of a fact.
    public enum Kind: UInt8, Sendable, BitwiseCopyable {
        /// An operation was added.
        case added
        /// It is ready.
        case ready
        /// An attempt began.
        case started
        /// Its body is on a node of a cluster from now on, or waits for one.
        case moved
        /// An attempt ended, and another one follows.
        case retrying
        /// It was cancelled, or its time ran out.
        case cancelled
        /// It ended.
        case succeeded, failed, wasCancelled, skipped
        /// A timer fired; the number is the timer's.
        case fired
        /// The script printed a line; the number is the index of the text in the batch.
        case printed
    }

    /// The kind of the fact.
    public let kind: Kind
    /// The number of the operation in the record. For `fired` and `printed`, these kinds say what it is.
    public let number: UInt32
    /// When the script thread learned of it, in nanoseconds since the beginning of the run.
    public let moment: Int64
}

/// Facts that a sink receives together. Only valid during the call.
public struct RunFacts {
    /// The facts.
    public let facts: [RunFact]
    /// The texts of facts that have one.
    public let texts: [String]
    private let storage: RecordStorage
    private let begin: Int64

    init(_ facts: [RunFact], _ texts: [String], _ storage: RecordStorage, _ begin: Int64) {
        self.facts = facts
        self.texts = texts
        self.storage = storage
        self.begin = begin
    }

    /// The name of an operation.
    public func name(of number: UInt32) -> String {
        let row = storage.rows[Int(number)]
        return storage.text(row.name) ?? storage.text(row.work) ?? "operation"
    }

    /// The present data about an operation.
    public func operation(_ number: UInt32) -> RecordedOperation {
        storage.operation(Int(number), from: begin)
    }

    /// The index of an operation's name, by which names can be compared without comparing text.
    package func nameIndex(of number: UInt32) -> UInt32 {
        let row = storage.rows[Int(number)]
        return row.name == OperationRow.nothing ? row.work : row.name
    }

    /// The row of an operation, in its memory.
    @inline(__always)
    func row(_ number: UInt32) -> UnsafePointer<OperationRow> {
        UnsafePointer(storage.rows.pointer(Int(number)))
    }

    /// Nanoseconds since the beginning of the run.
    func sinceBegin(_ moment: Int64) -> Int64 { moment - begin }

    /// The name with an index.
    package func name(at index: UInt32) -> String { storage.text(index) ?? "operation" }
}
