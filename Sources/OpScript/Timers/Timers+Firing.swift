internal import LuaVM
internal import Scheduling

extension Timers {
    func timer(_ state: LuaState, _ index: Int32) -> TimerPointer? {
        state.userdata(index, metatables.timer)?.assumingMemoryBound(to: TimerView.self)
    }

    func requireTimer(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> TimerPointer {
        if let timer = timer(state, index) { return timer }
        throw LuaRaise(argument: index, "timer expected, got \(operations.kindName(state, index))")
    }

    /// Makes a timer; its userdata is pushed. [-0, +1, -]
    func newTimer(
        _ state: LuaState,
        interval: Double,
        repeats: Bool,
        _ action: TimerView.Action,
        place: LuaPlace,
        userValues: Int32 = TimerValue.count
    ) -> TimerPointer {
        let timer = state.newUserdata(of: TimerView.self, metatables.timer, userValues: userValues)
        timer.initialize(
            to: TimerView(
                metatables.timer,
                interval: interval,
                repeats: repeats,
                action: action,
                place: place
            )
        )
        return timer
    }

    /// Schedules the timer at an index: the first fire is one interval from now, or at the fire date.
    func schedule(
        _ timer: TimerPointer,
        at index: Int32,
        _ state: LuaState,
        by calendar: CronSchedule? = nil
    ) throws(LuaRaise) {
        guard timer.pointee.isValid, !timer.pointee.isScheduled else { return }
        if runState.isCancelled {
            timer.pointee.isValid = false
            return
        }
        try runtime.checkLimit(table.count, configuration.timerLimit, of: "scheduled timers")
        table.add(timer, at: index, state)
        if let calendar { table[calendarOf: timer.pointee.id] = calendar }
        timer.pointee.isScheduled = true
        if timer.pointee.keepsAlive { table.aliveCount += 1 }
        if timer.pointee.hasFireDate {
            timer.pointee.hasFireDate = false
        } else {
            timer.pointee.deadline = nextDeadline(timer, after: scheduler.clock.now)
        }
        arm(timer)
    }

    /// Makes sure that the timer no longer fires on its schedule.
    private func unschedule(_ timer: TimerPointer) {
        if let handle = timer.pointee.handle.take() { agenda.dueTimes.cancel(handle) }
        guard timer.pointee.isScheduled else { return }
        timer.pointee.isScheduled = false
        if timer.pointee.keepsAlive { table.aliveCount -= 1 }
    }

    func setKeepsAlive(_ timer: TimerPointer, _ keepsAlive: Bool) {
        guard timer.pointee.keepsAlive != keepsAlive else { return }
        timer.pointee.keepsAlive = keepsAlive
        if timer.pointee.isScheduled { table.aliveCount += keepsAlive ? 1 : -1 }
    }

    private func nextDeadline(_ timer: TimerPointer, after now: Int64) -> Int64 {
        if timer.pointee.hasCalendar, let calendar = table[calendarOf: timer.pointee.id] {
            let wall = virtualTime.date
            var last = wall
            // A moment must not fire twice, and several may be due at once after the clock was put forward.
            if let moment = timer.pointee.calendarMoment, abs(moment - wall) < 60 { last = moment }
            timer.pointee.calendarMoment = calendar.next(after: last, localTime)
            return deadline(for: timer)
        }
        let (deadline, overflow) = now.addingReportingOverflow(timer.pointee.step)
        return overflow ? .max : deadline
    }

    /// When to check next whether the moment of a timer's calendar has been reached.
    ///
    /// The system's clock may be set, and may stand still while the machine sleeps, so like cron a timer with a
    /// calendar checks once a minute.
    private func deadline(for timer: TimerPointer) -> Int64 {
        guard let moment = timer.pointee.calendarMoment else { return .max }
        var ahead = virtualTime.secondsUntil(moment)
        if timer.pointee.hasCalendar, !scheduler.clock.isVirtual { ahead = min(ahead, 60) }
        return scheduler.clock.moment(after: SchedulerClock.nanoseconds(ahead))
    }

    /// Sets the date of the next fire.
    func aim(_ timer: TimerPointer, at moment: Double) {
        timer.pointee.calendarMoment = moment
        timer.pointee.deadline = deadline(for: timer)
    }

    /// If the moment of its calendar has not been reached, schedules another check, and returns true.
    private func waitsForItsMoment(_ timer: TimerPointer) -> Bool {
        guard let moment = timer.pointee.calendarMoment, !scheduler.clock.isVirtual else { return false }
        let wall = virtualTime.date
        guard wall < moment else { return false }
        // After the clock was set back, a schedule with wildcards follows it.
        if timer.pointee.hasCalendar, let calendar = table[calendarOf: timer.pointee.id], !calendar.isFixed,
            let next = calendar.next(after: wall, localTime), next < moment
        {
            timer.pointee.calendarMoment = next
        }
        timer.pointee.deadline = deadline(for: timer)
        arm(timer)
        return true
    }

    /// Schedules its next fire at its deadline; `.max` means never.
    func arm(_ timer: TimerPointer) {
        if let handle = timer.pointee.handle.take() { agenda.dueTimes.cancel(handle) }
        guard timer.pointee.deadline != .max else { return }
        timer.pointee.handle = agenda.dueTimes.schedule(at: timer.pointee.deadline, .timer(timer.pointee.id))
    }

    /// Ends the timer at an index at once and for good, and clears its user values.
    func invalidate(_ timer: TimerPointer, at index: Int32, _ state: LuaState) {
        let index = state.absolute(index)
        timer.pointee.isValid = false
        timer.pointee.action = .none
        unschedule(timer)
        table.remove(timer, state)
        for number in stride(from: 1, through: TimerValue.count, by: 1) {
            state.pushNil()
            _ = state.setUserValue(index, number)
        }
    }

    /// Invalidates all timers in the table.
    func invalidateTimers() {
        for timer in table.all { invalidate(timer) }
    }

    // MARK: Firing

    /// Fires a timer that is due: calls its block and, in the same coroutine, the blocks of the timers whose turns
    /// follow, as long as none of them waits or fails.
    func fire(_ id: TimerID) {
        guard let timer = table[id], fires(timer) else { return }
        let task = bodies.makeTask()
        task.end = .timer(id)
        task.queue = queues.mainQueue
        pushFire(timer, task.root.state)
        bodies.startSeries(task, over: table.anchors.table, nextFire)
    }

    /// Called if a block has returned: if the next turn fires a timer, pushes that timer's block with its arguments.
    /// [-0, +n, -]
    fileprivate func pushNextFire(_ state: LuaState) -> Int32 {
        guard virtualTime.simulation == nil, bodies.goesOnInSeries, let task = bodies.current,
            case .timer(let id) = task.end
        else {
            return 0
        }
        timerReturned(id)
        task.end = .nothing
        runtime.loop.takeIn()
        while let next = agenda.turns.firstFire {
            agenda.turns.removeFirstPlain()
            guard let timer = table[next], fires(timer) else { continue }
            task.end = .timer(next)
            let top = state.top
            pushFire(timer, state)
            return state.top - top
        }
        return 0
    }

    /// Counts that a timer is due, and schedules the next fire of a repeating timer. Returns whether to call
    /// its block.
    private func fires(_ timer: TimerPointer) -> Bool {
        guard timer.pointee.isValid, timer.pointee.isScheduled, !waitsForItsMoment(timer) else {
            return false
        }
        // The next fire is scheduled before the block runs, so that the block can change it.
        if timer.pointee.repeats { comeAgain(timer) }
        if !timer.pointee.overlaps, isBusy(timer) {
            timer.pointee.missedCount += 1
            if !timer.pointee.repeats { endsMissed(timer) }
            return false
        }
        timer.pointee.fireCount += 1
        reporting.tell(.fired(number(of: timer)), at: scheduler.clock.now)
        return timer.pointee.action != .none
    }

    /// Ends a timer that does not repeat and has missed its only fire.
    private func endsMissed(_ timer: TimerPointer) {
        unschedule(timer)
        timer.pointee.isEnding = true
        if timer.pointee.busyCount == 0 { invalidate(timer) }
    }

    private func comeAgain(_ timer: TimerPointer) {
        let now = scheduler.clock.now
        if timer.pointee.hasCalendar {
            timer.pointee.deadline = nextDeadline(timer, after: max(now, timer.pointee.deadline))
        } else {
            timer.pointee.calendarMoment = nil
            let late = max(0, now - timer.pointee.deadline) / timer.pointee.step
            timer.pointee.missedCount += Int(late)
            let (ahead, isFar) = (late + 1).multipliedReportingOverflow(by: timer.pointee.step)
            let (deadline, isTooFar) = timer.pointee.deadline.addingReportingOverflow(ahead)
            timer.pointee.deadline = isFar || isTooFar ? .max : deadline
        }
        arm(timer)
    }

    /// Whether a call of its block has not returned, or the operation that it made last has not finished.
    private func isBusy(_ timer: TimerPointer) -> Bool {
        if timer.pointee.busyCount > 0 { return true }
        guard timer.pointee.operation != .none, let view = operations.liveView(timer.pointee.operation)
        else {
            return false
        }
        return !view.pointee.isFinished
    }

    /// Pushes the function that a timer calls, with its arguments. [-0, +n, -]
    private func pushFire(_ timer: TimerPointer, _ state: LuaState) {
        table.push(timer, state)
        pushAction(of: timer, state)
        blockBegins(of: timer)
    }

    /// Notes that a block begins. A timer that fires once is over now, but its block still sees its user values.
    func blockBegins(of timer: TimerPointer) {
        timer.pointee.busyCount += 1
        guard !timer.pointee.repeats else { return }
        unschedule(timer)
        timer.pointee.isEnding = true
    }

    /// Notes that the block of a timer has returned or failed. Returns whether this ends the timer.
    func blockEnds(of timer: TimerPointer) -> Bool {
        timer.pointee.busyCount -= 1
        return timer.pointee.isEnding && timer.pointee.busyCount == 0
    }

    /// Called if the block of a timer that fired on its schedule has returned or failed.
    func timerReturned(_ id: TimerID) {
        guard let timer = table[id], blockEnds(of: timer) else { return }
        invalidate(timer)
    }

    /// Invalidates a timer in the table.
    func invalidate(_ timer: TimerPointer) {
        let state = vm.main
        table.push(timer, state)
        invalidate(timer, at: -1, state)
        state.pop()
    }

    /// Replaces the timer on top by the function that it calls, with its arguments. [-1, +n, -]
    func pushAction(of timer: TimerPointer, _ state: LuaState) {
        let own = state.top
        switch timer.pointee.action {
        case .none: preconditionFailure("a timer that was invalidated has nothing to call")
        case .block:
            _ = state.getUserValue(own, TimerValue.subject)
            state.insert(own)
        case .selector:
            state.push(callMethod)
            _ = state.getUserValue(own, TimerValue.subject)
            _ = state.rawGet(-1, 1)
            _ = state.rawGet(-2, 2)
            state.remove(-3)
            state.pushValue(own)
            state.remove(own)
        case .invocation:
            state.push(callInvocation)
            _ = state.getUserValue(own, TimerValue.subject)
            state.remove(own)
        case .operation:
            state.push(addOperationOfTimer)
            _ = state.getUserValue(own, TimerValue.subject)
            state.pushValue(own)
            _ = state.getUserValue(own, TimerValue.queue)
            state.remove(own)
        }
    }
}

private func nextFire(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in runtime.timers.pushNextFire(state) }
}

