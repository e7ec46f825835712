internal import CoreMetrics
internal import Scheduling
internal import Tracing

/// The span and the metrics of one run, in the host's backends.
///
/// Made when the run is submitted, so both contain its wait for the run before it.
struct RunTelemetry {
    /// Those of the task that has started the run; the spans of operations are inside that of the run.
    let backends: TelemetryBackends
    private let span: (any Span)?
    private let submittedAt = ContinuousClock.now

    /// Nil if there are no backends.
    ///
    /// - Parameter name: The name of the script, as in error messages: `@job.lua` or `=name`.
    init?(_ backends: TelemetryBackends?, named name: String) {
        guard let backends else { return nil }
        let shownName = name.hasPrefix("@") || name.hasPrefix("=") ? String(name.dropFirst()) : name
        span = backends.tracer.map { tracer in
            let span: any Span = tracer.startAnySpan(
                "run \(shownName)",
                context: backends.context,
                ofKind: .internal
            )
            span.attributes["opscript.script"] = shownName
            return span
        }
        self.backends = backends.inside(span?.context)
    }

    /// The run has ended.
    func ended(_ report: ScriptReport) {
        let outcome = report.wasCancelled ? "cancelled" : report.exitCode == 0 ? "succeeded" : "failed"
        if let factory = backends.metrics {
            Counter(label: "opscript.runs.finished", dimensions: [("outcome", outcome)], factory: factory)
                .increment()
            Timer(label: "opscript.run.duration", factory: factory)
                .recordNanoseconds(SchedulerClock.nanoseconds((.now - submittedAt) / .seconds(1)))
        }
        guard let span else { return }
        span.attributes["opscript.outcome"] = outcome
        span.attributes["opscript.operations.succeeded"] = report.succeeded
        span.attributes["opscript.operations.failed"] = report.failed
        if let error = report.error {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error, message: error.message))
        } else if outcome != "succeeded" {
            let message = report.wasCancelled ? "the run was cancelled" : "the run has failed"
            span.setStatus(SpanStatus(code: .error, message: message))
        }
        span.end()
    }
}
