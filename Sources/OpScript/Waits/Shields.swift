internal import LuaVM

/// Coroutines that are inside of `shield`, by the task in which they called it.
///
/// A shield covers the coroutine that called it and the coroutines that this one resumes, but not code that
/// runs while the coroutine has yielded inside.
struct Shields {
    private var coroutines: [ObjectIdentifier: [OpaquePointer]] = [:]

    mutating func begin(_ task: ScriptTask, _ coroutine: OpaquePointer) {
        let key = ObjectIdentifier(task)
        // A task that ended inside of shields has left its entries behind.
        if task.shieldDepth == 0 { coroutines[key] = nil }
        task.shieldDepth += 1
        coroutines[key, default: []].append(coroutine)
    }

    /// No effect if the coroutine entered the shield in another task than the one where it now leaves it.
    mutating func end(_ task: ScriptTask, _ coroutine: OpaquePointer) {
        let key = ObjectIdentifier(task)
        guard task.shieldDepth > 0, let place = coroutines[key]?.lastIndex(of: coroutine) else { return }
        task.shieldDepth -= 1
        coroutines[key]?.remove(at: place)
        if task.shieldDepth == 0 { coroutines[key] = nil }
    }

    /// Whether the running code of a task that has shields is inside of one.
    func cover(_ task: ScriptTask, _ vm: LuaVM) -> Bool {
        coroutines[ObjectIdentifier(task)]?.contains(where: vm.isActive) ?? false
    }

    /// Removes all entries, as no task is left.
    mutating func removeAll() { coroutines = [:] }
}

/// `shield(fn, ...)`: waits inside are not interrupted by a cancellation.
func scriptShield(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard runtime.waits.isCallable(state, 1) else {
            throw LuaRaise(argument: 1, "function expected, got \(runtime.kindName(state, 1))")
        }
        if let task = runtime.bodies.current { runtime.waits.shields.begin(task, raw) }
        let arguments = Int(state.top) - 1
        state.push(continuation: endShield)
        return LuaReply.callThen(arguments)
    }
}

private func endShield(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let task = runtime.bodies.current { runtime.waits.shields.end(task, raw) }
    if state.boolean(base) { return state.top - base }
    state.pushValue(base + 1)
    return LuaReply.raise
}
