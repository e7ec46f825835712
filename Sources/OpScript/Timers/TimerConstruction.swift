internal import LuaVM
internal import Scheduling

func makeUnscheduledTimer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard state.isTable(1) else {
            throw LuaRaise(argument: 1, "table expected, got \(runtime.operations.kindName(state, 1))")
        }
        _ = try runtime.timers.readTimer(state)
        return 1
    }
}

func makeScheduledTimer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let timer = try runtime.timers.readTimer(state)
        try runtime.timers.schedule(timer, at: -1, state)
        return 1
    }
}

func makeCronTimer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let text = state.string(1) else {
            throw LuaRaise(
                argument: 1,
                "five fields expected, as in \"*/5 * * * *\", got \(runtime.operations.kindName(state, 1))"
            )
        }
        guard state.isFunction(2) else {
            throw LuaRaise(argument: 2, "function expected, got \(runtime.operations.kindName(state, 2))")
        }
        let schedule: CronSchedule
        do throws(CronSchedule.Mismatch) {
            schedule = try CronSchedule(text)
        } catch {
            throw LuaRaise(argument: 1, error.sentence)
        }
        let timers = runtime.timers
        guard schedule.next(after: runtime.virtualTime.date, timers.localTime) != nil else {
            throw LuaRaise(
                argument: 1,
                "this moment never occurs: the clocks of this zone skip '\(schedule.text)' each time"
            )
        }
        let timer = runtime.timers.newTimer(
            state,
            interval: 60,
            repeats: true,
            .block,
            place: state.place(level: 1),
            userValues: TimerValue.fields
        )
        timer.pointee.hasCalendar = true
        state.pushValue(2)
        _ = state.setUserValue(-2, TimerValue.subject)
        state.push(schedule.text)
        _ = state.setUserValue(-2, TimerValue.fields)
        try runtime.timers.schedule(timer, at: -1, state, by: schedule)
        return 1
    }
}

extension Timers {
    /// Makes a timer from a table `{ interval, repeats, block, … }`, or from the arguments interval, repeats and block.
    /// [-0, +1, -]
    fileprivate func readTimer(_ state: LuaState) throws(LuaRaise) -> TimerPointer {
        let place = state.place(level: 1)
        guard !state.isTable(1) else {
            for index in 2...3 as ClosedRange<Int32> where !state.isNoneOrNil(index) {
                throw LuaRaise(argument: index, "no value expected, got \(state.summary(index))")
            }
            state.setTop(1)
            return try readTimer(OptionTable(runtime, state, 1, of: "Timer"), place, state)
        }
        guard let interval = state.number(1), !interval.isNaN else {
            throw LuaRaise(argument: 1, "number or table expected, got \(operations.kindName(state, 1))")
        }
        guard state.type(2) == .boolean else {
            throw LuaRaise(argument: 2, "boolean expected, got \(operations.kindName(state, 2))")
        }
        guard state.isFunction(3) else {
            throw LuaRaise(argument: 3, "function expected, got \(operations.kindName(state, 3))")
        }
        let timer = newTimer(state, interval: interval, repeats: state.boolean(2), .block, place: place)
        state.pushValue(3)
        _ = state.setUserValue(-2, TimerValue.subject)
        return timer
    }

    /// The same from a table at index 1. [-0, +1, -]
    private func readTimer(_ options: OptionTable, _ place: LuaPlace, _ state: LuaState) throws(LuaRaise)
        -> TimerPointer
    {
        let positional = state.rawGet(1, 1) == .number ? state.number(-1) : nil
        state.pop()
        let named = try options.number("interval")
        let other = try options.number("timeInterval")
        let interval = named ?? other ?? positional
        let repeats = try options.boolean("repeats") ?? false
        let timer = newTimer(state, interval: interval ?? 0, repeats: repeats, .none, place: place)
        let made = state.top
        timer.pointee.tolerance = try options.number("tolerance", atLeast: 0) ?? 0
        if options.push("userInfo") { _ = state.setUserValue(made, TimerValue.userInfo) }
        timer.pointee.keepsAlive = try options.boolean("keepsAlive") ?? true
        timer.pointee.overlaps = try options.boolean("overlaps") ?? false
        if let moment = try options.number("fireDate") {
            aim(timer, at: moment)
            timer.pointee.hasFireDate = true
        }
        timer.pointee.action = try readAction(options, of: made, state)
        state.setTop(made)
        try options.refuseOthers(allowingArray: positional != nil)
        // After the other names, so that a misspelt 'interval' is named.
        if interval == nil, !timer.pointee.hasFireDate {
            throw LuaRaise(.argument, "bad value for 'interval' (number expected, got nil)")
        }
        return timer
    }

