internal import CoreMetrics
internal import Logging
internal import Scheduling
internal import Tracing

/// Reports operations to the host's backends. Only on the script thread.
///
/// There is one only while a caller with a backend runs a script or has a pending request; otherwise an operation only
/// costs a check for nil.
final class Telemetry {
    /// The data about an operation between its submission and its end.
    private struct Item {
        let audience: TelemetryAudience
        /// Describes the operation in its metadata.
        var logger: Logger?
        var submittedAt: Int64
        var startedAt: Int64?
        var isExecuting = false
        var span: (any Span)?

        /// Stops counting the operation among those that wait or execute.
        func leave() {
            audience.meters?.change(pending: isExecuting ? 0 : -1, executing: isExecuting ? -1 : 0)
        }
    }

    private var items: [OperationID: Item] = [:]
    /// The meters of the previous audience, which is usually the same.
    private(set) var meters: OperationMeters?

    /// Which engine of the process it is.
    private let engineNumber: Int

    init(_ meters: OperationMeters?, engineNumber: Int) {
        self.meters = meters
        self.engineNumber = engineNumber
    }

    /// The audience for the operations of a request.
    func audience(of backends: TelemetryBackends) -> TelemetryAudience {
        if let factory = backends.metrics, meters?.areMade(by: factory) != true {
            meters = OperationMeters(factory)
        }
        return TelemetryAudience(backends, backends.metrics == nil ? nil : meters)
    }

    /// An operation was added to a queue, or started by hand. Returns the data that its closure receives
    /// about the submission.
    ///
    /// - Parameters:
    ///   - parent: The operation whose body submitted it.
    ///   - audience: The audience to use if there is no parent, or if the parent has no audience.
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
            item.logger?[metadataKey: "operation-id"] = "\(text(id))"
            item.logger?[metadataKey: "queue"] = "\(queue)"
            item.logger?[metadataKey: "created-at"] = "\(createdAt)"
        }
        if let tracer = backends.tracer {
            let context = above?.span?.context ?? backends.context
            let span: any Span = tracer.startAnySpan(name, context: context, ofKind: .internal)
            span.attributes["opscript.operation.id"] = text(id)
            span.attributes["opscript.queue"] = queue
            span.attributes["opscript.created_at"] = createdAt
            item.span = span
        }
        items[id] = item
        audience.meters?.change(pending: 1)
        item.logger?.trace("operation submitted")
        return WorkOrigin(context: item.span?.context, logger: item.logger)
    }

    /// The addition of an operation was refused.
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

    /// An operation has an outcome.
    ///
    /// - Parameter error: The error of an operation that failed or was skipped.
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

    /// Ends the remaining spans, which nothing else will end.
    func close() {
        for item in items.values {
            item.span?.setStatus(SpanStatus(code: .error, message: "the run ended before the operation did"))
            item.span?.end()
            item.leave()
        }
        items = [:]
    }

    /// An identity that no other operation of the process has.
    private func text(_ id: OperationID) -> String { "\(engineNumber).\(id.slot).\(id.generation)" }
}
