internal import LuaVM

extension LuaVM {
    /// Makes an empty table, with weak keys or values where `mode` says so as `__mode` does.
    func makeTable(weak mode: String? = nil) -> LuaReference {
        let state = main
        state.newTable()
        if let mode {
            state.newTable()
            state.push(mode)
            state.rawSet(-2, "__mode")
            state.setMetatable(-2)
        }
        return makeReference(state)
    }
}
