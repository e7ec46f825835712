internal import LuaVM

extension LuaVM {
    /// Makes an empty table; `mode` makes keys or values weak as `__mode` does.
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
