internal import LuaVM
internal import Scheduling

enum TimerBinding {
    enum Property: Int, CaseIterable {
        case interval, timeInterval, repeats, tolerance, userInfo, fireDate, isValid, fireCount, missedCount,
            keepsAlive
        case overlaps
    }

    static let settable: [Property] = [
        .interval, .timeInterval, .repeats, .tolerance, .userInfo, .fireDate, .keepsAlive, .overlaps,
    ]
    static let methods: [(StaticString, LuaFunction)] = [
        ("fire", timerFire), ("invalidate", timerInvalidate), ("schedule", timerSchedule),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__tostring", timerToString)])
        state.newTable()
        state.setFunctions(methods)
        for property in Property.allCases {
            state.push(property.rawValue)
            state.rawSet(-2, String(describing: property))
        }
        state.pushIndex(getter: timerGet, fallback: timerGetOther)
        state.rawSet(-2, "__index")
        state.newTable()
        for property in settable {
            state.push(property.rawValue)
            state.rawSet(-2, String(describing: property))
        }
        state.pushNewIndex(setter: timerSet, fallback: timerSetOther)
        state.rawSet(-2, "__newindex")
        return LuaMetatable(state, name: "Timer", isBox: true)
    }

    static func install(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(
            state,
            "Timer",
            makeUnscheduled,
            [
                ("scheduledTimer", makeScheduled), ("cron", makeCron),
            ]
        )
        state.rawSet(types, "Timer")
    }
}

// MARK: Making

private func makeUnscheduled(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        state.remove(1)
        let timer = try runtime.readTimer(state)
        runtime.push(timer, state)
        return 1
    }
}

private func makeScheduled(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.readTimer(state)
        runtime.push(timer, state)
        runtime.schedule(timer, state)
        return 1
    }
}

private func makeCron(_ raw: OpaquePointer) -> Int32 {
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
            action: .block(runtime.reference(to: 2, state)),
            place: state.place(level: 1)
        )
        timer.cron = schedule
        runtime.push(timer, state)
        runtime.schedule(timer, state)
        return 1
    }
}

extension ScriptRuntime {
    /// Reads `{ interval, repeats, block, … }`, or interval, repeats and block one after the other.
    fileprivate func readTimer(_ state: LuaState) throws(LuaRaise) -> ScriptTimer {
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
            return ScriptTimer(
                interval: interval,
                repeats: repeats,
                action: .block(reference(to: 3, state)),
                place: place
            )
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
        timer.userInfo = options.reference("userInfo")
        timer.keepsAlive = try options.boolean("keepsAlive") ?? true
        timer.overlaps = try options.boolean("overlaps") ?? false
        if let moment = try options.number("fireDate") {
            timer.deadline =
                scheduler.clock.now
                + SchedulerClock.nanoseconds(moment - WallClock.now(scheduler.clock))
            timer.hasFireDate = true
        } else if interval == nil {
            throw LuaRaise(argument: 1, "bad value for 'interval' (number expected, got nil)")
        }
        timer.action = try readAction(options, state)
        try options.refuseOthers(allowingArray: positional != nil)
        return timer
    }

    private func readAction(_ options: OptionTable, _ state: LuaState) throws(LuaRaise) -> ScriptTimer.Action
    {
        var actions: [ScriptTimer.Action] = []
        if let block = try options.function("block") { actions.append(.block(block)) }
        let target = options.reference("target")
        let selector = try options.string("selector")
        switch (target, selector) {
        case (let target?, let selector?): actions.append(.selector(target: target, name: selector))
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
            actions.append(.invocation(reference(to: -1, state)))
            state.pop()
        }
        let operation = try options.function("operation")
        var queue = standardQueue
        if options.push("queue") {
            guard let chosen = self.queue(state, -1) else { throw options.mismatch("queue", "queue") }
            queue = chosen
            state.pop()
        }
        if let operation { actions.append(.operation(operation, queue)) }
        guard actions.count == 1 else {
            throw LuaRaise(
                .argument,
                "a timer needs one of 'block', 'target' with 'selector', 'invocation' and 'operation', got "
                    + (actions.isEmpty ? "none" : "\(actions.count)")
            )
        }
        return actions[0]
    }

    func timer(_ state: LuaState, _ index: Int32) -> ScriptTimer? {
        state.box(index, metatables.timer, as: ScriptTimer.self)
    }

