internal import LuaVM
internal import Scheduling

/// Failures in the report, and the end of starts after too many of them (`--fail-fast`, `--max-failures`).
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
            !isAboutToBeTaken(view)
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

    /// The error of an operation that its time limit ended, with the output of its program, or of the one for which its
    /// body waited.
    func timeLimitError(_ view: OperationPointer, at index: Int32, _ state: LuaState) -> ErrorValue {
        let text = timeLimitText(of: view, at: index, state)
        let entry = entry(view.pointee.id)
        guard
            let stopped = entry?.pointee.body?.program?.stoppedError
                ?? entry?.pointee.attachment?.programAtTimeLimit
        else { return ErrorValue(.timeout, text) }
        let error = ErrorValue(.timeout, "\(text): \(stopped.message)", underlying: stopped.underlying)
        error.fields = stopped.fields
        return error
    }

    /// The time of a body is over, and it is about to be interrupted.
    func keepProgramAtTimeLimit(of view: OperationPointer) {
        guard let entry = entry(view.pointee.id) else { return }
        let error = awaitedProgram(by: entry.pointee)?.unfinishedError
        guard error != nil || entry.pointee.attachment != nil else { return }
        entry.pointee.ownAttachment.programAtTimeLimit = error
    }

    /// The program of a step for which a body waits, or for which a body waits that is such a step. Bodies may wait for
    /// each other in a circle.
    private func awaitedProgram(by entry: OperationEntry) -> (any RunningProgram)? {
        var rest = awaitedOperations(by: entry)
        var seen: Set<OperationID> = []
        while let id = rest.popLast() {
            guard seen.insert(id).inserted, let step = self.entry(id)?.pointee, let view = step.view,
                !view.pointee.isFinished, view.pointee.flags.contains(.belongsToWaits)
            else { continue }
            if let program = step.body?.program { return program }
            rest += awaitedOperations(by: step)
        }
        return nil
    }

    /// The operations for which a body waits, the last one first.
    private func awaitedOperations(by entry: OperationEntry) -> [OperationID] {
        entry.tasks.flatMap { task -> [OperationID] in
            guard case .operations(let ids, _) = task.wait?.target else { return [] }
            return ids.reversed()
        }
    }

    /// `'cc' timed out after 2 s`
    func timeLimitText(of view: OperationPointer, at index: Int32, _ state: LuaState) -> String {
        "'\(name(state, index, view))' timed out after \(format(seconds: timeout(of: view, at: index, state) ?? 0)) s"
    }

    /// Adds a failure to the report; returns whether it counts as handled. The operation is on top.
    func noteFailure(_ view: OperationPointer, _ state: LuaState) -> Bool {
        let error = error(of: view, at: -1, state)
        var hostError = error?.scriptError(hiding: link.secrets) ?? ScriptError(.failed, "failed")
        if error == nil, view.pointee.flags.contains(.hasError) {
            state.getValue(.outcome, of: view, at: -1)
            hostError.message = runtime.errorText(state, -1)
            hostError.underlying = runtime.errorObject(state, -1)
            state.pop()
            pushTraceback(state, -1, view)
            hostError.traceback = state.string(-1).map(link.secrets.hidden)
            state.pop()
        }
        let hasStarted = view.pointee.attempt > 0
        let duration = hasStarted ? Double(scheduler.clock.now - view.pointee.startedAt) / 1e9 : 0
        // The host sets limits: an exceeded limit ends the run, no matter which operation exceeded it. The limit of a
        // work is a failure like any other.
        if let error, error.endsRun { runtime.loop.runFailed(error) }
        let isHandled = view.pointee.flags.contains(.allowsFailure) || isAllowedAround(view)
        let isAwaited = !isHandled && isAboutToBeTaken(view)
        let isStep = view.pointee.flags.contains(.belongsToWaits)
        if isAwaited { runState.noteAwaited(1, isStep: isStep) }
        let index = runState.report.failures.count
        runState.failureIndices[view.pointee.id] = index
        if let group = queue(of: view)?.owner, !isHandled {
            runState.failuresInside[group, default: []].append((view.pointee.id, index, isStep))
        }
        runState.report.failures.append(
            ScriptReport.Failure(
                name: name(view),
                createdAt: createdAt(view),
                error: hostError,
                message: hostError.message,
                traceback: hostError.traceback,
                duration: duration,
                attempts: Int(view.pointee.attempt),
                isHandled: isHandled,
                isAwaited: isAwaited,
                failedInside: runState.failuresInside[view.pointee.id]?.count ?? 0
            )
        )
        if isHandled { takeFailuresInside(view.pointee.id) }
        reporting.tell(.failure(at: index), view)
        return isHandled
    }

    /// Whether it is a block of a block operation, which reports the failure itself, or in a group that allows failure.
    private func isAllowedAround(_ view: OperationPointer) -> Bool {
        var inside = view
        while let owner = queue(of: inside)?.owner, let around = liveView(owner) {
            if around.pointee.type != .group || around.pointee.flags.contains(.allowsFailure) { return true }
            inside = around
        }
        return false
    }

    /// Whether a wait is about to deliver its failure, or that of a group around it.
    private func isAboutToBeTaken(_ view: OperationPointer) -> Bool {
        guard let entry = entry(view.pointee.id), !entry.pointee.hasTakerOfFailure else { return true }
        guard let owner = queue(of: view)?.owner, let around = liveView(owner) else { return false }
        return isAboutToBeTaken(around)
    }

    /// Notes that a function of the `await` family has delivered the failure to the script; such a failure
    /// counts as handled.
    func handedOut(_ view: OperationPointer) {
        guard !view.pointee.flags.contains(.isHandedOut) else { return }
        view.pointee.flags.insert(.isHandedOut)
        if let index = runState.failureIndices[view.pointee.id] {
            take(index, isStep: view.pointee.flags.contains(.belongsToWaits))
        }
        takeFailuresInside(view.pointee.id)
    }

    /// The failure of a group stands for those inside it: the script handles them together.
    private func takeFailuresInside(_ group: OperationID) {
        for (inside, index, isStep) in runState.failuresInside.removeValue(forKey: group) ?? [] {
            takeFailuresInside(inside)
            take(index, isStep: isStep)
        }
    }

    /// The script handles a failure that has counted as one of the run until now.
    private func take(_ index: Int, isStep: Bool) {
        guard !runState.report.failures[index].isHandled else { return }
        runState.report.failures[index].isHandled = true
        if runState.report.failures[index].isAwaited { runState.noteAwaited(-1, isStep: isStep) }
        runState.counts.deliver(isStep: isStep)
        reporting.tell(.failureHandled(at: index))
    }
}
