internal import LuaVM
internal import Scheduling

/// The error with which an attempt has just ended, before anything of it is reset.
extension Operations {
    /// Keeps the error that a Swift closure threw in an attempt; that of a Lua body is kept already.
    ///
    /// - Parameter isFollowed: Whether the scheduler may have started the next attempt already.
    func keepAttemptError(of view: OperationPointer, isFollowed: Bool) {
        let id = view.pointee.id
        let attempt = UInt32(view.pointee.attempt)
        let thrown = scheduler.feed { core in
            isFollowed ? core.takeFailure(id, of: attempt) : core.failures.removeValue(forKey: id.slot)
        }
        guard view.pointee.flags.isDisjoint(with: [.hasError, .isTimedOut]) else { return }
        let state = vm.main
        defer { state.pop() }
        if pushOperation(id, state) { keepError(thrown, view, state) }
    }

    /// Pushes the error with which the attempt of the operation at an index has ended; nil if nothing is known of it.
    /// [-0, +1, m]
    func pushAttemptError(of view: OperationPointer, at index: Int32, _ state: LuaState) {
        if view.pointee.flags.contains(.isTimedOut) {
            runtime.push(timeLimitError(view, at: index, state), state)
        } else if view.pointee.flags.contains(.hasError) {
            pushError(of: view, at: index, state)
        } else {
            state.pushNil()
        }
    }

    /// The text of the failure of the attempt, for a record; nil if nothing is known of it.
    func attemptFailure(of view: OperationPointer) -> String? {
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        guard pushOperation(view.pointee.id, state) else { return nil }
        if view.pointee.flags.contains(.isTimedOut) {
            return "timed out after \(format(seconds: timeout(of: view, at: -1, state) ?? 0)) s"
        }
        guard view.pointee.flags.contains(.hasError) else { return nil }
        if let error = error(of: view, at: -1, state) { return error.message }
        pushError(of: view, at: -1, state)
        return runtime.errorText(state, -1)
    }
}
