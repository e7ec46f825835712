internal import LuaVM
internal import Scheduling

enum TimerBinding {
    static let methods: [ScriptMethod] = [
        .init("fire", "", timerFire),
        .init("invalidate", "", timerInvalidate),
        .init("schedule", "", timerSchedule),
    ]

    static let type = ScriptType(
        "Timer",
        kind: "timer",
        constructors: [constructor],
        isBox: false,
        require: { runtime, state, index throws(LuaRaise) in try runtime.timers.requireTimer(state, index) },
        properties: properties,
        methods: methods,
        tooLate: { timer, _, _ in
            timer.pointee.isValid && !timer.pointee.isEnding
                ? nil
                : "this timer cannot change any more: it has fired for the last time, or was invalidated"
        },
        text: { timer, _, state in
            let seconds = "\(format(seconds: timer.pointee.interval)) s"
            let moments =
                timer.pointee.hasCalendar
                ? "cron \(fields(state))" : "\(timer.pointee.repeats ? "every" : "after") \(seconds)"
            let status =
                !timer.pointee.isValid || timer.pointee.isEnding
                ? "invalidated" : timer.pointee.isScheduled ? "scheduled" : "not scheduled"
            return "Timer '\(moments)' (\(status))"
        }
    )

    /// The fields of the timer with a calendar at index 1. [-0, +0, -]
    private static func fields(_ state: LuaState) -> String {
        _ = state.getUserValue(1, TimerValue.fields)
        defer { state.pop() }
        return state.string(-1) ?? ""
    }

    private static let properties: [ScriptType.Property<TimerPointer>] = [
        interval("interval"), interval("timeInterval"),
        .init(
            "repeats",
            { $2.push($0.pointee.repeats) },
            set: { timer, value throws(LuaRaise) in timer.pointee.repeats = try value.boolean() }
        ).settable(until: .ended),
        .init(
            "tolerance",
            { $2.push($0.pointee.tolerance) },
            set: { timer, value throws(LuaRaise) in
                let tolerance = try value.number("number of at least 0")
                guard tolerance >= 0 else { throw value.expected("number of at least 0") }
                timer.pointee.tolerance = tolerance
            }
        ).settable(until: .ended),
        .init(
            "userInfo",
            { _ = $2.getUserValue(1, TimerValue.userInfo) },
            set: { _, value in
                value.state.pushValue(value.index)
                _ = value.state.setUserValue(value.object, TimerValue.userInfo)
            }
        ),
        .init(
            "fireDate",
            { timer, runtime, state in runtime.timers.pushFireDate(of: timer, state) },
            set: { timer, value throws(LuaRaise) in
                value.runtime.timers.setFireDate(timer, try value.number("number of seconds since 1970"))
            }
        ).settable(until: .ended),
        .init("isValid", { $2.push($0.pointee.isValid && !$0.pointee.isEnding) }),
        .init("fireCount", { $2.push($0.pointee.fireCount) }),
        .init("missedCount", { $2.push($0.pointee.missedCount) }),
        .init(
            "keepsAlive",
            { $2.push($0.pointee.keepsAlive) },
            set: { timer, value throws(LuaRaise) in
                value.runtime.timers.setKeepsAlive(timer, try value.boolean())
            }
        ).settable(until: .ended),
        .init(
            "overlaps",
            { $2.push($0.pointee.overlaps) },
            set: { timer, value throws(LuaRaise) in timer.pointee.overlaps = try value.boolean() }
        ).settable(until: .ended),
    ]

    /// The property for the interval, which has two names.
    private static func interval(_ name: StaticString) -> ScriptType.Property<TimerPointer> {
        .init(
            name,
            { $2.push($0.pointee.interval) },
            set: { timer, value throws(LuaRaise) in timer.pointee.interval = try value.number() }
        ).settable(until: .ended)
    }

    private static let constructor = ScriptConstructor(
        name: "Timer",
        parameters: "options",
        call: makeUnscheduledTimer,
        functions: [
            .init("scheduledTimer", "interval, repeats, block", makeScheduledTimer),
            .init("cron", "fields, fn", makeCronTimer),
        ]
    )
}

extension Timers {
    fileprivate func pushFireDate(of timer: TimerPointer, _ state: LuaState) {
        if timer.pointee.isScheduled || timer.pointee.hasFireDate, let moment = timer.pointee.calendarMoment {
            state.push(moment)
        } else if timer.pointee.isScheduled || timer.pointee.hasFireDate {
            let ahead = Double(timer.pointee.deadline - scheduler.clock.now) / 1e9
            state.push(virtualTime.date + ahead)
        } else {
            state.pushNil()
        }
    }

    func setFireDate(_ timer: TimerPointer, _ moment: Double) {
        guard timer.pointee.isValid else { return }
        aim(timer, at: moment)
        if timer.pointee.isScheduled { arm(timer) } else { timer.pointee.hasFireDate = true }
    }
}
