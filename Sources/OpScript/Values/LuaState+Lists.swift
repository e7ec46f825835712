internal import LuaVM

extension LuaState {
    /// Makes room for the elements of a list, whose length a script can choose freely; false if the stack cannot hold
    /// them.
    func ensureSpace(forList count: Int) -> Bool {
        count < 900_000 && ensureSpace(Int32(clamping: count) + 20)
    }
}
