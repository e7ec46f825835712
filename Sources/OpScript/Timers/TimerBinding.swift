internal import LuaVM
internal import Scheduling

enum TimerBinding {
    enum Property: String, ScriptProperty {
        case interval, timeInterval, repeats, tolerance, userInfo, fireDate, isValid, fireCount, missedCount,
            keepsAlive
        case overlaps

        static let all = Array(allCases)
        static let settable: [Property] = [
            .interval, .timeInterval, .repeats, .tolerance, .userInfo, .fireDate, .keepsAlive, .overlaps,
        ]
    }

    static let methods: [(StaticString, LuaFunction)] = [
        ("fire", timerFire), ("invalidate", timerInvalidate), ("schedule", timerSchedule),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: timerGet,
            otherGetter: timerGetOther,
            setter: timerSet,
            otherSetter: timerSetOther,
            text: timerToString
        ).makeMetatable(vm, "Timer", Property.self, isBox: false)
    }

    static func install(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(
            state,
            "Timer",
            makeUnscheduledTimer,
            [
                ("scheduledTimer", makeScheduledTimer), ("cron", makeCronTimer),
            ]
        )
        state.rawSet(types, "Timer")
    }
}

// MARK: Properties

private func timerGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = TimerBinding.Property.all[Int(number)]
        let timer = try runtime.timers.requireTimer(state, 1)
        switch property {
        case .interval, .timeInterval: state.push(timer.pointee.interval)
        case .repeats: state.push(timer.pointee.repeats)
        case .tolerance: state.push(timer.pointee.tolerance)
        case .userInfo: _ = state.getUserValue(1, TimerValue.userInfo)
        case .fireDate:
            if timer.pointee.isScheduled, let moment = timer.pointee.calendarMoment {
                state.push(moment)
            } else if timer.pointee.isScheduled || timer.pointee.hasFireDate {
                let ahead = Double(timer.pointee.deadline - runtime.scheduler.clock.now) / 1e9
                state.push(WallClock.now(runtime.scheduler.clock) + ahead)
            } else {
                state.pushNil()
            }
        case .isValid: state.push(timer.pointee.isValid && !timer.pointee.isEnding)
        case .fireCount: state.push(timer.pointee.fireCount)
        case .missedCount: state.push(timer.pointee.missedCount)
        case .keepsAlive: state.push(timer.pointee.keepsAlive)
        case .overlaps: state.push(timer.pointee.overlaps)
        }
        return 1
    }
}

private func timerSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = TimerBinding.Property.all[Int(number)]
        let timer = try runtime.timers.requireTimer(state, 1)
        func expected(_ what: String) -> LuaRaise {
            LuaRaise(
                .argument,
                "bad value for '\(property)' (\(what) expected, got \(runtime.operations.kindName(state, 3)))"
            )
        }
        switch property {
        case .interval, .timeInterval:
            guard let value = state.number(3), !value.isNaN else { throw expected("number") }
            timer.pointee.interval = value
        case .tolerance:
            guard let value = state.number(3), value >= 0 else { throw expected("number of at least 0") }
            timer.pointee.tolerance = value
        case .fireDate:
            guard let moment = state.number(3), !moment.isNaN else {
                throw expected("number of seconds since 1970")
            }
            runtime.timers.setFireDate(timer, moment)
        case .repeats:
            guard state.type(3) == .boolean else { throw expected("boolean") }
            timer.pointee.repeats = state.boolean(3)
        case .keepsAlive:
            guard state.type(3) == .boolean else { throw expected("boolean") }
            runtime.timers.setKeepsAlive(timer, state.boolean(3))
        case .overlaps:
            guard state.type(3) == .boolean else { throw expected("boolean") }
            timer.pointee.overlaps = state.boolean(3)
        case .userInfo:
            state.pushValue(3)
            _ = state.setUserValue(1, TimerValue.userInfo)
        case .isValid, .fireCount, .missedCount:
            throw .misuse("'\(property)' of Timer can only be read")
        }
        return 0
    }
}

extension Timers {
    func setFireDate(_ timer: TimerPointer, _ moment: Double) {
        guard timer.pointee.isValid else { return }
        let ahead = SchedulerClock.nanoseconds(moment - WallClock.now(scheduler.clock))
        let (deadline, overflow) = scheduler.clock.now.addingReportingOverflow(ahead)
        timer.pointee.deadline = overflow ? .max : deadline
        timer.pointee.calendarMoment = nil
        if timer.pointee.isScheduled { arm(timer) } else { timer.pointee.hasFireDate = true }
    }
}

private func timerGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "Timer",
            among: TimerBinding.Property.names
                + TimerBinding.methods.map { $0.0.description }
        )
    }
}

private func timerSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if let key = state.string(2),
            TimerBinding.Property.allCases.contains(where: { $0.rawValue == key })
        {
            throw .misuse("'\(key)' of Timer can only be read")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "Timer",
            among: TimerBinding.Property.settableNames
        )
    }
}

private func timerToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let timer = runtime.timers.timer(state, 1) else {
        state.push("Timer")
        return 1
    }
    let what = timer.pointee.repeats ? "every" : "after"
    let status =
        !timer.pointee.isValid || timer.pointee.isEnding
        ? "invalidated" : timer.pointee.isScheduled ? "scheduled" : "not scheduled"
    state.push("Timer '\(what) \(format(seconds: timer.pointee.interval)) s' (\(status))")
    return 1
}
