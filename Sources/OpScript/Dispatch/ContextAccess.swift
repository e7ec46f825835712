internal import LuaVM

/// How the methods of a type are reached whose only property is `context`.
struct ContextAccess {
    var type: String
    var methods: [(StaticString, LuaFunction)]
    /// Refuses what is neither method nor property.
    var missing: LuaFunction
    var text: LuaFunction

    func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__tostring", text)])
        state.newTable(fields: methods.count + 1)
        state.setFunctions(methods)
        state.push(0)
        state.rawSet(-2, "context")
        state.pushIndex(getter: contextGet, fallback: missing)
        state.rawSet(-2, "__index")
        state.newTable(fields: 1)
        state.push(0)
        state.rawSet(-2, "context")
        state.pushNewIndex(setter: contextSet, fallback: missing)
        state.rawSet(-2, "__newindex")
        return LuaMetatable(state, name: type, isBox: true)
    }
}

/// Refuses a property that a type with a context and methods does not have.
func refuse(_ raw: OpaquePointer, _ type: String, _ methods: [(StaticString, LuaFunction)]) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: type,
            among: ["context"] + methods.map { $0.0.description }
        )
    }
}

private func contextGet(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    ObjectFinalizer.pushContext(of: 1, LuaState(raw))
    return 1
}

private func contextSet(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    let state = LuaState(raw)
    // A script with `debug` may call this with anything.
    guard state.type(1) == .userdata else { return 0 }
    ObjectFinalizer.setContext(of: 1, from: 3, state, runtime(raw))
    return 0
}
