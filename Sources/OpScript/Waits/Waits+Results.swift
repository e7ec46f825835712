internal import LuaVM
internal import Scheduling

/// The results and errors of operations, for scripts.
extension Waits {
    /// Pushes the results of the operation at an index, or its error with the reply that raises it.
    func pushOutcome(_ state: LuaState, _ index: Int32) -> Int32 {
        guard let view = operations.operation(state, index) else { return 0 }
        switch view.pointee.outcome {
        case .succeeded: return pushResults(view, state, index)
        case .failed, .skipped:
            operations.handedOut(view)
            operations.pushError(of: view, at: index, state)
            return LuaReply.raise
        case .cancelled:
            runtime.push(
                ErrorValue(.cancelled, "'\(operations.name(state, index, view))' was cancelled"),
                state
            )
            return LuaReply.raise
        case .skippedQuietly:
            return 0
        }
    }

    /// Pushes the results of an operation, as the script sees them; returns how many. [-0, +count, m]
    func pushResults(_ view: OperationPointer, _ state: LuaState, _ index: Int32) -> Int32 {
        guard view.pointee.outcome == .succeeded, view.pointee.isFinished else { return 0 }
        return pushKeptResults(view, state, index)
    }

    /// The same, even if the script does not see yet that the operation has finished.
    func pushKeptResults(_ view: OperationPointer, _ state: LuaState, _ index: Int32) -> Int32 {
        let count = Int(view.pointee.resultCount)
        guard count > 0 else { return 0 }
        if pushKeptPlainResult(view, state) { return 1 }
        view.pointee.flags.insert(.isResultUsed)
        state.getValue(.outcome, of: view, at: index)
        if count == 1 { return 1 }
        let packed = state.top
        guard state.ensureSpace(Int32(count) + 2) else { return 1 }
        for place in 1...count { _ = state.rawGet(packed, place) }
        state.remove(packed)
        return Int32(count)
    }

    /// Pushes the only result of the operation at an index, if the operation has succeeded and the result is a plain
    /// value; otherwise nothing. [-0, +1 | 0, -]
    @inline(__always)
    func pushPlainResult(at index: Int32, _ state: LuaState) -> Bool {
        guard
            let view = state.userdata(index, metatables.operation)?
                .assumingMemoryBound(to: OperationView.self)
        else { return false }
        return view.pointee.isFinished && view.pointee.outcome == .succeeded
            && view.pointee.resultCount == 1
            && pushKeptPlainResult(view, state)
    }

    @inline(__always)
    private func pushKeptPlainResult(_ view: OperationPointer, _ state: LuaState) -> Bool {
        switch view.pointee.plainResult {
        case .none: return false
        case .boolean(let flag): state.push(flag)
        case .integer(let number): state.push(Int(number))
        case .number(let number): state.push(number)
        }
        return true
    }
}
