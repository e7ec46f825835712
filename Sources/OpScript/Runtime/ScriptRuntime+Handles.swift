internal import LuaVM
internal import Scheduling

/// How the userdata of operations is found by their identities, and kept alive.
///
/// Nearly all operations are added to a queue as soon as they are made. So a new one is held as one in a queue is, and goes to
/// the weak table only if many others were made since, or the script collects its garbage.
extension ScriptRuntime {
    private static let newOnesHeld = 64

    /// Holds the operation on top, which was just made. [-0, +0, -]
    @inline(__always)
    func holdNew(_ id: OperationID, _ entry: UnsafeMutablePointer<OperationEntry>, _ state: LuaState) {
        if newIDs.count >= Self.newOnesHeld { holdNewOnesWeakly() }
        newIDs.push(id)
        entry.pointee.hold = .newly
        anchors.push(state)
        state.pushValue(-2)
        state.rawSet(-2, Int(id.slot) + 1)
        state.pop()
    }

    /// From here on new operations that are in no queue live only as long as the script has them.
    func holdNewOnesWeakly() {
        guard newIDs.count > 0 else { return }
        let state = vm.main
        anchors.push(state)
        handles.push(state)
        while let id = newIDs.pop() {
            guard let entry = entry(id), entry.pointee.hold == .newly else { continue }
            entry.pointee.hold = .weakly
            _ = state.rawGet(-2, Int(id.slot) + 1)
            state.rawSet(-2, Int(id.slot) + 1)
            state.push(false)
            state.rawSet(-3, Int(id.slot) + 1)
        }
        state.pop(2)
    }

    /// Keeps an operation alive until its end.
    @inline(__always)
    func anchor(_ id: OperationID, at index: Int32, _ state: LuaState) {
        let entry = entries[Int(id.slot)]
        if entry.pointee.hold == .weakly {
            let index = state.absolute(index)
            anchors.push(state)
            state.pushValue(index)
            state.rawSet(-2, Int(id.slot) + 1)
            state.pop()
        }
        entry.pointee.hold = .untilEnd
    }

    /// The block of an operation, if its userdata is alive.
    func liveBlock(_ id: OperationID) -> OperationPointer? {
        guard let entry = entry(id) else { return nil }
        if entry.pointee.hold != .weakly { return entry.pointee.block }
        // It may have been collected, so only the weak table knows.
        let state = vm.main
        handles.push(state)
        defer { state.pop(2) }
        guard state.rawGet(-1, Int(id.slot) + 1) == .userdata else { return nil }
        return state.userdata(-1, metatables.operation)?.assumingMemoryBound(to: OperationBlock.self)
    }

    /// Pushes the userdata of an operation, or nil. [-0, +1, -]
    @discardableResult
    func pushOperation(_ id: OperationID, _ state: LuaState) -> Bool {
        guard let entry = entry(id) else {
            state.pushNil()
            return false
        }
        if entry.pointee.hold == .weakly { handles.push(state) } else { anchors.push(state) }
        let found = state.rawGet(-1, Int(id.slot) + 1) == .userdata
        state.replace(-2)
        return found
    }

    /// Lets go of a finished operation: its slot will be used again.
    func forget(_ id: OperationID) {
        guard let entry = entry(id) else { return }
        if entry.pointee.hold != .weakly {
            let state = vm.main
            anchors.push(state)
            // `false` and not nil, so that the table stays an array.
            state.push(false)
            state.rawSet(-2, Int(id.slot) + 1)
            state.pop()
        }
        entries.noteEnd(entry)
        entry.pointee.clear()
        releasedIDs.push(id)
        if releasedIDs.count >= 64 { releaseIDs() }
    }
}
