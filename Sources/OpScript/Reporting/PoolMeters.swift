internal import CoreMetrics
internal import Scheduling

/// The metrics of a pool, in the backend of the task that starts a run.
struct PoolMeters: Sendable {
    private let factory: any MetricsFactory

    /// Nil if there is no backend.
    static var current: PoolMeters? {
        let factory = MetricsSystem.factory
        return factory is NOOPMetricsHandler ? nil : PoolMeters(factory: factory)
    }

    /// How many runs wait for their turn, and how many are in progress.
    func record(pending: Int, executing: Int) {
        Gauge(label: "opscript.pool.runs.pending", factory: factory).record(pending)
        Gauge(label: "opscript.pool.runs.executing", factory: factory).record(executing)
    }

    /// A run had its turn.
    func waited(_ time: Duration) {
        Timer(label: "opscript.pool.run.waiting", factory: factory)
            .recordNanoseconds(SchedulerClock.nanoseconds(time / .seconds(1)))
    }
}
