internal import CoreMetrics
internal import Logging
internal import LuaVM
internal import Scheduling
internal import Tracing

/// Reports operations to the host's backends for logs, metrics and spans.
///
/// It subscribes to events only while a caller with a backend runs a script or has a pending request.
final class Telemetry: EventSubscriber {
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
    /// The backends of the run, or of the last request. They receive the operations that no other request has
    /// submitted.
    var audience: TelemetryAudience?
    /// The meters of the previous audience, which is usually the same.
    private var meters: OperationMeters?
    private let link: ScriptLink
    private let clock: SchedulerClock

    init(_ link: ScriptLink, _ clock: SchedulerClock) {
        self.link = link
        self.clock = clock
    }

    /// The audience for the operations of a request.
    func audience(of backends: TelemetryBackends) -> TelemetryAudience {
        if let factory = backends.metrics, meters?.areMade(by: factory) != true {
            meters = OperationMeters(factory)
        }
        return TelemetryAudience(backends, backends.metrics == nil ? nil : meters)
    }

    override func receive(_ event: EngineEvent) {
        guard let view = event.operation else { return }
        let id = view.pointee.id
        switch event.kind {
        case .submission(let queue): submitted(view, to: queue)
        case .refusal: refused(id)
        case .started: started(id, now: view.pointee.startedAt)
        case .retrying: retrying(id)
        case .ended: finished(id, view.pointee.outcome, error: error(of: view))
        default: break
        }
    }

    /// An operation is about to be added to a queue, or started by hand. Its closure receives the data about the
    /// submission.
    private func submitted(_ view: OperationPointer, to queue: QueueID?) {
        let (id, bodies) = (view.pointee.id, runtime.bodies)
        let above = bodies.current?.operation.flatMap { items[$0] }
        let usual = bodies.current?.request?.audience ?? audience
        // The body was made before the submission, when there was no origin yet.
        let body = runtime.operations.entry(id)?.pointee.body
        guard let audience = above?.audience ?? usual else {
            body?.origin = nil
            return
        }
        let backends = audience.backends
        var item = Item(audience: audience, logger: backends.logger, submittedAt: clock.now)
        let name = runtime.operations.name(view)
        let queue = queue.flatMap { runtime.queues.table[$0.index] }?.name ?? ""
        let shownQueue = link.secrets.hidden(in: queue)
        let createdAt = runtime.operations.createdAt(view)
        if item.logger != nil {
            item.logger?[metadataKey: "operation"] = "\(name)"
            item.logger?[metadataKey: "operation-id"] = "\(text(id))"
            item.logger?[metadataKey: "queue"] = "\(shownQueue)"
            item.logger?[metadataKey: "created-at"] = "\(createdAt)"
        }
        if let tracer = backends.tracer {
            let context = above?.span?.context ?? backends.context
            let span: any Span = tracer.startAnySpan(name, context: context, ofKind: .internal)
            span.attributes["opscript.operation.id"] = text(id)
            span.attributes["opscript.queue"] = shownQueue
            span.attributes["opscript.created_at"] = createdAt
            item.span = span
        }
        items[id] = item
        audience.meters?.change(pending: 1)
        item.logger?.trace("operation submitted")
        body?.origin = WorkOrigin(context: item.span?.context, logger: item.logger)
    }

    /// The error of an operation that failed or was skipped.
    private func error(of view: OperationPointer) -> ScriptError? {
        guard items[view.pointee.id] != nil, view.pointee.flags.contains(.hasError) else { return nil }
        let state = runtime.vm.main
        defer { state.pop() }
        guard runtime.operations.pushOperation(view.pointee.id, state) else { return nil }
        let known = runtime.operations.error(of: view, at: -1, state)?.scriptError(hiding: link.secrets)
        if let known { return known }
        state.getValue(.outcome, of: view, at: -1)
        defer { state.pop() }
        return ScriptError(.failed, runtime.errorText(state, -1))
    }

    /// The addition of an operation was refused.
    private func refused(_ id: OperationID) {
        guard let item = items.removeValue(forKey: id) else { return }
        item.span?.setStatus(SpanStatus(code: .error, message: "the operation could not be added"))
        item.span?.end()
        item.leave()
    }

    /// An attempt began.
    private func started(_ id: OperationID, now: Int64) {
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
    private func retrying(_ id: OperationID) {
        guard var item = items[id] else { return }
        if item.isExecuting { item.audience.meters?.change(pending: 1, executing: -1) }
        item.isExecuting = false
        items[id] = item
        item.span?.addEvent("retrying")
        item.logger?.debug("operation is tried again")
    }

    /// An operation has an outcome.
    private func finished(_ id: OperationID, _ outcome: OperationOutcome, error: ScriptError?) {
        guard let item = items.removeValue(forKey: id) else { return }
        let duration = item.startedAt.map { max(0, clock.now - $0) }
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

    /// No submitted operation reports again: ends the remaining spans, which nothing else will end.
    func close() {
        audience = nil
        for item in items.values {
            item.span?.setStatus(SpanStatus(code: .error, message: "the run ended before the operation did"))
            item.span?.end()
            item.leave()
        }
        items = [:]
    }

    /// An identity that no other operation of the process has.
    private func text(_ id: OperationID) -> String { "\(link.number).\(id.slot).\(id.generation)" }
}
