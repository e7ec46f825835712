internal import LuaVM
internal import Scheduling

/// The properties `rate` and `widthPerKey` of a queue.
extension Queues {
    /// Pushes a copy of the table of a queue's rate, or nil. The queue is at index 1. [-0, +1, m]
    func pushRate(of queue: ScriptQueue, _ state: LuaState) {
        guard let rate = queue.rate else { return state.pushNil() }
        state.newTable(fields: 2)
        if let starts = rate.starts {
            state.push(starts)
            state.rawSet(-2, 1)
            state.push(Double(rate.term) / 1e9)
            state.rawSet(-2, "per")
        }
        if rate.hasKey {
            _ = state.getUserValue(1, QueueValue.rate)
            state.rawSet(-2, "key")
        }
    }

    func setRate(_ queue: ScriptQueue, _ value: NewValue) throws(LuaRaise) {
        let width = queue.rate?.widthPerKey
        if value.isNil {
            try checkMayChange(queue, value.property)
            guard width == nil else { throw needsKey(queue) }
            queue.rate = nil
            keepKey(nil, value)
            return
        }
        guard value.state.isTable(value.index) else {
            throw value.expected("table such as { 10, per = 1 }")
        }
        let state = value.state
        let table = state.absolute(value.index)
        let options = OptionTable(runtime, state, table, of: "rate")
        let term = try options.number("per") ?? 1
        guard term > 0, term.isFinite else {
            throw LuaRaise(
                .argument,
                "bad value for 'per' (a finite number of seconds above 0 expected, got \(format(seconds: term)))"
            )
        }
        let hasKey = try options.function("key") != nil
        let starts = try numberOfStarts(state, table, hasKey: hasKey)
        try options.refuseOthers(allowingArray: true)
        try checkMayChange(queue, value.property)
        guard hasKey || width == nil else { throw needsKey(queue) }
        queue.rate = makeRate(starts, SchedulerClock.nanoseconds(term), hasKey: hasKey, width)
        keepKey(hasKey ? table : nil, value)
    }

    /// The number at the beginning of the table; nil if it has only a key.
    private func numberOfStarts(_ state: LuaState, _ table: Int32, hasKey: Bool) throws(LuaRaise) -> Int? {
        defer { state.pop() }
        if state.rawGet(table, 1) == .nil {
            if hasKey { return nil }
            throw LuaRaise(
                .argument,
                "bad value for 'rate' (the number of starts is missing, as in { 10, per = 1 }: at most 10 in a second)"
            )
        }
        guard let starts = state.wholeNumber(-1) else {
            let got = runtime.operations.noInteger(state, -1)
            throw LuaRaise(.argument, "bad value for 'rate' (integer expected at its beginning, got \(got))")
        }
        guard starts >= 1 else {
            throw LuaRaise(
                .argument,
                "bad value for 'rate' (at least 1 start expected, got \(starts); 'isSuspended' stops all starts)"
            )
        }
        guard state.rawLength(table) <= 1 else {
            throw LuaRaise(
                .argument,
                "bad value for 'rate' (one number expected, got \(state.rawLength(table)) values)"
            )
        }
        return starts
    }

    func setWidthPerKey(_ queue: ScriptQueue, _ value: NewValue) throws(LuaRaise) {
        let width = value.isNil ? nil : try value.wholeNumber()
        if let width, width < 1 { throw value.bad("at least 1 expected, got \(width)") }
        try checkMayChange(queue, value.property)
        guard let rate = queue.rate, rate.hasKey else {
            if width == nil { return }
            throw needsKey(queue)
        }
        queue.rate = makeRate(rate.starts, rate.term, hasKey: true, width)
    }

    private func makeRate(_ starts: Int?, _ term: Int64, hasKey: Bool, _ width: Int?) -> QueueRate {
        rateCount += 1
        return QueueRate(number: rateCount, starts: starts, term: term, hasKey: hasKey, widthPerKey: width)
    }

    /// Keeps the function of the table at an index in the queue's userdata, or none.
    private func keepKey(_ table: Int32?, _ value: NewValue) {
        if let table { _ = value.state.rawGet(table, "key") } else { value.state.pushNil() }
        _ = value.state.setUserValue(value.object, QueueValue.rate)
    }

    private func checkMayChange(_ queue: ScriptQueue, _ property: StaticString) throws(LuaRaise) {
        guard queue.kind == .ordinary || queue.kind == .standard else {
            throw .misuse(
                "'\(property)' of the queue '\(queue.name)' cannot be changed: only a queue of OperationQueue() has it"
            )
        }
        guard queue.count == 0 else {
            throw .misuse(
                "'\(property)' of the queue '\(queue.name)' cannot be changed while operations are in it "
                    + "(\(queue.count) have not finished): set it before you add them"
            )
        }
    }

    private func needsKey(_ queue: ScriptQueue) -> LuaRaise {
        .misuse(
            "'widthPerKey' of the queue '\(queue.name)' needs keys: set rate = { key = function(op) … end } before it, "
                + "and set it to nil before the rate loses its key"
        )
    }

    // MARK: Additions

    /// The resources that the operation at an index takes because of the rate of its queue.
    func needs(
        of rate: QueueRate,
        in queue: ScriptQueue,
        _ state: LuaState,
        _ index: Int32
    ) throws(LuaRaise) -> [(name: String, amount: Int)] {
        var key: QueueRate.Key?
        if rate.hasKey {
            key = try self.key(in: queue, state, index)
            // Without a key, the operation is not limited.
            if key == nil { return [] }
        }
        return rate.needs(key, in: queue.name) { name, total, term in
            scheduler.feed { $0.resourceTotalChanged(name, to: total, term: term) }
        }
    }

    /// Calls the function `key` with the operation at an index.
    private func key(in queue: ScriptQueue, _ state: LuaState, _ index: Int32) throws(LuaRaise)
        -> QueueRate.Key?
    {
        let index = state.absolute(index)
        let top = state.top
        defer { state.setTop(top) }
        _ = state.ensureSpace(8)
        pushQueue(queue, state)
        _ = state.getUserValue(-1, QueueValue.rate)
        state.pushValue(index)
        do throws(LuaError) {
            try state.call(arguments: 1, results: 1)
        } catch {
            let text = "the function 'key' of the rate of queue '\(queue.name)' failed: \(error.message)"
            throw LuaRaise(.failed, text)
        }
        switch state.type(-1) {
        case .nil: return nil
        case .string: return .text(state.bytes(-1) ?? [])
        case .boolean: return .boolean(state.boolean(-1))
        case .number:
            if let number = state.wholeNumber(-1) { return .integer(number) }
            if let number = state.number(-1), !number.isNaN { return .number(number) }
        default: break
        }
        throw LuaRaise(
            .argument,
            "the function 'key' of the rate of queue '\(queue.name)' returned "
                + "\(runtime.operations.kindName(state, -1)) (string, number, boolean, or nil for no limit expected)"
        )
    }
}
