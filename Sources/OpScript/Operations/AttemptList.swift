internal import LuaVM
internal import Scheduling

/// The property `attempts`: what became of each attempt of an operation so far.
extension Operations {
    /// The key, among an operation's fields, of the list of attempts that have ended. Only operations with a retry have
    /// one, and not if the first attempt succeeds: a retry that is not needed costs nothing.
    private static let key: StaticString = "\0attempts"
    /// How many attempts the list has at most: the newest ones, since an operation may be tried again for ever.
    private static let most = 100

    /// Adds an attempt that has ended to the list of an operation.
    func noteAttempt(of view: OperationPointer, _ outcome: OperationOutcome, at moment: Int64) {
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        _ = state.ensureSpace(8)
        guard pushOperation(view.pointee.id, state) else { return }
        if getField(Self.key, of: top + 1, view, state) != .table {
            state.pop()
            state.newTable(array: 2)
            setField(Self.key, of: top + 1, view, state) { $0.pushValue(top + 2) }
        }
        pushAttempt(Int(view.pointee.attempt), outcome, state) {
            if outcome == .failed { pushAttemptError(of: view, at: top + 1, $0) } else { $0.pushNil() }
        }
        state.push(Double(max(0, moment - view.pointee.startedAt)) / 1e9)
        state.rawSet(-2, "duration")
        let count = state.rawLength(top + 2)
        if count == Self.most {
            for place in 2...count {
                _ = state.rawGet(top + 2, place)
                state.rawSet(top + 2, place - 1)
            }
        }
        state.rawSet(top + 2, min(count + 1, Self.most))
    }

    /// Adds the last attempt of an operation that ends; its error is still to be made if its closure threw it.
    func noteLastAttempt(of view: OperationPointer, _ outcome: OperationOutcome, at moment: Int64) {
        if outcome == .failed { keepAttemptError(of: view, isFollowed: false) }
        noteAttempt(of: view, outcome, at: moment)
    }

    /// Pushes a table about an attempt. [-0, +1, m]
    private func pushAttempt(
        _ number: Int,
        _ outcome: OperationOutcome?,
        _ state: LuaState,
        pushError: (LuaState) -> Void
    ) {
        state.newTable(fields: 4)
        state.push(number)
        state.rawSet(-2, "number")
        guard let outcome else { return }
        state.push(outcomeName(outcome))
        state.rawSet(-2, "outcome")
        pushError(state)
        state.rawSet(-2, "error")
    }

    /// Pushes the attempts of the operation at index 1, the first one first. [-0, +1, m]
    ///
    /// The list is a copy. Without it there is one attempt, whose duration nothing keeps.
    func pushAttempts(of view: OperationPointer, _ state: LuaState) {
        _ = state.ensureSpace(8)
        state.newTable(array: 1)
        let list = state.top
        var count = 0
        var last = 0
        if getField(Self.key, of: 1, view, state) == .table {
            count = state.rawLength(-1)
            for place in stride(from: 1, through: count, by: 1) {
                _ = state.rawGet(list + 1, place)
                state.newTable(fields: 4)
                _ = state.rawGet(list + 2, "number")
                last = state.integer(-1) ?? 0
                state.pop()
                for field in ["number", "outcome", "error", "duration"] as [StaticString] {
                    _ = state.rawGet(list + 2, field)
                    state.rawSet(list + 3, field)
                }
                state.rawSet(list, place)
                state.setTop(list + 1)
            }
        }
        state.setTop(list)
        guard last < Int(view.pointee.attempt) else { return }
        if view.pointee.isFinished {
            pushAttempt(last + 1, view.pointee.outcome, state) { state in
                if view.pointee.flags.contains(.hasError) {
                    pushError(of: view, at: 1, state)
                } else {
                    state.pushNil()
                }
            }
        } else {
            pushAttempt(last + 1, nil, state) { _ in }
            state.push(Double(max(0, scheduler.clock.now - view.pointee.startedAt)) / 1e9)
            state.rawSet(-2, "duration")
        }
        state.rawSet(list, count + 1)
    }
}
