internal import Scheduling

/// The end of starts after too many failures (`--fail-fast`, `--max-failures`).
extension Operations {
    /// Whether an operation that is added now is cancelled. A body that runs may finish its work, so it may still wait
    /// for operations of its own.
    var refusesStart: Bool {
        runState.startsNothing && !(isSubmittingForWait && runtime.bodies.current?.operation != nil)
    }

    /// Notes a failure that the script has not handled; at the limit, no operation starts any more.
    ///
    /// A failure that a wait is about to deliver is the script's.
    func stopAfterFailure(_ view: OperationPointer) {
        guard let limit = configuration.failureLimit, !runState.startsNothing,
            entry(view.pointee.id)?.pointee.hasTakerOfFailure == false
        else { return }
        runState.failuresToStop += 1
        guard runState.failuresToStop == limit else { return }
        runState.startsNothing = true
        agenda.turns.append(
            .host { [unowned self] in
                let text = limit == 1 ? "an operation has failed" : "\(limit) operations have failed"
                runtime.diagnose("\(text): no more operations are started")
                cancelUnstarted()
            }
        )
    }

    /// Cancels every operation in a queue that does not execute, except the steps of bodies that do.
    private func cancelUnstarted() {
        for queue in queues.table.all {
            queue.stopCount += 1
            let views = unfinished(queue).compactMap(liveView)
            cancel(
                together: views.filter {
                    $0.pointee.state != .executing && !$0.pointee.flags.contains(.isStepOfBody)
                }
            )
        }
    }
}
