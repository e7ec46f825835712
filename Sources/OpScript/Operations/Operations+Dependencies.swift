internal import LuaVM
internal import Scheduling

/// The dependencies that a script sees: a user value of the operation, which is the only dependency itself or an array
/// of them.
extension Operations {
    /// A copy of the dependencies. [-0, +1, -]
    func pushDependencies(_ state: LuaState, _ index: Int32, _ view: OperationPointer) {
        guard pushDependencyList(state, index, view) else { return state.newTable() }
        let count = state.rawLength(-1)
        state.newTable(array: count)
        for place in stride(from: 1, through: count, by: 1) {
            _ = state.rawGet(-2, place)
            state.rawSet(-2, place)
        }
        state.remove(-2)
    }

    /// Adds a dependency to the list that the script sees.
    ///
    /// - Parameter isRepeated: Whether the list has it already.
    func noteDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ view: OperationPointer,
        when condition: DependencyCondition,
        isRepeated: Bool,
        isFinished: Bool
    ) {
        let index = state.absolute(index)
        let otherIndex = state.absolute(otherIndex)
        let isObserved = runtime.observers.isObserved(view, "dependencies")
        let old: PropertyValue = isObserved ? dependenciesValue(state, index, view) : .nil
        if followsTickets, let other = operation(state, otherIndex) {
            runtime.journaling.noteDependency(state, index, otherIndex, view, other, when: condition)
        }
        if isRepeated { return }
        if !view.pointee.flags.contains(.hasDependencies) {
            state.pushValue(otherIndex)
            state.setValue(.dependencies, of: view, at: index)
            view.pointee.flags.insert(.hasDependencies)
        } else if !appendDependency(state, index, otherIndex, view, isFinished: isFinished) {
            return
        }
        if isObserved {
            runtime.observers.observe(view, "dependencies", old, dependenciesValue(state, index, view))
        }
    }

    /// Adds to the existing dependencies. False if a finished dependency is among them already. [-0, +0, -]
    private func appendDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ view: OperationPointer,
        isFinished: Bool
    ) -> Bool {
        defer { state.pop() }
        if state.getValue(.dependencies, of: view, at: index) == .userdata {
            if isFinished, state.rawEqual(-1, otherIndex) { return false }
            state.newTable(array: 2)
            state.pushValue(-2)
            state.rawSet(-2, 1)
            state.pushValue(otherIndex)
            state.rawSet(-2, 2)
            state.setValue(.dependencies, of: view, at: index)
            return true
        }
        let count = state.rawLength(-1)
        if isFinished {
            // The machine keeps no edge to a finished operation, so the list is searched, but not all of a long one.
            for place in stride(from: 1, through: min(count, 64), by: 1) {
                _ = state.rawGet(-1, place)
                let isSame = state.rawEqual(-1, otherIndex)
                state.pop()
                if isSame { return false }
            }
        }
        state.pushValue(otherIndex)
        state.rawSet(-2, count + 1)
        return true
    }

    /// Pushes a table that lists the dependencies, or nothing if there are none; the caller must not change it.
    /// [-0, +0 | 1, m]
    func pushDependencyList(_ state: LuaState, _ index: Int32, _ view: OperationPointer) -> Bool {
        guard view.pointee.flags.contains(.hasDependencies) else { return false }
        if state.getValue(.dependencies, of: view, at: index) == .userdata {
            state.newTable(array: 1)
            state.insert(-2)
            state.rawSet(-2, 1)
        }
        return true
    }

    private func dependenciesValue(_ state: LuaState, _ index: Int32, _ view: OperationPointer)
        -> PropertyValue
    {
        pushDependencies(state, index, view)
        return .reference(vm.makeReference(state))
    }

    /// `op:removeDependency(other)`, with the two operations at the indices 1 and 2.
    func removeDependency(_ view: OperationPointer, _ other: OperationPointer, _ state: LuaState) {
        // The error says through which dependency the trouble came.
        if view.pointee.flags.contains(.hasUnreadError) { makeSkipError(view, at: 1, state) }
        guard pushDependencyList(state, 1, view) else { return }
        let list = state.top
        let isObserved = runtime.observers.isObserved(view, "dependencies")
        let old: PropertyValue = isObserved ? dependenciesValue(state, 1, view) : .nil
        let count = state.rawLength(list)
        var found = 0
        for place in stride(from: 1, through: count, by: 1) where found == 0 {
            _ = state.rawGet(list, place)
            if state.rawEqual(-1, 2) { found = place }
            state.pop()
        }
        guard found > 0 else { return }
        for place in stride(from: found, to: count, by: 1) {
            _ = state.rawGet(list, place + 1)
            state.rawSet(list, place)
        }
        state.pushNil()
        state.rawSet(list, count)
        if count == 1 {
            view.pointee.flags.remove(.hasDependencies)
            state.removeValue(.dependencies, of: view, at: 1)
        }
        let id = view.pointee.id
        let otherID = other.pointee.id
        feed { $0.dependencyRemoved(id, on: otherID) }
        if isObserved {
            runtime.observers.observe(view, "dependencies", old, dependenciesValue(state, 1, view))
        }
    }
}
