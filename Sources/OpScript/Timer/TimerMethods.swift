internal import LuaVM
internal import Scheduling

/// `timer:fire()`: runs it before it returns, and raises its error.
func timerFire(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.requireTimer(state, 1)
        guard timer.isValid, !timer.isEnding else { return 0 }
        timer.fireCount += 1
        state.setTop(1)
        let first = state.top
        guard runtime.pushAction(of: timer, state) else { return 0 }
        timer.busyCount += 1
        if !timer.repeats {
            timer.isEnding = true
            timer.isScheduled = false
            if let handle = timer.handle.take() { runtime.dueTimes.cancel(handle) }
            runtime.timers[ObjectIdentifier(timer)] = nil
        }
        let arguments = Int(state.top - first) - 1
        state.push(continuation: endFire)
        return LuaReply.callThen(arguments)
    }
}

private func endFire(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let timer = runtime.timer(state, 1) { runtime.timerReturned(timer) }
    if state.boolean(base) { return 0 }
    state.pushValue(base + 1)
    return LuaReply.raise
}

func timerInvalidate(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        runtime.invalidate(try runtime.requireTimer(state, 1))
        return 0
    }
}

func timerSchedule(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.requireTimer(state, 1)
        guard timer.isValid else {
            throw .misuse("this timer was invalidated, which is for good; make a new one")
        }
        runtime.schedule(timer, state)
        state.setTop(1)
        return 1
    }
}
