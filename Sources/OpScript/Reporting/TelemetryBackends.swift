internal import CoreMetrics
internal import Logging
internal import Tracing

/// The host's backends for logs, metrics and traces, as they are where a run is started or something is asked for.
struct TelemetryBackends: Sendable {
    let logger: Logger?
    let metrics: (any MetricsFactory)?
    let tracer: (any Tracer)?
    /// The span of whoever asks is in here.
    let context: ServiceContext

    /// Those of the present task; nil where there are none, so that nothing has to be told to anybody.
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

    /// Looking whether an instrument is a tracer searches all conformances of the program: not where there is no
    /// instrument.
    private static var currentTracer: (any Tracer)? {
        guard !(InstrumentationSystem.instrument is NoOpInstrument) else { return nil }
        let found = InstrumentationSystem.tracer
        return found is NoOpTracer ? nil : found
    }
}
