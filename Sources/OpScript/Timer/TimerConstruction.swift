internal import LuaVM
internal import Scheduling

func makeUnscheduledTimer(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        state.removeFirst()
        let timer = try runtime.readTimer(state)
        runtime.push(timer, state)
        return 1
    }
}

func makeScheduledTimer(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.readTimer(state)
        runtime.push(timer, state)
        runtime.schedule(timer, state)
        return 1
    }
}

func makeCronTimer(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        guard let text = state.string(1) else {
            throw LuaRaise(
                argument: 1,
                "five fields expected, as in \"*/5 * * * *\", got \(runtime.kindName(state, 1))"
            )
        }
        guard state.isFunction(2) else {
            throw LuaRaise(argument: 2, "function expected, got \(runtime.kindName(state, 2))")
        }
        let schedule: CronSchedule
        do throws(CronSchedule.Mismatch) {
            schedule = try CronSchedule(text)
        } catch {
            throw LuaRaise(argument: 1, error.sentence)
        }
        let timer = ScriptTimer(
            interval: 60,
            repeats: true,
            action: .block,
            place: state.place(level: 1)
        )
        timer.values = [(TimerValue.subject, runtime.reference(to: 2, state))]
        timer.cron = schedule
        runtime.push(timer, state)
        runtime.schedule(timer, state)
        return 1
    }
}

extension ScriptRuntime {
    /// Reads `{ interval, repeats, block, … }`, or interval, repeats and block one after the other.
    func readTimer(_ state: LuaState) throws(LuaRaise) -> ScriptTimer {
        let place = state.place(level: 1)
        guard state.isTable(1) else {
            guard let interval = state.number(1), !interval.isNaN else {
                throw LuaRaise(argument: 1, "number or table expected, got \(kindName(state, 1))")
            }
            guard state.type(2) == .boolean else {
                throw LuaRaise(argument: 2, "boolean expected, got \(kindName(state, 2))")
            }
            guard state.isFunction(3) else {
                throw LuaRaise(argument: 3, "function expected, got \(kindName(state, 3))")
            }
            let repeats = state.boolean(2)
            let timer = ScriptTimer(interval: interval, repeats: repeats, action: .block, place: place)
            timer.values = [(TimerValue.subject, reference(to: 3, state))]
            return timer
        }
        state.setTop(1)
        let options = OptionTable(self, state, 1, of: "Timer")
        let positional = state.rawGet(1, 1) == .number ? state.number(-1) : nil
        state.pop()
        let named = try options.number("interval")
        let other = try options.number("timeInterval")
        let interval = named ?? other ?? positional
        let repeats = try options.boolean("repeats") ?? false
        let timer = ScriptTimer(interval: interval ?? 0, repeats: repeats, action: nil, place: place)
        timer.tolerance = try options.number("tolerance", atLeast: 0) ?? 0
        if let userInfo = options.reference("userInfo") {
            timer.values.append((TimerValue.userInfo, userInfo))
        }
        timer.keepsAlive = try options.boolean("keepsAlive") ?? true
        timer.overlaps = try options.boolean("overlaps") ?? false
        if let moment = try options.number("fireDate") {
            timer.deadline =
                scheduler.clock.now
                + SchedulerClock.nanoseconds(moment - WallClock.now(scheduler.clock))
            timer.hasFireDate = true
        } else if interval == nil {
            throw LuaRaise(.argument, "bad value for 'interval' (number expected, got nil)")
        }
        timer.action = try readAction(options, of: timer, state)
        try options.refuseOthers(allowingArray: positional != nil)
        return timer
    }

    private func readAction(
        _ options: OptionTable,
        of timer: ScriptTimer,
        _ state: LuaState
    ) throws(LuaRaise) -> ScriptTimer.Action {
        var actions: [(ScriptTimer.Action, LuaReference)] = []
        if let block = try options.function("block") { actions.append((.block, block)) }
        let target = options.reference("target")
        let selector = try options.string("selector")
        switch (target, selector) {
        case (let target?, let selector?): actions.append((.selector(name: selector), target))
        case (nil, nil): break
        default: throw LuaRaise(.argument, "'target' and 'selector' belong together: give both")
        }
        if options.push("invocation") {
            guard state.isTable(-1) else { throw options.mismatch("invocation", "table") }
            _ = state.rawGet(-1, 2)
            guard state.type(-1) == .string else {
                throw LuaRaise(.argument, "bad value for 'invocation' ({ target, \"method\", … } expected)")
            }
            state.pop()
            actions.append((.invocation, reference(to: -1, state)))
            state.pop()
        }
        let operation = try options.function("operation")
        var queue = standardQueue
        if options.push("queue") {
            guard let chosen = self.queue(state, -1) else { throw options.mismatch("queue", "queue") }
            queue = chosen
            state.pop()
        }
        if let operation { actions.append((.operation, operation)) }
        guard actions.count == 1 else {
            throw LuaRaise(
                .argument,
                "a timer needs one of 'block', 'target' with 'selector', 'invocation' and 'operation', got "
                    + (actions.isEmpty ? "none" : "\(actions.count)")
            )
        }
        timer.values.append((TimerValue.subject, actions[0].1))
        if operation != nil { timer.values.append((TimerValue.queue, queueReference(queue))) }
        return actions[0].0
    }
}
