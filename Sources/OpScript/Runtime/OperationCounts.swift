/// How many operations of a run were added to queues, and how they ended.
final class OperationCounts {
    var submitted = 0
    var succeeded = 0
    var failed = 0
    var cancelled = 0
    var skipped = 0

    var finished: Int { succeeded + failed + cancelled + skipped }

    func reset() {
        submitted = 0
        succeeded = 0
        failed = 0
        cancelled = 0
        skipped = 0
    }

    func put(into report: inout ScriptReport) {
        report.succeeded = succeeded
        report.failed = failed
        report.cancelled = cancelled
        report.skipped = skipped
    }
}
