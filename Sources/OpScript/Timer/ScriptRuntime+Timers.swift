internal import LuaVM
internal import Scheduling

extension ScriptRuntime {
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
        state.pushBox(timer, metatables.timer, userValues: TimerValue.count)
        for (number, value) in timer.values {
            value.push(state)
            _ = state.setUserValue(-2, number)
        }
        timer.values = []
        state.pushValue(-1)
        state.rawSet(-3, address: address)
        state.remove(-2)
    }

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
            var last = wall
            // A clock that was put back a little since then must not bring the same minute twice.
            if let moment = timer.cronMoment, moment - wall < 60 { last = max(wall, moment) }
            timer.cronMoment = cron.next(after: last)
            guard let next = timer.cronMoment else { return .max }
            return now + SchedulerClock.nanoseconds(next - wall)
        }
        let (deadline, overflow) = now.addingReportingOverflow(timer.step)
        return overflow ? .max : deadline
    }

    func arm(_ timer: ScriptTimer) {
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
        timer.values = []
        let state = vm.main
        push(timer, state)
        for number in stride(from: 1, through: TimerValue.count, by: 1) {
            state.pushNil()
            _ = state.setUserValue(-2, number)
        }
        state.pop()
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
        tellFire(of: timer)
        let task = makeTask()
        if pushAction(of: timer, task.root.state) {
            timer.busyCount += 1
            task.end = .timer(timer)
            task.queue = mainQueue
            if !timer.repeats { finishOneShot(timer) }
            start(task)
        } else {
            task.root.clear()
            idleTasks.give(task)
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
    func pushAction(of timer: ScriptTimer, _ state: LuaState) -> Bool {
        guard let action = timer.action else { return false }
        push(timer, state)
        let own = state.top
        switch action {
        case .block:
            _ = state.getUserValue(own, TimerValue.subject)
            state.pushValue(own)
        case .selector(let name):
            state.push(callMethod)
            _ = state.getUserValue(own, TimerValue.subject)
            state.push(name)
            state.pushValue(own)
        case .invocation:
            state.push(callMethod)
            _ = state.getUserValue(own, TimerValue.subject)
            let list = state.top
            let count = state.rawLength(list)
            _ = state.ensureSpace(Int32(clamping: count) + 4)
            for place in stride(from: 1, through: count, by: 1) { _ = state.rawGet(list, place) }
            state.remove(list)
        case .operation:
            state.push(addOperationOfTimer)
            _ = state.getUserValue(own, TimerValue.subject)
            state.pushValue(own)
            _ = state.getUserValue(own, TimerValue.queue)
        }
        state.remove(own)
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
            try runtime.submit(state, base + 1, to: queue)
        }
        runtime.timer(state, 2)?.operation = block.pointee.id
        return 0
    }
}
