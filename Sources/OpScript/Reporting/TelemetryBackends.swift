internal import CoreMetrics
internal import Logging
internal import Tracing

/// The host's backends for logs, metrics and traces: those of the task that starts a run or a request.
struct TelemetryBackends: Sendable {
    let logger: Logger?
    let metrics: (any MetricsFactory)?
    let tracer: (any Tracer)?
    /// Contains the span of the caller.
    let context: ServiceContext

    /// The backends of the current task; nil if there are none, so that nothing has to be reported.
    static func current(_ logger: Logger?) -> TelemetryBackends? {
        let factory = MetricsSystem.factory
        let metrics = factory is NOOPMetricsHandler ? nil : factory
        let tracer = currentTracer
        if logger == nil, metrics == nil, tracer == nil { return nil }
        return TelemetryBackends(
            logger: logger,
            metrics: metrics,
            tracer: tracer,
            context: ServiceContext.current ?? .topLevel
        )
    }

    /// The same, below a span with this context.
    func inside(_ context: ServiceContext?) -> TelemetryBackends {
        guard let context else { return self }
        return TelemetryBackends(logger: logger, metrics: metrics, tracer: tracer, context: context)
    }

    /// Testing whether an instrument is a tracer searches all conformances of the program. Without an
    /// instrument, the test is left out.
    private static var currentTracer: (any Tracer)? {
        guard !(InstrumentationSystem.instrument is NoOpInstrument) else { return nil }
        let found = InstrumentationSystem.tracer
        return found is NoOpTracer ? nil : found
    }
}
