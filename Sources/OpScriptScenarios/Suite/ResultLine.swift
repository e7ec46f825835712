internal import Synchronization

/// The results of a suite on their way to its reporter, from any thread.
final class ResultLine<Reporter: ScenarioReporter>: Sendable {
    private let order: Mutex<ResultOrder<Reporter>>
    private let isInterrupted = Atomic(false)

    init(_ reporter: Reporter, _ order: ScenarioOrder, keepsSlowest: Bool) {
        self.order = Mutex(ResultOrder(reporter, order, keepsSlowest: keepsSlowest))
    }

    /// Failures from now on are caused by the interruption, and are not reported.
    func interrupt() { isInterrupted.store(true, ordering: .relaxed) }

    /// Whether nothing more is reported.
    var isOver: Bool { order.withLock { $0.isOver } }

    func open(_ path: String, isKnown: Bool) -> Int { order.withLock { $0.open(path, isKnown: isKnown) } }
    func close(_ lane: Int) { order.withLock { $0.close(lane) } }
    func reserve(in lane: Int) -> Int { order.withLock { $0.reserve(in: lane) } }
    func add(_ listing: ScenarioListing, to lane: Int) { order.withLock { $0.add(listing, to: lane) } }
    func leaveOut(_ count: Int, of lane: Int) { order.withLock { $0.leaveOut(count, of: lane) } }
    func add(_ note: String, to lane: Int) { order.withLock { $0.add(note, to: lane) } }

    func add(_ problem: ScenarioProblem, output: [UInt8], to lane: Int) {
        order.withLock {
            if isInterrupted.load(ordering: .relaxed) { return $0.interrupt() }
            $0.add(problem, output: output, to: lane)
        }
    }

    func add(_ result: ScenarioResult, to lane: Int) {
        order.withLock {
            if tellsNothing(result) { return $0.interrupt() }
            $0.add(result, to: lane)
        }
    }

    func fill(_ place: Int, of lane: Int, _ result: ScenarioResult) {
        order.withLock {
            if tellsNothing(result) { return $0.interrupt() }
            $0.fill(place, of: lane, result)
        }
    }

    /// Reports the end; returns the reporter and the counts of the reported results.
    func finish(_ change: (inout ScenarioSummary) -> Void) -> (Reporter, ScenarioSummary) {
        order.withLock {
            $0.finish(change)
            return ($0.reporter, $0.summary)
        }
    }

    private func tellsNothing(_ result: ScenarioResult) -> Bool {
        isInterrupted.load(ordering: .relaxed) && result.outcome == .failed
    }
}
