internal import Scheduling

/// The end of an operation that ran a program or took a while: one for which progress has a line of its own.
package struct NotableEnd: Sendable {
    /// The least seconds of an operation that ran no program.
    static let seconds = 0.1

    /// How it ended.
    package enum Outcome: Sendable {
        case succeeded
        case failed
        case cancelled
    }

    package var name: String
    /// Seconds of its last attempt.
    package var seconds: Double
    package var outcome: Outcome
    /// How many operations of the run have ended, with this one, and how many were added so far.
    package var place: Int
    package var total: Int

    package init(name: String, seconds: Double, outcome: Outcome, place: Int, total: Int) {
        self.name = name
        self.seconds = seconds
        self.outcome = outcome
        self.place = place
        self.total = total
    }
}

extension NotableEnd.Outcome {
    fileprivate init(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled, .skipped, .skippedQuietly: self = .cancelled
        }
    }
}

extension Operations {
    /// Reports the end of an operation that executed to the host, if it is notable. A step is none: it is a part of
    /// its waiter.
    func noteNotableEnd(
        _ view: OperationPointer,
        _ entry: UnsafeMutablePointer<OperationEntry>,
        _ outcome: OperationOutcome,
        _ moment: Int64
    ) {
        let hasRunProgram = entry.pointee.body.map { $0.mayRunPrograms && $0.program != nil } ?? false
        if view.pointee.flags.contains(.belongsToWaits) {
            guard hasRunProgram, let waiter = entry.pointee.waiter else { return }
            liveView(waiter)?.pointee.flags.insert(.hasRunProgram)
            return
        }
        let seconds = Double(moment - view.pointee.startedAt) / 1e9
        guard hasRunProgram || view.pointee.flags.contains(.hasRunProgram) || seconds >= NotableEnd.seconds,
            !view.pointee.flags.contains(.isAbandoned)
        else { return }
        configuration.notableEnd?(
            NotableEnd(
                name: name(view),
                seconds: seconds,
                outcome: NotableEnd.Outcome(outcome),
                place: runState.counts.finished + 1,
                // One that was started by hand was never added.
                total: max(runState.counts.submitted, runState.counts.finished + 1)
            )
        )
    }
}
