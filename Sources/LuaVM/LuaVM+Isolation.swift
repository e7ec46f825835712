internal import CLua

/// A universe that runs one function after the other; no function sees traces of another one.
extension LuaVM {
    /// Seals the libraries, once: from then on each `pushFreshGlobals` starts from them as they are now.
    ///
    /// - Parameter refusing: Names of globals whose use raises an error with the reason why they are missing.
    public func seal(refusing names: [String]) {
        let state = main
        state.withBalancedStack {
            state.newTable(fields: names.count)
            for name in names {
                state.push(true)
                state.rawSet(-2, name)
            }
            if clua_seal(state.raw, -1) != LUA_OK {
                preconditionFailure("Lua's libraries cannot be sealed: \(state.string(-1) ?? "?")")
            }
            state.pop()
        }
    }

    /// Makes new globals over the sealed libraries, for all code that is loaded from now on, and pushes them.
    /// [-0, +1, m]
    public func pushFreshGlobals() {
        warningsEnabled = false
        clua_push_fresh_globals(main.raw)
    }

    /// Pushes a library, or a function of it, by name: `string`, `table.insert`; nil if there is none. [-0, +1, m]
    public func pushLibraryValue(_ name: String) { clua_push_library_value(main.raw, name) }

    /// Whether a change was made that the next function would see; then the universe must not be used again.
    public var isTainted: Bool {
        get { context.pointee.is_tainted != 0 }
        set { context.pointee.is_tainted = newValue ? 1 : 0 }
    }
}
