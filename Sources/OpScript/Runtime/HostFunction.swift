internal import LuaVM

/// Runs a host function of the hot path, with its runtime and its stack; what it throws is raised with its position.
///
/// The runtime outlives every call from Lua, so no reference to it is counted here.
@inline(__always)
func hosted(
    _ raw: OpaquePointer,
    _ body: (ScriptRuntime, LuaState) throws(LuaRaise) -> Int32
) -> Int32 {
    let state = LuaState(raw)
    guard let host = state.host else {
        preconditionFailure("a host function was called without its runtime")
    }
    return Unmanaged<ScriptRuntime>.fromOpaque(host)._withUnsafeGuaranteedRef { runtime in
        runtime.guarded(state) { () throws(LuaRaise) in try body(runtime, state) }
    }
}

/// The commonest case of a host function of the hot path, which raises nothing; false where this call is another one,
/// and nothing has happened.
///
/// All other cases are for a function of its own: one that can raise keeps room for an error, which costs each call
/// some fifty instructions.
@inline(__always)
func shortly(_ raw: OpaquePointer, _ body: (ScriptRuntime, LuaState) -> Bool) -> Bool {
    let state = LuaState(raw)
    guard let host = state.host else { return false }
    return Unmanaged<ScriptRuntime>.fromOpaque(host)._withUnsafeGuaranteedRef { body($0, state) }
}

/// The runtime that a host function belongs to.
@inline(__always)
func runtime(_ raw: OpaquePointer) -> ScriptRuntime {
    guard let host = LuaState(raw).host else {
        preconditionFailure("a host function was called without its runtime")
    }
    return Unmanaged<ScriptRuntime>.fromOpaque(host).takeUnretainedValue()
}