    func requireTimer(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptTimer {
        if let timer = timer(state, index) { return timer }
        throw LuaRaise(argument: index, "timer expected, got \(kindName(state, index))")
    }

    func push(_ timer: ScriptTimer, _ state: LuaState) {
        sharedObjects.push(state)
        let address = UnsafeRawPointer(Unmanaged.passUnretained(timer).toOpaque())
        if state.rawGet(-1, address: address) == .userdata {
            state.remove(-2)
            return
        }
        state.pop()
        state.pushBox(timer, metatables.timer)
        state.pushValue(-1)
        state.rawSet(-3, address: address)
        state.remove(-2)
    }

    // MARK: Scheduling

    /// The first fire is one interval from now, or at the fire date.
    func schedule(_ timer: ScriptTimer, _ state: LuaState) {
        guard timer.isValid, !timer.isScheduled else { return }
        if isCancelled {
            timer.isValid = false
            return
        }
        timer.isScheduled = true
        if timer.hasFireDate {
            timer.hasFireDate = false
        } else {
            timer.deadline = nextDeadline(timer, after: scheduler.clock.now)
        }
        timers[ObjectIdentifier(timer)] = timer
        push(timer, state)
        timer.anchor = vm.makeReference(state)
        arm(timer)
    }

    private func nextDeadline(_ timer: ScriptTimer, after now: Int64) -> Int64 {
        if let cron = timer.cron {
            let wall = WallClock.now(scheduler.clock)
            guard let next = cron.next(after: wall) else { return .max }
            return now + SchedulerClock.nanoseconds(next - wall)
        }
        let (deadline, overflow) = now.addingReportingOverflow(timer.step)
        return overflow ? .max : deadline
    }

    private func arm(_ timer: ScriptTimer) {
        if let handle = timer.handle.take() { dueTimes.cancel(handle) }
        timer.handle = dueTimes.schedule(at: timer.deadline, .timer(timer))
    }

    /// At once and for good; lets go of what the timer holds.
    func invalidate(_ timer: ScriptTimer) {
        timer.isValid = false
        timer.isScheduled = false
        if let handle = timer.handle.take() { dueTimes.cancel(handle) }
        timers[ObjectIdentifier(timer)] = nil
        timer.action = nil
        timer.userInfo = nil
        timer.anchor = nil
    }

    /// A timer is due.
    func fire(_ timer: ScriptTimer) {
        guard timer.isValid, timer.isScheduled else { return }
        let now = scheduler.clock.now
        // Made out before the block runs, so that the block can change it.
        if timer.repeats {
            if timer.cron != nil {
                timer.deadline = nextDeadline(timer, after: max(now, timer.deadline))
            } else {
                let late = max(0, now - timer.deadline) / timer.step
                timer.missedCount += Int(late)
                timer.deadline += (late + 1) * timer.step
            }
            arm(timer)
        }
        if let id = timer.operation, let block = liveBlock(id), !block.pointee.isFinished, !timer.overlaps {
            timer.missedCount += 1
            return
        }
        if timer.busyCount > 0, !timer.overlaps {
            timer.missedCount += 1
            return
        }
        timer.fireCount += 1
        let task = makeTask()
        if pushAction(of: timer, task.root.state) {
            timer.busyCount += 1
            task.end = .timer(timer)
            task.queue = mainQueue
            if !timer.repeats { finishOneShot(timer) }
            start(task)
        } else {
            task.root.clear()
            idleTasks.append(task)
        }
    }

    /// A timer that fires once is over, but its block still sees what it holds.
    private func finishOneShot(_ timer: ScriptTimer) {
        timer.isScheduled = false
        timers[ObjectIdentifier(timer)] = nil
        timer.isEnding = true
    }

    func timerReturned(_ timer: ScriptTimer) {
        timer.busyCount -= 1
        if timer.isEnding, timer.busyCount == 0 { invalidate(timer) }
    }

    /// Pushes the function that a timer calls, with its arguments. [-0, +n, -]
    fileprivate func pushAction(of timer: ScriptTimer, _ state: LuaState) -> Bool {
        guard let action = timer.action else { return false }
        switch action {
        case .block(let block):
            block.push(state)
            push(timer, state)
        case .selector(let target, let name):
            state.push(callMethod)
            target.push(state)
            state.push(name)
            push(timer, state)
        case .invocation(let table):
            state.push(callMethod)
            table.push(state)
            let list = state.top
            let count = state.rawLength(list)
            _ = state.ensureSpace(Int32(clamping: count) + 4)
            for place in stride(from: 1, through: count, by: 1) { _ = state.rawGet(list, place) }
            state.remove(list)
        case .operation(let make, let queue):
            state.push(addOperationOfTimer)
            make.push(state)
            push(timer, state)
            push(queue, state)
        }
        return true
    }
}

/// `callMethod(target, name, arguments…)`
private func callMethod(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let name = state.string(2) ?? "?"
        do throws(LuaError) {
            _ = try state.getField(1, name)
        } catch {
            throw .misuse(error.message)
        }
        guard state.isFunction(-1) else { throw .misuse("the target of the timer has no method '\(name)'") }
        state.replace(2)
        // target, method, arguments… becomes method, target, arguments…
        state.pushValue(1)
        state.pushValue(2)
        state.replace(1)
        state.replace(2)
        return LuaReply.call(Int(state.top) - 1)
    }
}

/// `addOperationOfTimer(make, timer, queue)`
private func addOperationOfTimer(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.pushValue(1)
    state.pushValue(2)
    state.push(continuation: addMadeOperation)
    return LuaReply.callThen(1)
}

