internal import CoreMetrics
internal import Logging
internal import Scheduling
internal import Tracing

/// Tells the host's backends of operations. Only on the script thread.
///
/// There is one only while somebody with a backend runs a script or has asked for something: else all that an operation
/// costs is a look at nil.
final class Telemetry {
    /// What is known of an operation between its submission and its end.
    private struct Item {
        let audience: TelemetryAudience
        /// Has what the operation is as metadata.
        var logger: Logger?
        var submittedAt: Int64
        var startedAt: Int64?
        var isExecuting = false
        var span: (any Span)?

        /// It counts no longer among those that wait or execute.
        func leave() {
            audience.meters?.change(pending: isExecuting ? 0 : -1, executing: isExecuting ? -1 : 0)
        }
    }

    private var items: [OperationID: Item] = [:]
    /// Those of the audience before, which mostly is the same.
    private(set) var meters: OperationMeters?

    init(_ meters: OperationMeters?) { self.meters = meters }

    /// Whom to tell of what somebody asks for.
    func audience(of backends: TelemetryBackends) -> TelemetryAudience {
        if let factory = backends.metrics, meters?.areMade(by: factory) != true {
            meters = OperationMeters(factory)
        }
        return TelemetryAudience(backends, backends.metrics == nil ? nil : meters)
    }

    /// An operation was added to a queue, or started by hand. Gives what its closure is to know of that.
    ///
    /// - Parameters:
    ///   - parent: The operation whose body submitted it.
    ///   - audience: Whom to tell where there is none, or nobody is told of it.
    func submitted(
        _ id: OperationID,
        name: String,
        queue: String,
        createdAt: String,
        parent: OperationID?,
        audience: TelemetryAudience?,
        now: Int64
    ) -> WorkOrigin? {
        let above = parent.flatMap { items[$0] }
        guard let audience = above?.audience ?? audience else { return nil }
        let backends = audience.backends
        var item = Item(audience: audience, logger: backends.logger, submittedAt: now)
        if item.logger != nil {
            item.logger?[metadataKey: "operation"] = "\(name)"
            item.logger?[metadataKey: "operation-id"] = "\(Self.text(id))"
            item.logger?[metadataKey: "queue"] = "\(queue)"
            item.logger?[metadataKey: "created-at"] = "\(createdAt)"
        }
        if let tracer = backends.tracer {
            let context = above?.span?.context ?? backends.context
            let span: any Span = tracer.startAnySpan(name, context: context, ofKind: .internal)
            span.attributes["opscript.operation.id"] = Self.text(id)
            span.attributes["opscript.queue"] = queue
            span.attributes["opscript.created_at"] = createdAt
            item.span = span
        }
        items[id] = item
        audience.meters?.change(pending: 1)
        item.logger?.trace("operation submitted")
        return WorkOrigin(context: item.span?.context, logger: item.logger)
    }

    /// Its addition was refused.
    func refused(_ id: OperationID) {
        guard let item = items.removeValue(forKey: id) else { return }
        item.span?.setStatus(SpanStatus(code: .error, message: "the operation could not be added"))
        item.span?.end()
        item.leave()
    }

    /// An attempt began.
    func started(_ id: OperationID, now: Int64) {
        guard var item = items[id] else { return }
        let meters = item.audience.meters
        if item.startedAt == nil {
            meters?.waiting.recordNanoseconds(max(0, now - item.submittedAt))
        }
        item.startedAt = now
        if !item.isExecuting { meters?.change(pending: -1, executing: 1) }
        item.isExecuting = true
        items[id] = item
        item.span?.addEvent("started")
        item.logger?.debug("operation started")
    }

    /// An attempt failed, and another one follows.
    func retrying(_ id: OperationID) {
        guard var item = items[id] else { return }
        if item.isExecuting { item.audience.meters?.change(pending: 1, executing: -1) }
        item.isExecuting = false
        items[id] = item
        item.span?.addEvent("retrying")
        item.logger?.debug("operation is tried again")
    }

    /// It has an outcome.
    ///
    /// - Parameter error: For one that failed or was skipped.
    func finished(_ id: OperationID, _ outcome: OperationOutcome, error: ScriptError?, now: Int64) {
        guard let item = items.removeValue(forKey: id) else { return }
        let duration = item.startedAt.map { max(0, now - $0) }
        if let meters = item.audience.meters {
            meters.finished(outcome).increment()
            if let duration { meters.duration.recordNanoseconds(duration) }
        }
        item.leave()
        let name = outcomeName(outcome)
        if let span = item.span {
            span.attributes["opscript.outcome"] = name
            if let error {
                span.recordError(error)
                span.setStatus(SpanStatus(code: .error, message: error.message))
            }
            span.end()
        }
        guard let logger = item.logger else { return }
        var metadata: Logger.Metadata = ["outcome": "\(name)"]
        if let duration { metadata["seconds"] = "\(Double(duration) / 1e9)" }
        if let error { metadata["error"] = "\(error.message)" }
        logger.log(
            level: outcome == .failed ? .warning : .debug,
            "operation finished",
            metadata: metadata
        )
    }

    /// All is over: what is left behind ends nowhere else.
    func close() {
        for item in items.values {
            item.span?.setStatus(SpanStatus(code: .error, message: "the run ended before the operation did"))
            item.span?.end()
            item.leave()
        }
        items = [:]
    }

    private static func text(_ id: OperationID) -> String { "\(id.slot).\(id.generation)" }
}
