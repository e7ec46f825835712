internal import CoreMetrics
internal import Logging
internal import Scheduling
internal import Tracing

/// Tells the host's backends of the operations of a run. Only on the script thread.
///
/// There is one only where a backend is installed: else all that an operation costs is a look at nil.
final class Telemetry {
    /// What is known of an operation between its submission and its end.
    private struct Item {
        var name: String
        var queue: String
        var createdAt: String
        var submittedAt: Int64
        var startedAt: Int64?
        var span: (any Span)?
    }

    private let backends: TelemetryBackends
    private let meters: OperationMeters?
    private var items: [OperationID: Item] = [:]
    private var executingCount = 0

    init(_ backends: TelemetryBackends) {
        self.backends = backends
        meters = backends.metrics.map { OperationMeters($0) }
    }

    /// An operation was added to a queue, or started by hand. Gives what its closure finds as the present context.
    ///
    /// - Parameter parent: The operation whose body submitted it; nil for whoever started the run.
    func submitted(
        _ id: OperationID,
        name: String,
        queue: String,
        createdAt: String,
        parent: OperationID?,
        now: Int64
    ) -> ServiceContext? {
        var item = Item(name: name, queue: queue, createdAt: createdAt, submittedAt: now)
        if let tracer = backends.tracer {
            let context = parent.flatMap { items[$0]?.span?.context } ?? backends.context
            let span: any Span = tracer.startAnySpan(name, context: context, ofKind: .internal)
            span.attributes["opscript.operation.id"] = Self.text(id)
            span.attributes["opscript.queue"] = queue
            span.attributes["opscript.created_at"] = createdAt
            item.span = span
        }
        items[id] = item
        record()
        log(.trace, "operation submitted", id, item)
        return item.span?.context
    }

    /// Its addition was refused.
    func refused(_ id: OperationID) {
        guard let item = items.removeValue(forKey: id) else { return }
        item.span?.setStatus(SpanStatus(code: .error, message: "the operation could not be added"))
        item.span?.end()
        record()
    }

    /// An attempt began.
    func started(_ id: OperationID, now: Int64) {
        guard var item = items[id] else { return }
        if item.startedAt == nil {
            meters?.waiting.recordNanoseconds(max(0, now - item.submittedAt))
        }
        item.startedAt = now
        items[id] = item
        executingCount += 1
        record()
        item.span?.addEvent("started")
        log(.debug, "operation started", id, item)
    }

    /// An attempt failed, and another one follows.
    func retrying(_ id: OperationID) {
        guard let item = items[id] else { return }
        executingCount -= 1
        record()
        item.span?.addEvent("retrying")
        log(.debug, "operation is tried again", id, item)
    }

    /// It has an outcome.
    ///
    /// - Parameter error: For one that failed or was skipped.
    func finished(
        _ id: OperationID,
        _ outcome: OperationOutcome,
        wasExecuting: Bool,
        error: ScriptError?,
        now: Int64
    ) {
        guard let item = items.removeValue(forKey: id) else { return }
        if wasExecuting { executingCount -= 1 }
        let duration = item.startedAt.map { max(0, now - $0) }
        meters?.finished(outcome).increment()
        if let duration { meters?.duration.recordNanoseconds(duration) }
        record()
        let name = outcomeName(outcome)
        if let span = item.span {
            span.attributes["opscript.outcome"] = name
            if let error {
                span.recordError(error)
                span.setStatus(SpanStatus(code: .error, message: error.message))
            }
            span.end()
        }
        var more: Logger.Metadata = ["outcome": "\(name)"]
        if let duration { more["seconds"] = "\(Double(duration) / 1e9)" }
        if let error { more["error"] = "\(error.message)" }
        log(outcome == .failed ? .warning : .debug, "operation finished", id, item, more)
    }

    /// The run is over: what it leaves behind ends nowhere else.
    func close() {
        for item in items.values {
            item.span?.setStatus(SpanStatus(code: .error, message: "the run ended before the operation did"))
            item.span?.end()
        }
        items = [:]
        executingCount = 0
        record()
    }

    // MARK: Details

    private func record() {
        guard let meters else { return }
        meters.pending.record(items.count - executingCount)
        meters.executing.record(executingCount)
    }

    private func log(
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ id: OperationID,
        _ item: Item,
        _ more: Logger.Metadata = [:]
    ) {
        guard let logger = backends.logger, logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "operation": "\(item.name)", "operation-id": "\(Self.text(id))", "queue": "\(item.queue)",
            "created-at": "\(item.createdAt)",
        ]
        metadata.merge(more) { $1 }
        logger.log(level: level, message, metadata: metadata)
    }

    private static func text(_ id: OperationID) -> String { "\(id.slot).\(id.generation)" }
}

/// The metrics of an engine's operations.
private struct OperationMeters {
    let pending: Gauge
    let executing: Gauge
    let duration: Timer
    let waiting: Timer
    private let counters: [Counter]

    init(_ factory: any MetricsFactory) {
        pending = Gauge(label: "opscript.operations.pending", factory: factory)
        executing = Gauge(label: "opscript.operations.executing", factory: factory)
        duration = Timer(label: "opscript.operation.duration", factory: factory)
        waiting = Timer(label: "opscript.operation.waiting", factory: factory)
        counters = ["succeeded", "failed", "cancelled", "skipped"].map {
            Counter(label: "opscript.operations.finished", dimensions: [("outcome", $0)], factory: factory)
        }
    }

    func finished(_ outcome: OperationOutcome) -> Counter {
        switch outcome {
        case .succeeded: counters[0]
        case .failed: counters[1]
        case .cancelled: counters[2]
        case .skipped, .skippedQuietly: counters[3]
        }
    }
}
