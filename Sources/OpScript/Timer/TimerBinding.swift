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
        ).makeMetatable(vm, "Timer", Property.self)
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
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let property = TimerBinding.Property.all[Int(number)]
    return runtime.guarded(state) { () throws(LuaRaise) in
        let timer = try runtime.requireTimer(state, 1)
        switch property {
        case .interval, .timeInterval: state.push(timer.interval)
        case .repeats: state.push(timer.repeats)
        case .tolerance: state.push(timer.tolerance)
        case .userInfo: _ = state.getUserValue(1, TimerValue.userInfo)
        case .fireDate:
            if timer.isScheduled, let moment = timer.cronMoment {
                state.push(moment)
            } else if timer.isScheduled || timer.hasFireDate {
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
    let property = TimerBinding.Property.all[Int(number)]
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
            state.pushValue(3)
            _ = state.setUserValue(1, TimerValue.userInfo)
        case .isValid, .fireCount, .missedCount:
            throw .misuse("'\(property)' of Timer can only be read")
        }
        return 0
    }
}

extension ScriptRuntime {
    func setFireDate(_ timer: ScriptTimer, _ moment: Double) {
        guard timer.isValid else { return }
        let ahead = SchedulerClock.nanoseconds(moment - WallClock.now(scheduler.clock))
        let (deadline, overflow) = scheduler.clock.now.addingReportingOverflow(ahead)
        timer.deadline = overflow ? .max : deadline
        timer.cronMoment = nil
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
            among: TimerBinding.Property.names
                + TimerBinding.methods.map { $0.0.description }
        )
    }
}

private func timerSetOther(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        if let key = state.string(2),
            TimerBinding.Property.allCases.contains(where: { $0.rawValue == key })
        {
            throw .misuse("'\(key)' of Timer can only be read")
        }
        throw runtime.noSuchProperty(
            state,
            of: "Timer",
            among: TimerBinding.Property.settableNames
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
