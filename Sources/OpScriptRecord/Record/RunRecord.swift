/// The record of a run: every operation with its moments, its causes and its outcome.
///
/// An immutable value; copies share their memory. It takes about 100 bytes for each operation, and stores
/// each name once. Moments are nanoseconds since the beginning of the run, by the engine's clock: virtual
/// ones on virtual time.
public struct RunRecord: Sendable {
    /// The name of the script.
    public let name: String
    /// Whether time was virtual.
    public let isVirtual: Bool
    /// The seed of all randomness; nil if there was none.
    public let seed: UInt64?
    /// How many closures of queues without a width run at once.
    public let workers: Int
    /// Nanoseconds from the beginning of the run to its end.
    public let duration: Int64
    /// The end of the run.
    public let end: RunEnd
    let begin: Int64
    let storage: RecordStorage

    /// The queues that operations were in.
    public var queues: [RecordedQueue] { storage.queues }
    /// The failures, in the order in which they happened.
    public var failures: [RecordedFailure] { storage.failures }
    /// How the operations of a plan would be submitted to a cluster, by their numbers.
    ///
    /// Empty for a run that is not a plan. Operations that would run in this process are not in it.
    public var submissions: [Int: RecordedSubmission] { storage.submissions }
    /// All operations, in the order in which they were made.
    public var operations: RecordedOperations { RecordedOperations(record: self) }

    init(
        name: String,
        isVirtual: Bool,
        seed: UInt64?,
        workers: Int,
        begin: Int64,
        ended: Int64,
        end: RunEnd,
        storage: RecordStorage
    ) {
        self.name = name
        self.isVirtual = isVirtual
        self.seed = seed
        self.workers = workers
        self.begin = begin
        duration = max(0, ended - begin)
        self.end = end
        self.storage = storage
    }
}

/// The operations of a record, by their numbers.
public struct RecordedOperations: RandomAccessCollection, Sendable {
    let record: RunRecord

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many operations there are.
    public var endIndex: Int { record.storage.rows.count }

    /// The operation with a number.
    public subscript(number: Int) -> RecordedOperation {
        record.storage.operation(number, from: record.begin)
    }
}

/// A queue of a record.
public struct RecordedQueue: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// How many of its operations may execute at once; nil for no limit.
    public let width: Int?
    /// The number of the group operation whose operations are in it; nil for any other queue.
    public let group: Int?

    /// Makes the description of a queue.
    package init(name: String, width: Int?, group: Int? = nil) {
        self.name = name
        self.width = width
        self.group = group
    }
}

/// How an operation of a plan would be submitted to a cluster.
public struct RecordedSubmission: Sendable, Hashable {
    /// The name of the cluster.
    public let cluster: String
    /// The command and its options.
    public let command: String
    /// Whether the command starts a pilot, which takes one operation after the other.
    public let isForPilots: Bool

    package init(cluster: String, command: String, isForPilots: Bool) {
        (self.cluster, self.command, self.isForPilots) = (cluster, command, isForPilots)
    }
}

/// A failure of a record.
public struct RecordedFailure: Sendable, Hashable {
    /// The number of the operation that failed; nil if it is not in the record.
    public let operation: Int?
    /// Its name.
    public let name: String
    /// The place where it was created.
    public let place: String
    /// The error's text, with the end of the output of a process that failed.
    public let message: String
    /// The place where the error was raised.
    public let traceback: String?
    /// Nanoseconds since the beginning of the run.
    public let moment: Int64
    /// Whether the script has handled it: `allowsFailure`, or a wait takes it. A wait may take it later: a sink learns
    /// of it when it happens, and the record of a run that has ended is complete.
    public internal(set) var isHandled: Bool

    package init(
        operation: Int?,
        name: String,
        place: String,
        message: String,
        traceback: String?,
        moment: Int64,
        isHandled: Bool = false
    ) {
        self.operation = operation
        self.name = name
        self.place = place
        self.message = message
        self.traceback = traceback
        self.moment = moment
        self.isHandled = isHandled
    }
}

/// The end of a run.
public enum RunEnd: Sendable, Hashable {
    /// The script and all its operations ended.
    case finished
    /// An error of the script ended it: its text.
    case failed(String)
    /// It was cancelled, by a signal or by the host.
    case cancelled
    /// A limit ended it: the sentence about it.
    case limit(String)
    /// The script called `os.exit` with this status.
    case exited(Int)
    /// The run was a plan: nothing ran.
    case planned

    /// Whether the run ended before its work did.
    public var isEarly: Bool {
        switch self {
        case .finished, .planned: false
        case .failed, .cancelled, .limit, .exited: true
        }
    }

    /// A sentence, or a few words.
    public var text: String {
        switch self {
        case .finished: "finished"
        case .failed(let error): "ended by an error: \(error)"
        case .cancelled: "interrupted: the record ends at that moment"
        case .limit(let sentence): "ended by a limit: \(sentence)"
        case .exited(let status): "ended by os.exit(\(status)): the record ends at that moment"
        case .planned: "planned: nothing has run"
        }
    }

    /// One word, for programs.
    public var word: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .limit: "limit"
        case .exited: "exited"
        case .planned: "planned"
        }
    }
}
