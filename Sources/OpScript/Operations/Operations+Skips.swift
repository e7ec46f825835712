internal import LuaVM
internal import Scheduling

/// The errors of skipped operations, which are made when they are read: however long a chain of skipped operations
/// is, each keeps only a reference to the operation at which the trouble began.
extension Operations {
    /// Notes which dependency of the operation on top prevented it; returns whether a failure in the report names it.
    /// [-0, +0, m]
    func noteSkip(_ view: OperationPointer, because cause: OperationID, _ state: LuaState) -> Bool {
        let top = state.top
        defer { state.setTop(top) }
        view.pointee.flags.formUnion([.hasError, .hasUnreadError])
        view.pointee.resultCount = 0
        guard let place = pushDependency(cause, of: view, state), let other = operation(state, -1) else {
            state.removeValue(.outcome, of: view, at: top)
            return false
        }
        view.pointee.resultCount = Int16(clamping: place)
        // The trouble of a skipped operation began elsewhere.
        if other.pointee.outcome == .skipped, other.pointee.flags.contains(.hasError) {
            state.getValue(.outcome, of: other, at: -1)
        }
        let root = operation(state, -1)?.pointee.id ?? runtime.errorValue(state, -1)?.skipOrigin?.operation
        let failure = root.flatMap { runState.failureIndices[$0] }
        if let failure { runState.report.failures[failure].notRun.note(name(view)) }
        state.setValue(.outcome, of: view, at: top)
        return failure != nil
    }

    /// Pushes a dependency of the operation on top, and returns its place; nil, with nothing pushed that matters, if it
    /// is not among the dependencies.
    private func pushDependency(_ id: OperationID, of view: OperationPointer, _ state: LuaState) -> Int? {
        guard view.pointee.flags.contains(.hasDependencies) else { return nil }
        if state.getValue(.dependencies, of: view, at: -1) == .userdata {
            return operation(state, -1)?.pointee.id == id ? 1 : nil
        }
        let list = state.top
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            _ = state.rawGet(list, place)
            if operation(state, -1)?.pointee.id == id { return place }
            state.pop()
        }
        return nil
    }

    /// Pushes the error of the operation at an index, which has one. [-0, +1, m]
    @discardableResult
    func pushError(of view: OperationPointer, at index: Int32, _ state: LuaState) -> LuaType {
        if view.pointee.flags.contains(.hasUnreadError) { makeSkipError(view, at: index, state) }
        return state.getValue(.outcome, of: view, at: index)
    }

    /// Makes the error of the skipped operation at an index. [-0, +0, m]
    func makeSkipError(_ view: OperationPointer, at index: Int32, _ state: LuaState) {
        let index = state.absolute(index)
        let top = state.top
        defer { state.setTop(top) }
        _ = state.ensureSpace(12)
        let own = name(state, index, view)
        var origin = SkipOrigin(text: "a dependency did not allow it to run")
        if state.getValue(.outcome, of: view, at: index) == .userdata {
            if let root = operation(state, -1) {
                origin = self.origin(root, at: state.top, state)
                origin.operation = root.pointee.id
            } else if let known = runtime.errorValue(state, -1)?.skipOrigin {
                origin = known
            }
        }
        var text = "'\(own)' was skipped, because \(origin.text)"
        let place = Int(view.pointee.resultCount)
        if place > 0, pushDependencyList(state, index, view), state.rawGet(-1, place) == .userdata,
            let other = operation(state, -1), other.pointee.outcome == .skipped
        {
            text += " (through '\(name(state, -1, other))')"
        }
        let error = ErrorValue(
            .skipped,
            text,
            underlying: origin.error,
            underlyingValue: origin.value
        )
        error.skipOrigin = origin
        state.pushValue(index)
        setError(error, view, state)
    }

    /// The part of a text about the operation at which the trouble began.
    private func origin(_ root: OperationPointer, at index: Int32, _ state: LuaState) -> SkipOrigin {
        let name = name(state, index, root)
        switch root.pointee.outcome {
        case .failed:
            if let error = error(of: root, at: index, state) {
                return SkipOrigin(text: "'\(name)' failed: \(error.message)", error: error)
            }
            guard root.pointee.flags.contains(.hasError) else {
                return SkipOrigin(text: "'\(name)' failed")
            }
            // The script raised a table.
            pushError(of: root, at: index, state)
            let text = "'\(name)' failed: \(runtime.errorText(state, -1))"
            return SkipOrigin(text: text, value: vm.makeReference(state))
        case .cancelled: return SkipOrigin(text: "'\(name)' was cancelled")
        case .skipped, .skippedQuietly: return SkipOrigin(text: "'\(name)' was skipped")
        case .succeeded: return SkipOrigin(text: "'\(name)' succeeded")
        }
    }
}

/// Where the trouble began because of which operations were skipped.
struct SkipOrigin {
    var text: String
    var operation: OperationID?
    var error: ErrorValue?
    var value: LuaReference?
}
