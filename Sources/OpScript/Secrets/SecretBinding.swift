internal import LuaVM

/// `secret(value)`: the value, which no text of OpScript shows from now on.
enum SecretBinding {
    static let function = ScriptMethod("secret", "value", scriptSecret)
}

private func scriptSecret(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.type(1) == .string, let value = state.bytes(1) else {
            throw LuaRaise(argument: 1, "string expected, got \(runtime.operations.kindName(state, 1))")
        }
        do throws(ScriptError) {
            try runtime.link.secrets.add(value)
        } catch {
            if error.code == .argument { throw LuaRaise(argument: 1, error.message) }
            throw LuaRaise(error)
        }
        state.setTop(1)
        return 1
    }
}
