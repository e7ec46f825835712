/// The stage that an operation has reached.
public enum OperationState: UInt8, Sendable {
    /// Not in a queue yet, or waiting for dependencies, a delay or its next attempt.
    case pending
    /// The operation waits only for a slot, a resource or a thread.
    case ready
    /// Its body runs.
    case executing
    /// It has an outcome.
    case finished
}

/// How an operation ended.
public enum OperationOutcome: UInt8, Sendable, BitwiseCopyable {
    /// Its body returned.
    case succeeded
    /// Its body threw, or its time ran out.
    case failed
    /// It was cancelled before its end.
    case cancelled
    /// A dependency did not meet its condition: its body never ran.
    case skipped
    /// Skipped because a dependency that had to fail did not; this is not an error.
    case skippedQuietly
}

/// The outcome that a dependency needs for its dependent to run.
public enum DependencyCondition: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    /// Anything but a failure: succeeded, cancelled, or skipped quietly. The default.
    case notFailed
    /// The dependency succeeded.
    case succeeded
    /// The dependency ended with any outcome.
    case finished
    /// The dependency failed, or was skipped with an error; otherwise the dependent is skipped quietly.
    case failed

    /// The name of the condition in messages.
    package var name: String {
        switch self {
        case .notFailed: "notFailed"
        case .succeeded: "succeeded"
        case .finished: "finished"
        case .failed: "failed"
        }
    }

    /// The verdict on a dependent after a dependency ended with `outcome`.
    package func verdict(for outcome: OperationOutcome) -> DependencyVerdict {
        switch self {
        case .finished: .run
        case .notFailed:
            switch outcome {
            case .succeeded, .cancelled, .skippedQuietly: .run
            case .failed, .skipped: .skip
            }
        case .succeeded:
            outcome == .succeeded ? .run : .skip
        case .failed:
            switch outcome {
            case .failed, .skipped: .run
            case .succeeded, .cancelled, .skippedQuietly: .skipQuietly
            }
        }
    }
}

/// The verdict of dependencies on their dependent; of several verdicts, the worst counts.
package enum DependencyVerdict: UInt8, Sendable {
    case run
    case skipQuietly
    case skip
}

/// The order of starts inside a queue.
///
/// The names and numbers are Foundation's.
public enum OperationPriority: Int8, Sendable, CaseIterable {
    /// Starts when nothing else is ready.
    case veryLow = -8
    /// Below normal.
    case low = -4
    /// The default.
    case normal = 0
    /// Above normal.
    case high = 4
    /// Starts before all others.
    case veryHigh = 8

    /// The priority next to `number` on the side of normal, as Foundation rounds.
    public init(rounding number: Int) {
        self =
            switch number {
            case ...(-8): .veryLow
            case ...(-4): .low
            case ..<4: .normal
            case ..<8: .high
            default: .veryHigh
            }
    }

    /// 0 for the highest, 4 for the lowest.
    package var level: Int { 2 - Int(rawValue) / 4 }
}

/// The class of worker that runs a closure.
///
/// The names are Foundation's.
public enum OperationQualityOfService: UInt8, Sendable, CaseIterable {
    /// Work for which no user waits.
    case background
    /// Long work whose progress a user watches.
    case utility
    /// Not specified.
    case `default`
    /// Work whose result a user waits for.
    case userInitiated
    /// Work that a user interacts with right now.
    case userInteractive
}
