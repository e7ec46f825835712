internal import LuaVM
internal import Scheduling

/// The randomness that scripts can observe, if a seed fixes it. The Lua state itself handles the order of `pairs` and
/// `next`.
extension VirtualTime {
    /// Seeds the random functions, makes `os.time` and the like use the virtual clock, and guards the
    /// functions that cannot be controlled.
    func controlChance(_ seed: UInt64) {
        let state = vm.main
        let base = state.top
        defer { state.setTop(base) }
        if state.getGlobal("math") == .table { fixRandom(seed, state) }
        state.setTop(base)
        if state.getGlobal("os") == .table {
            if simulation != nil {
                replace("time", by: virtualTime, state)
                replace("date", by: virtualDate, state)
                state.push(virtualClock)
                state.rawSet(-2, "clock")
            }
            for name in ["execute", "tmpname"] as [StaticString] { guardField(name, of: "os", state) }
        }
        state.setTop(base)
        if state.getGlobal("io") == .table { guardField("popen", of: "io", state) }
    }

    /// `math.random` yields a fixed sequence; `math.randomseed()`, which would choose one at random, yields the next
    /// fixed one.
    private func fixRandom(_ seed: UInt64, _ state: LuaState) {
        let library = state.top
        guard state.rawGet(library, "randomseed") == .function else { return }
        state.push(Int(bitPattern: UInt(seed)))
        do throws(LuaError) {
            try state.call(arguments: 1)
        } catch {
            preconditionFailure("math.randomseed refuses an integer: \(error)")
        }
        state.push(Int(bitPattern: UInt(seed)))
        _ = state.rawGet(library, "randomseed")
        state.push(fixedRandomSeed, upvalues: 2)
        state.rawSet(library, "randomseed")
    }

    /// Replaces a function in the table on top by one that has the original as its upvalue.
    private func replace(_ name: StaticString, by function: LuaFunction, _ state: LuaState) {
        guard state.rawGet(-1, name) == .function else { return state.pop() }
        state.push(function, upvalues: 1)
        state.rawSet(-2, name)
    }

    private func guardField(_ name: StaticString, of library: String, _ state: LuaState) {
        guard state.rawGet(-1, name) == .function else { return state.pop() }
        state.push("\(library).\(name)")
        state.push(guardedFunction, upvalues: 2)
        state.rawSet(-2, name)
    }

    // MARK: Uncontrolled functions

    /// Warns once of something that neither seed nor virtual clock controls; with `isStrict`, refuses it.
    func noteUncontrolled(_ what: String, _ remedy: String) throws(LuaRaise) {
        guard configuration.chanceSeed != nil else { return }
        if configuration.isStrict {
            throw .misuse("\(what) is refused in a strict run: no seed controls it; \(remedy)")
        }
        guard namedUncontrolled.insert(what).inserted else { return }
        runtime.diagnose("warning: no seed controls \(what): two runs may differ; \(remedy)")
    }

    /// The reason why a run with a seed cannot begin: it is strict, and its clock is a real one.
    func clockProblem() -> ScriptError? {
        guard configuration.seed != nil, simulation == nil else { return nil }
        do throws(LuaRaise) {
            try noteUncontrolled("the system's clock", "run it under virtual time (--virtual)")
            return nil
        } catch {
            return ScriptError(
                .misuse,
                "a strict run needs virtual time (--virtual): no seed controls the system's clock"
            )
        }
    }
}

/// `math.randomseed(...)`; upvalues: the seed of the run, the stock function.
private func fixedRandomSeed(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let count = state.top
    if count == 0 {
        let next = (state.integer(LuaState.upvalue(1)) ?? 0) &+ 1
        state.push(next)
        state.pushValue(-1)
        state.replace(LuaState.upvalue(1))
    }
    state.pushValue(LuaState.upvalue(2))
    state.insert(1)
    return LuaReply.call(max(1, Int(count)))
}

/// `os.clock()`: virtual seconds; where dates are real, with the processor time that was used.
private func virtualClock(_ raw: OpaquePointer) -> Int32 {
    let runtime = runtime(raw)
    let used = runtime.configuration.control.beginsAtRealDate ? WallClock.processorSeconds : 0
    LuaState(raw).push(used + Double(runtime.scheduler.clock.now) / 1e9)
    return 1
}

/// `os.time([table])`; upvalue: the stock function, which computes the time that a table represents.
private func virtualTime(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard state.isNoneOrNil(1) else { return callStock(state) }
    state.push(Int(runtime(raw).virtualTime.date))
    return 1
}

/// `os.date([format [, time]])`; upvalue: the stock function.
private func virtualDate(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    if state.isNoneOrNil(2) {
        if state.isNoneOrNil(1) {
            state.setTop(0)
            state.push("%c")
        }
        state.setTop(1)
        state.push(Int(runtime(raw).virtualTime.date))
    }
    return callStock(state)
}

func callStock(_ state: LuaState) -> Int32 {
    let count = state.top
    state.pushValue(LuaState.upvalue(1))
    state.insert(1)
    return LuaReply.call(Int(count))
}

/// A stock function that reaches outside; upvalues: the stock function, its name.
private func guardedFunction(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let name = state.string(LuaState.upvalue(2)) ?? "?"
        let remedy =
            name == "os.tmpname"
            ? "use a name of the script's own" : "use work.process, which can be simulated"
        try runtime.virtualTime.noteUncontrolled("'\(name)'", remedy)
        return callStock(state)
    }
}
