internal import Synchronization

/// The state of a run for a live page: a sink that keeps sums, the running operations, and a sample of those that
/// have ended.
///
/// The script thread feeds it; any thread takes messages. Its memory is bounded, except for one byte for each operation
/// and what it keeps of each queue. Most facts cost a few nanoseconds, and taking a message holds the script thread up
/// for less than a millisecond.
package final class LiveRun: RunSink {
    private let state = Mutex(LiveState())
    private let whole = Mutex<RunRecord?>(nil)
    private let clock: @Sendable () -> Int64
    private let keepsRecord: Bool

    /// Makes one that no run feeds yet.
    ///
    /// - Parameters:
    ///   - keepsRecord: Whether ``record`` is there after the run.
    ///   - clock: Nanoseconds on a clock that only goes forward; read on any thread.
    package init(keepsRecord: Bool = false, clock: @escaping @Sendable () -> Int64) {
        self.keepsRecord = keepsRecord
        self.clock = clock
    }

    package func runBegan(_ run: RunHeader) {
        let now = clock()
        whole.withLock { $0 = nil }
        state.withLock { $0 = LiveState(run, at: now) }
    }

    package func received(_ facts: RunFacts) { state.withLock { $0.receive(facts) } }

    package func operationFailed(_ failure: RecordedFailure) { state.withLock { $0.note(failure) } }

    package func queueChanged(_ queue: QueueSettings) { state.withLock { $0.note(queue) } }

    package func runEnded(_ record: RunRecord) {
        if keepsRecord { whole.withLock { $0 = record } }
        state.withLock { $0.end(record, hasReport: keepsRecord) }
    }

    /// Whether the run has ended.
    package var hasEnded: Bool { state.withLock { $0.ended != nil } }

    /// The record of the run, if it has ended and its record is kept.
    package var record: RunRecord? { whole.withLock { $0 } }

    /// The state of the run, with what is new since an earlier message, as JSON in one line.
    ///
    /// - Parameter cursor: The cursor of the earlier message.
    package func message(since cursor: LiveCursor) -> LiveMessage {
        let now = clock()
        let snapshot = state.withLock { $0.snapshot(since: cursor, at: now) }
        return LiveMessage(snapshot)
    }
}

/// How much of a run a page has received: the numbers of the newest items of each list.
package struct LiveCursor: Equatable, Sendable {
    var spans = 0
    var failures = 0
    var load = 0

    /// That of a page which has received nothing.
    package init() {}

    init(spans: Int, failures: Int, load: Int) {
        self.spans = spans
        self.failures = failures
        self.load = load
    }

    /// Reads what ``text`` has written; that of an empty page for anything else.
    package init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        if parts.count == 3, parts.allSatisfy({ $0 >= 0 }) {
            (spans, failures, load) = (parts[0], parts[1], parts[2])
        }
    }

    /// As pages send it back.
    package var text: String { "\(spans).\(failures).\(load)" }
}
