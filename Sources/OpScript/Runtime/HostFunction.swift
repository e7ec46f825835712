internal import LuaVM

/// Runs a host function of the hot path, with its runtime and its stack; a thrown error is raised with its position.
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

/// Runs the fast path of a host function, which raises no errors; false, without any effect, if the call needs the slow
/// path.
///
/// The slow path is a separate function: a function that can raise reserves space for an error, which costs each call
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