    /// Refuses a target that lacks the method, at the creation of the timer.
    ///
    /// - Parameter option: The option that names the method.
    private func checkMethod(
        _ name: String,
        of target: Int32,
        for option: String,
        _ state: LuaState
    ) throws(LuaRaise) {
        let problem = "the target of the timer has no method '\(name)'"
        let culprit = option == "selector" ? "target" : option
        guard state.isTable(target) || state.type(target) == .userdata else {
            throw LuaRaise(
                .argument,
                "bad value for '\(culprit)' (\(problem): it is a \(operations.kindName(state, target)))"
            )
        }
        do throws(LuaError) {
            _ = try state.getField(target, name)
        } catch {
            throw LuaRaise(.argument, "bad value for '\(culprit)' (\(problem): \(error.message))")
        }
        guard state.isFunction(-1) else {
            throw LuaRaise(.argument, "bad value for '\(option)' (\(problem))")
        }
        state.pop()
    }

    /// Refuses a table at an index from which no operation can be made. [-0, +0, -]
    private func checkOperation(_ index: Int32, _ state: LuaState) throws(LuaRaise) {
        defer { state.pop() }
        guard state.rawGet(index, "work") == .string, let work = state.string(-1) else {
            throw LuaRaise(
                .argument,
                "bad value for 'operation' (a table needs a 'work': a function makes any other operation)"
            )
        }
        guard operations.works.catalogue.index(of: work) != nil else { throw operations.unknownWork(work) }
    }

    /// Stores the action of the timer at an index in the timer's user values.
    private func readAction(
        _ options: OptionTable,
        of timer: Int32,
        _ state: LuaState
    ) throws(LuaRaise) -> TimerView.Action {
        var actions: [TimerView.Action] = []
        if options.push("block") {
            guard state.isFunction(-1) else { throw options.mismatch("block", "function") }
            _ = state.setUserValue(timer, TimerValue.subject)
            actions.append(.block)
        }
        let hasTarget = options.push("target")
        let target = state.top
        let selector = try options.string("selector")
        switch (hasTarget, selector) {
        case (true, let selector?):
            try checkMethod(selector, of: target, for: "selector", state)
            state.newTable(array: 2)
            state.pushValue(target)
            state.rawSet(-2, 1)
            state.push(selector)
            state.rawSet(-2, 2)
            _ = state.setUserValue(timer, TimerValue.subject)
            actions.append(.selector)
        case (false, nil): break
        default: throw LuaRaise(.argument, "'target' and 'selector' belong together: give both")
        }
        if options.push("invocation") {
            guard state.isTable(-1) else { throw options.mismatch("invocation", "table") }
            _ = state.rawGet(-1, 2)
            guard state.type(-1) == .string else {
                throw LuaRaise(.argument, "bad value for 'invocation' ({ target, \"method\", … } expected)")
            }
            let method = state.string(-1) ?? ""
            _ = state.rawGet(-2, 1)
            try checkMethod(method, of: state.top, for: "invocation", state)
            state.pop(2)
            _ = state.setUserValue(timer, TimerValue.subject)
            actions.append(.invocation)
        }
        let hasOperation = options.push("operation")
        if hasOperation {
            if state.isTable(-1) {
                try checkOperation(state.top, state)
            } else if !state.isFunction(-1) {
                throw options.mismatch("operation", "function, or table as for Operation,")
            }
            _ = state.setUserValue(timer, TimerValue.subject)
            actions.append(.operation)
        }
        if options.push("queue") {
            guard queues.scriptQueue(state, -1) != nil else { throw options.mismatch("queue", "queue") }
            if hasOperation { _ = state.setUserValue(timer, TimerValue.queue) }
        } else if hasOperation {
            queues.queueReference(queues.standardQueue).push(state)
            _ = state.setUserValue(timer, TimerValue.queue)
        }
        guard let action = actions.first, actions.count == 1 else {
            throw LuaRaise(
                .argument,
                "a timer needs one of 'block', 'target' with 'selector', 'invocation' and 'operation', got "
                    + (actions.isEmpty ? "none" : "\(actions.count)")
            )
        }
        return action
    }
}
