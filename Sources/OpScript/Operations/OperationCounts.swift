/// How many operations of a run were added to queues, and how they ended.
struct OperationCounts {
    var submitted = 0
    var succeeded = 0
    /// Without those whose failures the script handled.
    var failed = 0
    var handled = 0
    var cancelled = 0
    var skipped = 0

    var finished: Int { succeeded + failed + handled + cancelled + skipped }

    func put(into report: inout ScriptReport) {
        report.succeeded = succeeded
        report.failed = failed
        report.handled = handled
        report.cancelled = cancelled
        report.skipped = skipped
    }
}
