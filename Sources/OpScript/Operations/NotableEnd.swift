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

/// Finds the notable ends among the ends of bodies. A step is not one: it is a part of its waiter.
final class NotableEnds: EventSubscriber {
    private let runState: RunState
    private let write: @Sendable (NotableEnd) -> Void

    init(_ runState: RunState, _ write: @escaping @Sendable (NotableEnd) -> Void) {
        self.runState = runState
        self.write = write
    }

    override func receive(_ event: EngineEvent) {
        guard case .bodyEnded(let outcome) = event.kind, let view = event.operation else { return }
        let seconds = Double(event.moment - view.pointee.startedAt) / 1e9
        // Only an `async` closure runs a program. For all others the time decides, without a look at the operation.
        guard
            seconds >= NotableEnd.seconds
                || !view.pointee.flags.isDisjoint(with: [.isAsync, .hasRunProgram]),
            let entry = runtime.operations.entry(view.pointee.id)
        else { return }
        let hasRunProgram = entry.pointee.body.map { $0.mayRunPrograms && $0.program != nil } ?? false
        if view.pointee.flags.contains(.belongsToWaits) {
            guard hasRunProgram, let waiter = entry.pointee.waiter else { return }
            runtime.operations.liveView(waiter)?.pointee.flags.insert(.hasRunProgram)
            return
        }
        guard hasRunProgram || view.pointee.flags.contains(.hasRunProgram) || seconds >= NotableEnd.seconds,
            !view.pointee.flags.contains(.isAbandoned)
        else { return }
        write(
            NotableEnd(
                name: runtime.operations.name(view),
                seconds: seconds,
                outcome: NotableEnd.Outcome(outcome),
                place: runState.counts.finished + 1,
                // One that was started by hand was never added.
                total: max(runState.counts.submitted, runState.counts.finished + 1)
            )
        )
    }
}
