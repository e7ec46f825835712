internal import LuaVM

extension LuaState {
    /// Makes room for the elements of a list, whose length a script can choose freely; false if the stack cannot hold
    /// them.
    func ensureSpace(forList count: Int) -> Bool {
        count < 900_000 && ensureSpace(Int32(clamping: count) + 20)
    }

    /// Whether a table has only named values, which a call that reads it as a list would ignore. [-0, +0, -]
    func hasOnlyNames(_ index: Int32) -> Bool {
        guard rawLength(index) == 0 else { return false }
        let index = absolute(index)
        pushNil()
        guard nextUnchecked(index) else { return false }
        pop(2)
        return true
    }
}
