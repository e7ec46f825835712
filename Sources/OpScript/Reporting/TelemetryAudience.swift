internal import Logging
internal import Tracing

/// Receives the events of the operations of a run or a request. Only on the script thread.
final class TelemetryAudience {
    let backends: TelemetryBackends
    let meters: OperationMeters?

    init(_ backends: TelemetryBackends, _ meters: OperationMeters?) {
        self.backends = backends
        self.meters = meters
    }
}

/// The context and the logger that the closure of an operation receives, if telemetry follows the operation.
struct WorkOrigin: Sendable {
    /// The current context, with the operation's span.
    let context: ServiceContext?
    /// Describes the operation in its metadata.
    let logger: Logger?
}
