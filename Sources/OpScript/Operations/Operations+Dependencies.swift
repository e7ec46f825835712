internal import LuaVM
internal import Scheduling

/// The dependencies that a script sees: a user value of the operation, which is the only one itself or an array of
/// them.
extension Operations {
    /// A copy of the dependencies. [-0, +1, -]
    func pushDependencies(_ state: LuaState, _ index: Int32, _ block: OperationPointer) {
        guard pushDependencyList(state, index, block) else { return state.newTable() }
        let count = state.rawLength(-1)
        state.newTable(array: count)
        for place in stride(from: 1, through: count, by: 1) {
            _ = state.rawGet(-2, place)
            state.rawSet(-2, place)
        }
        state.remove(-2)
    }

    /// Has a dependency show in the list that the script sees.
    ///
    /// - Parameter isRepeated: It is there already.
    func noteDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ block: OperationPointer,
        isRepeated: Bool,
        isFinished: Bool
    ) {
        let index = state.absolute(index)
        let otherIndex = state.absolute(otherIndex)
        let isObserved = runtime.observers.isObserved(block, "dependencies")
        let old: PropertyValue = isObserved ? dependenciesValue(state, index, block) : .nil
        if isRepeated { return }
        if !block.pointee.flags.contains(.hasDependencies) {
            state.pushValue(otherIndex)
            state.setValue(.dependencies, of: block, at: index)
            block.pointee.flags.insert(.hasDependencies)
        } else if !appendDependency(state, index, otherIndex, block, isFinished: isFinished) {
            return
        }
        if isObserved {
            runtime.observers.observe(block, "dependencies", old, dependenciesValue(state, index, block))
        }
    }

    /// Adds to the dependencies that there are. False where it is among them. [-0, +0, -]
    private func appendDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ block: OperationPointer,
        isFinished: Bool
    ) -> Bool {
        defer { state.pop() }
        if state.getValue(.dependencies, of: block, at: index) == .userdata {
            if isFinished, state.rawEqual(-1, otherIndex) { return false }
            state.newTable(array: 2)
            state.pushValue(-2)
            state.rawSet(-2, 1)
            state.pushValue(otherIndex)
            state.rawSet(-2, 2)
            state.setValue(.dependencies, of: block, at: index)
            return true
        }
        let count = state.rawLength(-1)
        if isFinished {
            // The machine keeps no edge to what has finished; a long list is not searched.
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

    /// Pushes a table that lists the dependencies, or nothing where there are none; it is not to be changed.
    /// [-0, +0 | 1, m]
    func pushDependencyList(_ state: LuaState, _ index: Int32, _ block: OperationPointer) -> Bool {
        guard block.pointee.flags.contains(.hasDependencies) else { return false }
        if state.getValue(.dependencies, of: block, at: index) == .userdata {
            state.newTable(array: 1)
            state.insert(-2)
            state.rawSet(-2, 1)
        }
        return true
    }

    private func dependenciesValue(_ state: LuaState, _ index: Int32, _ block: OperationPointer)
        -> PropertyValue
    {
        pushDependencies(state, index, block)
        return .reference(vm.makeReference(state))
    }

    /// `op:removeDependency(other)`, with the two at the indices 1 and 2.
    func removeDependency(_ block: OperationPointer, _ other: OperationPointer, _ state: LuaState) {
        guard pushDependencyList(state, 1, block) else { return }
        let list = state.top
        let isObserved = runtime.observers.isObserved(block, "dependencies")
        let old: PropertyValue = isObserved ? dependenciesValue(state, 1, block) : .nil
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
            block.pointee.flags.remove(.hasDependencies)
            state.removeValue(.dependencies, of: block, at: 1)
        }
        let id = block.pointee.id
        let otherID = other.pointee.id
        scheduler.feed { $0.dependencyRemoved(id, on: otherID) }
        if isObserved {
            runtime.observers.observe(block, "dependencies", old, dependenciesValue(state, 1, block))
        }
    }
}
