internal import Scheduling

/// An event as the script thread notes it: numbers only, so that noting one costs next to nothing.
struct EventRecord: BitwiseCopyable {
    enum Kind: UInt8 {
        case added, ready, started, cancelled, fired, lost
        case succeeded, failed, wasCancelled, skipped
    }

    let kind: Kind
    /// Where its name stands among those of the batch.
    let name: Int32
    /// Of the operation or the timer; how many, for lost events.
    let identity: UInt64
    /// Nanoseconds on the engine's clock.
    let moment: Int64
}

extension EventRecord.Kind {
    /// An operation has ended.
    @inline(__always)
    init(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled: self = .wasCancelled
        case .skipped, .skippedQuietly: self = .skipped
        }
    }

    /// What subscribers see; `count` are how many were lost.
    func shown(_ count: UInt64) -> ScriptEvent.Kind {
        switch self {
        case .added: .added
        case .ready: .ready
        case .started: .started
        case .cancelled: .cancelled
        case .fired: .fired
        case .lost: .lost(Int(count))
        case .succeeded: .finished(.succeeded)
        case .failed: .finished(.failed)
        case .wasCancelled: .finished(.cancelled)
        case .skipped: .finished(.skipped)
        }
    }
}
