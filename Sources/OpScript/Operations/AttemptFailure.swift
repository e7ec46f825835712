internal import LuaVM
internal import Scheduling

extension Operations {
    /// The text of the failure with which an attempt has just ended, before anything of it is reset; nil if nothing is
    /// known of it.
    func attemptFailure(of view: OperationPointer) -> String? {
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        guard pushOperation(view.pointee.id, state) else { return nil }
        if view.pointee.flags.contains(.isTimedOut) {
            return "timed out after \(format(seconds: timeout(of: view, at: -1, state) ?? 0)) s"
        }
        if view.pointee.flags.contains(.hasError) {
            if let error = error(of: view, at: -1, state) { return error.message }
            pushError(of: view, at: -1, state)
            return runtime.errorText(state, -1)
        }
        let id = view.pointee.id
        let failure = scheduler.feed { $0.failures[id.slot] }
        return failure.map { runtime.makeErrorValue($0).message }
    }
}