/// `callInvocation { target, name, arguments… }`
private func callInvocation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { _, state throws(LuaRaise) in
        let count = state.rawLength(1)
        guard count < 900_000, state.ensureSpace(Int32(count) + 10) else {
            throw .misuse(
                "too many arguments for the invocation of a timer (\(count - 2)); hand over a table"
            )
        }
        for place in stride(from: 1, through: count, by: 1) { _ = state.rawGet(1, place) }
        state.removeFirst()
        return try replyCallingMethod(state)
    }
}

/// `callMethod(target, name, arguments…)`
private func callMethod(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { _, state throws(LuaRaise) in try replyCallingMethod(state) }
}

/// Replies that a method is to be called; the stack consists of its target, name and arguments.
private func replyCallingMethod(_ state: LuaState) throws(LuaRaise) -> Int32 {
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

/// `addOperationOfTimer(make, timer, queue)`
private func addOperationOfTimer(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    if state.isTable(1) {
        return hosted(raw) { runtime, state throws(LuaRaise) in
            try runtime.timers.addOperation(state) { () throws(LuaRaise) in
                try runtime.operations.makeOperation(fromTable: 1, state)
            }
        }
    }
    state.pushValue(1)
    state.pushValue(2)
    state.push(continuation: addMadeOperation)
    return LuaReply.callThen(1)
}

private func addMadeOperation(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    return hosted(raw) { runtime, state throws(LuaRaise) in
        state.setTop(base + 1)
        return try runtime.timers.addOperation(state) { () throws(LuaRaise) in }
    }
}

extension Timers {
    /// Adds the operation on top, which `make` has pushed, to the queue at index 3; the timer is at index 2.
    fileprivate func addOperation(
        _ state: LuaState,
        _ make: () throws(LuaRaise) -> Void
    ) throws(LuaRaise) -> Int32 {
        let timer = timer(state, 2)
        do throws(LuaRaise) {
            try make()
            guard let view = operations.operation(state, state.top) else {
                throw .misuse("the function of a timer's 'operation' has to return an operation")
            }
            if let queue = queues.scriptQueue(state, 3) {
                try operations.submit(state, state.top, to: queue)
            }
            timer?.pointee.operation = view.pointee.id
            return 0
        } catch {
            // No line of the script runs here: the message names the line where the timer was made.
            guard let place = timer.flatMap({ vm.describe($0.pointee.place) }) else { throw error }
            throw LuaRaise(ErrorValue(error.code, "\(place): \(error.text)"))
        }
    }
}
