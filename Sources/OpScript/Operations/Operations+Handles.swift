internal import LuaVM
internal import Scheduling

/// Finds the userdata of operations by their identities, and keeps it alive.
///
/// Nearly all operations are added to a queue as soon as they are made. So a new operation is held like one in a queue,
/// and goes to the weak table only if many others were made since, or the script collects its garbage.
extension Operations {
    private static let newOnesHeld = 64
    /// How many identities are given back together.
    private static let mostReleased = 1024

    /// Holds an operation that was just made and is anchored at `place`.
    @inline(__always)
    func holdNew(_ id: OperationID, _ entry: UnsafeMutablePointer<OperationEntry>, at place: UInt32) {
        if newIDs.count >= Self.newOnesHeld { holdNewOnesWeakly() }
        newIDs.push(id)
        entry.pointee.hold = .newly
        entry.pointee.place = place
    }

    /// From now on, the new operations that are in no queue live only as long as the script references them.
    func holdNewOnesWeakly() {
        guard newIDs.count > 0 else { return }
        let state = vm.main
        handles.push(state)
        while let id = newIDs.pop() {
            guard let entry = entry(id), entry.pointee.hold == .newly else { continue }
            entries.holdWeakly(entry)
            anchors.push(entry.pointee.place, state)
            state.rawSet(-2, Int(id.slot) + 1)
            anchors.remove(entry.pointee.place, state)
        }
        state.pop()
    }

    /// Keeps an operation alive until its end.
    @inline(__always)
    func anchor(_ id: OperationID, at index: Int32, _ state: LuaState) {
        let entry = entries[Int(id.slot)]
        if entry.pointee.hold == .weakly { entry.pointee.place = anchors.add(at: index, state) }
        newIDs.removeLast(id)
        entries.holdUntilEnd(entry)
    }

    /// The view of an operation, if its userdata is alive.
    func liveView(_ id: OperationID) -> OperationPointer? {
        guard let entry = entry(id) else { return nil }
        if entry.pointee.hold != .weakly { return entry.pointee.view }
        // The userdata may have been collected; only the weak table shows whether it was.
        let state = vm.main
        handles.push(state)
        defer { state.pop(2) }
        guard state.rawGet(-1, Int(id.slot) + 1) == .userdata else { return nil }
        return state.userdata(-1, metatables.operation)?.assumingMemoryBound(to: OperationView.self)
    }

    /// Pushes the userdata of an operation, or nil. [-0, +1, -]
    @discardableResult
    func pushOperation(_ id: OperationID, _ state: LuaState) -> Bool {
        guard let entry = entry(id) else {
            state.pushNil()
            return false
        }
        guard entry.pointee.hold == .weakly else {
            anchors.push(entry.pointee.place, state)
            return true
        }
        handles.push(state)
        let found = state.rawGet(-1, Int(id.slot) + 1) == .userdata
        state.replace(-2)
        return found
    }

    /// Forgets a finished operation: its slot will be reused.
    func forget(_ id: OperationID) {
        guard let entry = entry(id) else { return }
        if entry.pointee.hold != .weakly { anchors.remove(entry.pointee.place, vm.main) }
        release(entry)
    }

    /// Releases all data about an operation, except its userdata.
    @inline(__always)
    func release(_ entry: UnsafeMutablePointer<OperationEntry>) {
        entries.noteEnd(entry)
        releasedIDs.push(entry.pointee.id)
        entries.clear(entry)
        if releasedIDs.count >= Self.mostReleased { releaseIDs() }
    }
}
