internal import Logging
internal import Tracing

/// Whom to tell of the operations of a run or a request. Only on the script thread.
final class TelemetryAudience {
    let backends: TelemetryBackends
    let meters: OperationMeters?

    init(_ backends: TelemetryBackends, _ meters: OperationMeters?) {
        self.backends = backends
        self.meters = meters
    }
}

/// What the closure of an operation is to know of its submission, where anybody listens.
struct WorkOrigin: Sendable {
    /// The present context: with the operation's span.
    let context: ServiceContext?
    /// Has what the operation is as metadata.
    let logger: Logger?
}
