internal import Scheduling

/// How many operations of a run were added to queues, and how they ended.
///
/// An operation that a wait submitted is a step of the waiter. Steps are in none of these counts, except those whose
/// failure no wait delivers.
struct OperationCounts {
    var submitted = 0
    var succeeded = 0
    /// Without those whose failures the script handled.
    var failed = 0
    var handled = 0
    var cancelled = 0
    var skipped = 0
    /// How many of the cancelled and skipped ones had not begun.
    var notRun = 0
    private var steps = 0
    private var endedSteps = 0

    var finished: Int { succeeded + failed + handled + cancelled + skipped }
    /// How many have not ended, with steps.
    var pending: Int { submitted - finished + steps - endedSteps }
    /// How many were submitted, with steps.
    var all: Int { submitted + steps }

    @inline(__always)
    mutating func add(isStep: Bool) {
        if isStep { steps += 1 } else { submitted += 1 }
    }

    /// Counts an end.
    ///
    /// - Parameters:
    ///   - hasBegun: Whether there was an attempt.
    ///   - isHandled: Whether the script handles the failure. Another failure counts, even that of a step.
    @inline(__always)
    mutating func end(
        _ outcome: OperationOutcome,
        isStep: Bool = false,
        hasBegun: Bool = true,
        isHandled: Bool = false
    ) {
        if isStep {
            endedSteps += 1
            guard outcome == .failed, !isHandled else { return }
            submitted += 1
        }
        if !hasBegun, outcome != .failed { notRun += 1 }
        switch outcome {
        case .succeeded: succeeded += 1
        case .cancelled: cancelled += 1
        case .skipped, .skippedQuietly: skipped += 1
        case .failed: if isHandled { handled += 1 } else { failed += 1 }
        }
    }

    /// A failure that was counted as one of the run was delivered to the script.
    mutating func deliver(isStep: Bool) {
        failed -= 1
        if isStep { submitted -= 1 } else { handled += 1 }
    }

    func put(into report: inout ScriptReport) {
        report.succeeded = succeeded
        report.failed = failed
        report.handled = handled
        report.cancelled = cancelled
        report.skipped = skipped
        report.notRun = notRun
        report.steps = steps
    }
}
