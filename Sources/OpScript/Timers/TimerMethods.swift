internal import LuaVM
internal import Scheduling

/// `timer:fire()`: calls the timer's action before it returns, and raises the action's error.
func timerFire(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let timer = try runtime.timers.requireTimer(state, 1)
        guard timer.pointee.isValid, !timer.pointee.isEnding, timer.pointee.action != .none else { return 0 }
        timer.pointee.fireCount += 1
        state.setTop(1)
        state.pushValue(1)
        let first = state.top
        runtime.timers.pushAction(of: timer, state)
        runtime.timers.blockBegins(of: timer)
        let arguments = Int(state.top - first)
        state.push(continuation: endFire)
        return LuaReply.callThen(arguments)
    }
}

private func endFire(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let timer = runtime.timers.timer(state, 1), runtime.timers.blockEnds(of: timer) {
        runtime.timers.invalidate(timer, at: 1, state)
    }
    if state.boolean(base) { return 0 }
    state.setTop(base + 1)
    runtime.replaceRaised(state, frames: runtime.vm.takeFrames())
    return LuaReply.raise
}

func timerInvalidate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.timers.invalidate(try runtime.timers.requireTimer(state, 1), at: 1, state)
        return 0
    }
}

func timerSchedule(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let timer = try runtime.timers.requireTimer(state, 1)
        guard timer.pointee.isValid else {
            throw .misuse("this timer was invalidated and cannot be used again; make a new one")
        }
        try runtime.timers.schedule(timer, at: 1, state)
        state.setTop(1)
        return 1
    }
}
