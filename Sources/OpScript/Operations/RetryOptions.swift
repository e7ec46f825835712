internal import LuaVM
internal import Scheduling

/// The property `retry`: a table of a script, and the policy of the scheduler.
extension Operations {
    /// The key of the function `when` among an operation's fields.
    static let whenKey: StaticString = "\0when"

    /// Pushes a table with the retry policy of the operation at index 1; nil if it has none. [-0, +1, m]
    ///
    /// The policy is a value: a change of the table has no effect.
    func pushRetry(of view: OperationPointer, _ state: LuaState) {
        guard let policy = entry(view.pointee.id)?.pointee.retry?.policy else { return state.pushNil() }
        state.newTable(fields: 6)
        if policy.attempts != .max {
            state.push(policy.attempts)
            state.rawSet(-2, "attempts")
        }
        state.push(Double(policy.delay) / 1e9)
        state.rawSet(-2, "delay")
        switch policy.backoff {
        case .constant: state.push("constant")
        case .linear: state.push("linear")
        case .exponential: state.push("exponential")
        }
        state.rawSet(-2, "backoff")
        if policy.maximumDelay != .max {
            state.push(Double(policy.maximumDelay) / 1e9)
            state.rawSet(-2, "maximumDelay")
        }
        state.push(policy.jitter)
        state.rawSet(-2, "jitter")
        if policy.isJudged {
            getField(Self.whenKey, of: 1, view, state)
            state.rawSet(-2, "when")
        }
    }

    /// Sets the policy of an operation that is tried again as a table says.
    func setRetry(_ view: OperationPointer, _ value: NewValue, _ policy: RetryPolicy?) {
        entry(view.pointee.id)?.pointee.retry = policy.map(RetryBox.init)
        let isJudged = policy?.isJudged ?? false
        guard isJudged || view.pointee.flags.contains(.hasFields) else { return }
        let table = value.state.absolute(value.index)
        setField(Self.whenKey, of: value.object, view, value.state) { state in
            if isJudged { _ = state.rawGet(table, "when") } else { state.pushNil() }
        }
    }

    /// The policy that a script sets; nil where no body runs, since further attempts would end in the same way.
    func retryPolicy(_ value: NewValue) throws(LuaRaise) -> RetryPolicy? {
        if value.isNil { return nil }
        let policy = try retryPolicy(value.state, value.index)
        return runtime.journaling.journal?.onlyExplains == true ? nil : policy
    }

    private func retryPolicy(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> RetryPolicy {
        guard state.isTable(index) else {
            throw LuaRaise(
                .argument,
                "bad value for 'retry' (table such as { attempts = 3 } expected, got \(kindName(state, index)))"
            )
        }
        let options = OptionTable(runtime, state, index, of: "retry")
        let attempts = try options.wholeNumber("attempts", atLeast: 1)
        let delay = try options.seconds("delay", atLeast: 0) ?? 0
        let maximum = try options.number("maximumDelay", atLeast: 0)
        let jitter = try options.number("jitter", atLeast: 0) ?? 0
        guard jitter <= 1 else {
            throw LuaRaise(.argument, "bad value for 'jitter' (a number from 0 to 1 expected, got \(jitter))")
        }
        let backoff: RetryPolicy.Backoff =
            switch try options.string("backoff") {
            case nil, "constant": .constant
            case "linear": .linear
            case "exponential": .exponential
            case let other?:
                throw LuaRaise(
                    .argument,
                    "bad value for 'backoff' (\"constant\", \"linear\" or \"exponential\" expected, got '\(other)')"
                )
            }
        let isJudged = try options.function("when") != nil
        try options.refuseOthers()
        // Without a number, the function alone decides.
        var policy = RetryPolicy(
            attempts: attempts ?? (isJudged ? .max : 1),
            delay: SchedulerClock.nanoseconds(delay),
            backoff: backoff,
            maximumDelay: maximum.map(SchedulerClock.nanoseconds) ?? .max,
            jitter: jitter
        )
        policy.isJudged = isJudged
        return policy
    }
}
