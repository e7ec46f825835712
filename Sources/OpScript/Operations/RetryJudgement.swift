internal import LuaVM
internal import Scheduling

/// The function `when` of a retry, which decides after a failure whether another attempt makes sense.
extension Operations {
    /// An attempt has failed, and the function decides about the next one. It is called in a turn of its own.
    func attemptFailed(_ view: OperationPointer) {
        guard view.pointee.state == .executing else { return }
        keepAttemptError(of: view, isFollowed: false)
        let id = view.pointee.id
        agenda.turns.append(.host { [unowned self] in askAboutRetry(of: id) })
    }

    private func askAboutRetry(of id: OperationID) {
        guard let view = liveView(id), view.pointee.state == .executing else { return }
        // It was cancelled meanwhile.
        let isCancelled =
            view.pointee.flags.contains(.isCancelled) && !view.pointee.flags.contains(.isTimedOut)
        if isCancelled || runState.startsNothing { return judge(id, again: false) }
        let task = runtime.bodies.makeTask()
        let state = task.root.state
        pushOperation(id, state)
        guard getField(Self.whenKey, of: 1, view, state) == .function else {
            state.setTop(0)
            runtime.bodies.giveBack(task)
            return judge(id, again: true)
        }
        pushAttemptError(of: view, at: 1, state)
        state.push(Int(view.pointee.attempt))
        state.remove(1)
        task.end = .judgement(id)
        // It belongs to no attempt, so the time limit of the last one must not end its waits.
        task.isCleanup = true
        runtime.bodies.start(task)
    }

    /// The decision: another attempt follows, or the failure is final.
    func judge(_ id: OperationID, again: Bool, hasOtherError: Bool = false) {
        scheduler.feed { $0.attemptJudged(id, again: again, hasOtherError: hasOtherError) }
    }

    /// The function raised an error: the operation fails with it, and keeps that of the attempt.
    func judgementFailed(of id: OperationID, _ error: ErrorValue) {
        guard let view = liveView(id), view.pointee.state == .executing else {
            return judge(id, again: false)
        }
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        _ = state.ensureSpace(8)
        if pushOperation(id, state) {
            pushAttemptError(of: view, at: top + 1, state)
            let text = runtime.text(ofError: state, -1)
            let made = ErrorValue(
                error.code,
                "the function 'when' of 'retry' failed: \(error.message) (attempt \(view.pointee.attempt) had failed: "
                    + "\(text))",
                frames: error.frames,
                underlying: runtime.errorValue(state, -1),
                underlyingValue: runtime.reference(to: -1, state),
                endsRun: error.endsRun
            )
            state.setTop(top + 1)
            setError(made, view, state)
        }
        judge(id, again: false, hasOtherError: true)
    }
}
