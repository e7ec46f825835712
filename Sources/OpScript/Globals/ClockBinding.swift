internal import LuaVM
internal import Scheduling

/// The table `clock`.
enum ClockBinding {
    static let functions: [ScriptMethod] = [
        .init("now", "", clockNow),
        .init("date", "", clockDate),
        .init("advance", "seconds", clockAdvance),
        .init("run", "", clockRun),
    ]

    static func install(_ state: LuaState, into types: Int32) {
        state.newTable()
        state.newTable()
        state.newTable()
        state.setMethods(functions, areMethods: false)
        state.push(0)
        state.rawSet(-2, "isVirtual")
        state.pushIndex(getter: clockGet, fallback: clockGetOther)
        state.rawSet(-2, "__index")
        state.push("clock")
        state.rawSet(-2, "__metatable")
        state.setMetatable(-2)
        state.rawSet(types, "clock")
    }
}

private func clockNow(_ raw: OpaquePointer) -> Int32 {
    let runtime = runtime(raw)
    LuaState(raw).push(Double(runtime.scheduler.clock.now - runtime.run.clockOrigin) / 1e9)
    return 1
}

private func clockDate(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push(runtime(raw).virtualTime.date)
    return 1
}

private func clockGet(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    LuaState(raw).push(runtime(raw).virtualTime.simulation != nil)
    return 1
}

private func clockGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "clock",
            among: ["now", "date", "isVirtual", "advance", "run"]
        )
    }
}

/// `clock.advance(seconds)`: lets virtual time pass, and everything that is due meanwhile happen.
private func clockAdvance(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard runtime.virtualTime.simulation != nil else {
            throw .misuse("'clock.advance' is for virtual time; on the real clock use sleep")
        }
        guard let seconds = try runtime.waits.seconds(state, 1), seconds >= 0 else {
            throw LuaRaise(argument: 1, "a number of seconds expected, got \(state.summary(1))")
        }
        // Time jumps to each due moment in between by itself while this waits.
        let task = try runtime.waits.waitingTask(state)
        guard state.canWait else { return LuaReply.wait }
        runtime.waits.beginWait(task, .time, seconds: seconds, state)
        state.push(continuation: endWithNothing)
        return LuaReply.waitThen
    }
}

/// `clock.run()`: lets virtual time pass until nothing more is due.
private func clockRun(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard runtime.virtualTime.simulation != nil else {
            throw .misuse(
                "'clock.run' is for virtual time; on the real clock wait for a queue or an operation"
            )
        }
        let task = try runtime.waits.waitingTask(state)
        guard state.canWait else { return LuaReply.wait }
        let wait = runtime.waits.beginWait(task, .something("the clock"), state)
        runtime.waits.clockRuns.append(wait)
        state.push(continuation: endWithNothing)
        return LuaReply.waitThen
    }
}
