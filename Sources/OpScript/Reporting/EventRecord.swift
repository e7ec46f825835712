internal import Scheduling

/// An event as the script thread records it for hosts, without text, so that recording one costs almost nothing.
struct EventRecord {
    let kind: ScriptEvent.Kind
    /// The index of its name among those of the batch.
    let name: Int32
    let identity: UInt64
    /// Nanoseconds on the engine's clock.
    let moment: Int64
}

extension ScriptEvent.Kind {
    /// The kind of an event that hosts receive; nil for any other.
    @inline(__always)
    init?(_ event: EngineEvent) {
        switch event.kind {
        case .added: self = .added
        case .ready: self = .ready
        case .started: self = .started
        case .cancelled: self = .cancelled
        case .fired: self = .fired
        case .ended:
            switch event.operation?.pointee.outcome {
            case .succeeded: self = .finished(.succeeded)
            case .failed: self = .finished(.failed)
            case .cancelled: self = .finished(.cancelled)
            case .skipped, .skippedQuietly, nil: self = .finished(.skipped)
            }
        default: return nil
        }
    }
}

extension OperationID {
    /// Distinguishes the operations of an engine in events and records; its highest bit is clear.
    @inline(__always)
    var eventIdentity: UInt64 { UInt64(generation & 0x7fff_ffff) << 32 | UInt64(slot) }
}
