/// An operation in the record of a run.
///
/// Moments are nanoseconds since the beginning of the run; nil for a moment that did not come.
public struct RecordedOperation: Sendable, Hashable {
    /// The place in the record, from 0 on: the order in which operations were made.
    public let number: Int
    /// Distinguishes operations of an engine; the same as in its events.
    public let identity: UInt64
    /// Its name: its own, or that of its work.
    public let name: String
    /// The name of its work; nil for a function of the script, a group or a gate.
    public let work: String?
    /// The place where the script created it: `job.lua:7`.
    public let place: String
    /// Its queue, as an index into ``RunRecord/queues``; nil if it was in none.
    public let queue: Int?
    /// Whether a wait submitted it: then it is a step of the operation whose body waits, and in no sum of outcomes.
    public let isStep: Bool
    /// Its dependencies.
    public let dependencies: [RecordedDependency]
    /// How many attempts have begun.
    public let attempts: Int
    /// When it was made.
    public let made: Int64
    /// When it was added to a queue, or started by hand.
    public let added: Int64?
    /// When its last dependency was released.
    public let ready: Int64?
    /// When its last attempt was submitted to a cluster; nil if it ran in this process.
    public let submitted: Int64?
    /// When its last attempt began; on a cluster, when it came to a node.
    public let started: Int64?
    /// When it ended.
    public let ended: Int64?
    /// When the script learned of its end.
    public let delivered: Int64?
    /// The place where its last attempt ran.
    public let runner: RecordedRunner
    /// Its outcome.
    public let outcome: RecordedOutcome?
    /// The cause of its addition.
    public let addition: RecordedRelease
    /// The cause of its readiness.
    public let readiness: RecordedRelease
    /// The cause of its start, or of its submission to a cluster: the last obstacle that was removed after it was
    /// ready; `addition` if there was none.
    public let start: RecordedRelease

    /// Nanoseconds that its last attempt took; 0 if it did not run.
    public var duration: Int64 {
        guard let started, let ended else { return 0 }
        return max(0, ended - started)
    }
}

/// A dependency: an operation waited for another one.
public struct RecordedDependency: Sendable, Hashable {
    /// The number of the other operation.
    public let operation: Int
    /// The condition on the end of the other operation.
    public let condition: RecordedCondition

    /// Makes a dependency.
    public init(operation: Int, condition: RecordedCondition) {
        self.operation = operation
        self.condition = condition
    }
}

/// The condition on the end of a dependency, as in scripts.
public enum RecordedCondition: UInt8, Sendable {
    /// It succeeded, or was skipped or cancelled; only a failure prevents the dependent from running.
    case notFailed
    /// It succeeded.
    case succeeded
    /// It ended in any way.
    case finished
    /// It failed.
    case failed

    /// The word for it.
    public var text: String {
        switch self {
        case .notFailed: "notFailed"
        case .succeeded: "succeeded"
        case .finished: "finished"
        case .failed: "failed"
        }
    }
}

/// The outcome of an operation.
public enum RecordedOutcome: UInt8, Sendable {
    /// Its body returned.
    case succeeded
    /// Its body failed, or its time ran out.
    case failed
    /// It was cancelled.
    case cancelled
    /// A dependency did not allow it to run.
    case skipped

    /// The word for it.
    public var text: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        }
    }
}

/// The place where a body ran.
public enum RecordedRunner: Sendable, Hashable {
    /// Nowhere: a group, a gate, or an operation that did not start.
    case none
    /// On a worker, numbered from 1.
    case worker(Int)
    /// On the script thread.
    case scriptThread
    /// Elsewhere: as a Swift task, in a queue of the host, or a sleep; it holds no worker.
    case elsewhere
    /// On a cluster, and on none of its nodes: it waits for one.
    case cluster
    /// On a node of a cluster.
    case node(String)

    /// Codes from here on, below those of the script thread, of elsewhere and of a cluster, are nodes.
    private static let firstNode = 1 << 15

    package init(code: UInt16) {
        switch code {
        case 0: self = .none
        case .max: self = .scriptThread
        case .max - 1: self = .elsewhere
        case .max - 2: self = .cluster
        case UInt16(Self.firstNode)...: self = .node(NodeNames.name(of: Int(code) - Self.firstNode))
        default: self = .worker(Int(code))
        }
    }

    package var code: UInt16 {
        switch self {
        case .none: 0
        case .worker(let number): UInt16(clamping: min(number, Self.firstNode - 1))
        case .node(let name):
            UInt16(clamping: min(Self.firstNode + NodeNames.number(of: name), Int(UInt16.max) - 3))
        case .scriptThread: .max
        case .elsewhere: .max - 1
        case .cluster: .max - 2
        }
    }

    /// Whether a body with this code has run: it is no group, no gate, and has not waited for a node in vain.
    static func hasRun(_ code: UInt16) -> Bool { code != none.code && code != cluster.code }

    /// Its name.
    public var text: String {
        switch self {
        case .none: "none"
        case .worker(let number): "worker \(number)"
        case .scriptThread: "script thread"
        case .elsewhere: "elsewhere"
        case .cluster: "no node"
        case .node(let name): "node \(name)"
        }
    }
}

/// The release of an operation: a cause and, for most causes, the operation whose end was the cause.
public struct RecordedRelease: Sendable, Hashable {
    /// The cause.
    public let cause: ReleaseCause
    /// The number of the operation whose end released it, or whose body or end made the script add it.
    public let operation: Int?

    /// Makes a release.
    public init(cause: ReleaseCause, operation: Int?) {
        self.cause = cause
        self.operation = operation
    }
}

/// The cause for which an operation continued.
public enum ReleaseCause: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// Nothing delayed it after it was added.
    case addition
    /// A dependency ended.
    case dependency
    /// A delay passed: that of its addition, or that before another attempt.
    case delay
    /// A slot of its queue became free.
    case slot
    /// A resource was given back.
    case resource
    /// A worker became free.
    case worker
    /// Another closure ended while as many closures ran as the limit allows.
    case job
    /// A barrier in its queue ended; or, for a barrier, the last operation before it ended.
    case barrier
    /// The script thread: it added the operation, resumed its queue, or came to run its body.
    case script
    /// A timer fired.
    case timer
    /// A node of a cluster took it.
    case node

    /// The word for it.
    public var text: String {
        switch self {
        case .addition: "addition"
        case .dependency: "dependency"
        case .delay: "delay"
        case .slot: "slot"
        case .resource: "resource"
        case .worker: "worker"
        case .job: "job"
        case .barrier: "barrier"
        case .script: "script"
        case .timer: "timer"
        case .node: "node"
        }
    }
}