private func addMadeOperation(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    return runtime.guarded(state) { () throws(LuaRaise) in
        guard state.top > base, let block = runtime.operation(state, base + 1) else {
            throw .misuse("the function of a timer's 'operation' has to return an operation")
        }
        if let queue = runtime.queue(state, 3) {
            try runtime.submit(state, (base + 1)...(base + 1), to: queue)
        }
        runtime.timer(state, 2)?.operation = block.pointee.id
        return 0
    }
}

// MARK: Methods

/// `timer:fire()`: runs it before it returns, and raises its error.
private func timerFire(_ raw: OpaquePointer) -> Int32 {
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

private func timerInvalidate(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        runtime.invalidate(try runtime.requireTimer(state, 1))
        return 0
    }
}

private func timerSchedule(_ raw: OpaquePointer) -> Int32 {
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

// MARK: Properties

private func timerGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let property = TimerBinding.Property(rawValue: Int(number)) else { return 0 }
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.requireTimer(state, 1)
        switch property {
        case .interval, .timeInterval: state.push(timer.interval)
        case .repeats: state.push(timer.repeats)
        case .tolerance: state.push(timer.tolerance)
        case .userInfo: if let info = timer.userInfo { info.push(state) } else { state.pushNil() }
        case .fireDate:
            if timer.isScheduled || timer.hasFireDate {
                let ahead = Double(timer.deadline - runtime.scheduler.clock.now) / 1e9
                state.push(WallClock.now(runtime.scheduler.clock) + ahead)
            } else {
                state.pushNil()
            }
        case .isValid: state.push(timer.isValid && !timer.isEnding)
        case .fireCount: state.push(timer.fireCount)
        case .missedCount: state.push(timer.missedCount)
        case .keepsAlive: state.push(timer.keepsAlive)
        case .overlaps: state.push(timer.overlaps)
        }
        return 1
    }
}

private func timerSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let property = TimerBinding.Property(rawValue: Int(number)) else { return 0 }
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.requireTimer(state, 1)
        func expected(_ what: String) -> LuaRaise {
            LuaRaise(
                .argument,
                "bad value for '\(property)' (\(what) expected, got \(runtime.kindName(state, 3)))"
            )
        }
        switch property {
        case .interval, .timeInterval:
            guard let value = state.number(3), !value.isNaN else { throw expected("number") }
            timer.interval = value
        case .tolerance:
            guard let value = state.number(3), value >= 0 else { throw expected("number of at least 0") }
            timer.tolerance = value
        case .fireDate:
            guard let moment = state.number(3), !moment.isNaN else {
                throw expected("number of seconds since 1970")
            }
            runtime.setFireDate(timer, moment)
        case .repeats:
            guard state.type(3) == .boolean else { throw expected("boolean") }
            timer.repeats = state.boolean(3)
        case .keepsAlive:
            guard state.type(3) == .boolean else { throw expected("boolean") }
            timer.keepsAlive = state.boolean(3)
        case .overlaps:
            guard state.type(3) == .boolean else { throw expected("boolean") }
            timer.overlaps = state.boolean(3)
        case .userInfo:
            timer.userInfo = state.isNil(3) ? nil : runtime.reference(to: 3, state)
        case .isValid, .fireCount, .missedCount:
            throw .misuse("'\(property)' of Timer can only be read")
        }
        return 0
    }
}

extension ScriptRuntime {
    fileprivate func setFireDate(_ timer: ScriptTimer, _ moment: Double) {
        guard timer.isValid else { return }
        let ahead = SchedulerClock.nanoseconds(moment - WallClock.now(scheduler.clock))
        let (deadline, overflow) = scheduler.clock.now.addingReportingOverflow(ahead)
        timer.deadline = overflow ? .max : deadline
        if timer.isScheduled { arm(timer) } else { timer.hasFireDate = true }
    }
}

private func timerGetOther(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        throw runtime.noSuchProperty(
            state,
            of: "Timer",
            among: TimerBinding.Property.allCases.map { String(describing: $0) }
                + TimerBinding.methods.map { $0.0.description }
        )
    }
}

private func timerSetOther(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        if let key = state.string(2),
            TimerBinding.Property.allCases.contains(where: { String(describing: $0) == key })
        {
            throw .misuse("'\(key)' of Timer can only be read")
        }
        throw runtime.noSuchProperty(
            state,
            of: "Timer",
            among: TimerBinding.settable.map { String(describing: $0) }
        )
    }
}

private func timerToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let timer = runtime.timer(state, 1) else {
        state.push("Timer")
        return 1
    }
    let what = timer.repeats ? "every" : "after"
    let status =
        !timer.isValid || timer.isEnding ? "invalidated" : timer.isScheduled ? "scheduled" : "not scheduled"
    state.push("Timer '\(what) \(format(seconds: timer.interval)) s' (\(status))")
    return 1
}
