internal import Scheduling

/// An event as the script thread records it: numbers only, so that recording one costs almost nothing.
struct EventRecord: BitwiseCopyable {
    enum Kind: UInt8 {
        case added, ready, started, cancelled, fired, lost
        case succeeded, failed, wasCancelled, skipped
    }

    let kind: Kind
    /// The index of its name among those of the batch.
    let name: Int32
    /// The identity of the operation or timer; for lost events, their number.
    let identity: UInt64
    /// Nanoseconds on the engine's clock.
    let moment: Int64
}

extension EventRecord.Kind {
    /// The kind for the end of an operation.
    @inline(__always)
    init(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled: self = .wasCancelled
        case .skipped, .skippedQuietly: self = .skipped
        }
    }

    /// The kind that subscribers see; `count` is the number of lost events.
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
