internal import CoreMetrics
internal import Scheduling

/// The metrics of an engine's operations. Only on the script thread.
final class OperationMeters {
    private let pending: Gauge
    private let executing: Gauge
    let duration: Timer
    let waiting: Timer
    private let counters: [Counter]
    private let factory: any MetricsFactory
    private var pendingCount = 0
    private var executingCount = 0

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        pending = Gauge(label: "opscript.operations.pending", factory: factory)
        executing = Gauge(label: "opscript.operations.executing", factory: factory)
        duration = Timer(label: "opscript.operation.duration", factory: factory)
        waiting = Timer(label: "opscript.operation.waiting", factory: factory)
        counters = ["succeeded", "failed", "cancelled", "skipped"].map {
            Counter(label: "opscript.operations.finished", dimensions: [("outcome", $0)], factory: factory)
        }
    }

    /// Whether these meters belong to the same backend.
    func areMade(by other: any MetricsFactory) -> Bool {
        type(of: other) is AnyClass && factory as AnyObject === other as AnyObject
    }

    /// Changes how many operations wait, and how many execute.
    func change(pending: Int = 0, executing: Int = 0) {
        pendingCount += pending
        executingCount += executing
        self.pending.record(pendingCount)
        self.executing.record(executingCount)
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
