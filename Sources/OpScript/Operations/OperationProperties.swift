internal import LuaVM
internal import Scheduling

extension OperationBinding {
    static let properties = (ownProperties + journalProperties).map(noted)

    private static let ownProperties: [ScriptType.Property<OperationPointer>] = [
        .init(
            "name",
            { $2.push(bytes: $1.operations.nameBytes($2, 1, $0)) },
            set: { view, value throws(LuaRaise) in
                let (operations, state) = (value.runtime.operations, value.state)
                defer { operations.reporting.tell(.renamed, view) }
                if value.isNil { return operations.removeName(of: view, at: value.object, state) }
                guard state.type(value.index) == .string else { throw value.expected("string") }
                state.pushValue(value.index)
                operations.takeName(of: view, at: value.object, state)
            }
        ),
        .init(
            "queuePriority",
            { $2.push(priorityName($0.pointee.priority)) },
            set: { view, value throws(LuaRaise) in
                guard let priority = value.runtime.operations.priority(value.state, value.index) else {
                    throw badPriority(value)
                }
                value.runtime.operations.setPriority(view, priority)
            }
        ).observable,
        .init(
            "qualityOfService",
            { $2.push(qualityName($1.operations.quality(of: $0))) },
            set: { view, value throws(LuaRaise) in
                view.pointee.qualityOfService =
                    value.isNil
                    ? nil : try value.runtime.operations.qualityOfService(value.state, value.index)
            }
        ).settable(until: .added),
        .init(
            "threadPriority",
            { $2.push($1.operations.threadPriority(of: $0, at: 1, $2)) },
            set: { view, value throws(LuaRaise) in
                guard let number = value.state.number(value.index) else {
                    throw value.expected("number from 0 to 1")
                }
                guard number >= 0, number <= 1 else {
                    throw value.bad("a number from 0 to 1 expected, got \(format(seconds: number))")
                }
                value.setField(of: view) { $0.push(number) }
            }
        ).settable(until: .added),
        .init(
            "completionBlock",
            { $2.getValue(.completionBlock, of: $0, at: 1) },
            set: { view, value throws(LuaRaise) in
                try value.runtime.operations.setCompletion(
                    view,
                    at: value.object,
                    from: value.index,
                    value.state
                )
            }
        ).observable,
        .init("dependencies", { $1.operations.pushDependencies($2, 1, $0) }).observable,
        .init("isReady", { $2.push($0.pointee.flags.contains(.isReady)) }).observable,
        .init("isExecuting", { $2.push($0.pointee.state == .executing) }).observable,
        .init("isFinished", { $2.push($0.pointee.isFinished) }).observable,
        .init("isCancelled", { $2.push($0.pointee.flags.contains(.isCancelled)) }).observable,
        isAsynchronous("isAsynchronous"), isAsynchronous("isConcurrent").observable,
        .init("state", { $2.push($1.operations.stateName($0)) }),
        .init(
            "outcome",
            { view, _, state in
                if view.pointee.isFinished {
                    state.push(outcomeName(view.pointee.outcome))
                } else {
                    state.pushNil()
                }
            }
        ).observable,
        .init(
            "result",
            { view, runtime, state in
                let top = state.top
                let count = runtime.waits.pushResults(view, state, 1)
                state.setTop(top + min(count, 1))
                if count == 0 { state.pushNil() }
            }
        ),
        .init(
            "error",
            { view, runtime, state in
                if view.pointee.isFinished, view.pointee.flags.contains(.hasError) {
                    runtime.operations.pushError(of: view, at: 1, state)
                } else {
                    state.pushNil()
                }
            }
        ),
        .init("traceback", { $1.operations.pushTraceback($2, 1, $0) }),
        .init("createdAt", { $2.push($1.operations.createdAt($0)) }),
        .init("queue", { $1.queues.pushQueue(ofOperation: $0, $2) }),
        .init("progress", { $1.observers.pushProgress(ofOperation: $0, $2) }),
        .init(
            "pid",
            { view, runtime, state in
                if let body = runtime.operations.entry(view.pointee.id)?.pointee.body,
                    let number = body.program?.processIdentifier
                {
                    state.push(Int(number))
                } else {
                    state.pushNil()
                }
            }
        ),
        .init("usage", { $1.operations.pushUsage(of: $0, $2) }),
        field("timeout") { view, value throws(LuaRaise) in
            if value.isNil {
                try value.setTimeLimit(nil, of: view)
                if view.pointee.flags.contains(.hasFields) { value.setField(of: view) { $0.pushNil() } }
                return
            }
            guard let seconds = value.state.number(value.index) else {
                throw value.expected("number of seconds")
            }
            guard seconds > 0 else {
                throw value.bad("a number of seconds above 0 expected, got \(format(seconds: seconds))")
            }
            try value.setTimeLimit(seconds, of: view)
            value.setField(of: view) { $0.push(seconds) }
        }.settable(until: .started),
        .init(
            "retry",
            { $1.operations.pushRetry(of: $0, $2) },
            set: { view, value throws(LuaRaise) in
                let operations = value.runtime.operations
                if view.pointee.kind == .group, !value.isNil {
                    throw .misuse("a group is not tried again: set 'retry' of the operations in it")
                }
                let policy = try operations.retryPolicy(value)
                try value.change(view) { $0.retryChanged($1, to: policy) }
                operations.setRetry(view, value, policy)
            }
        ).settable(until: .started),
        .init("attempt", { $2.push(Int($0.pointee.attempt)) }),
        .init("attempts", { $1.operations.pushAttempts(of: $0, $2) }),
        field("output") { view, value throws(LuaRaise) in
            let mode = try value.isNil ? nil : programOutputMode(value)
            value.runtime.operations.entry(view.pointee.id)?.pointee.body?.outputMode = mode
            value.setField(of: view)
        }.settable(until: .started),
        field("cluster") { view, value throws(LuaRaise) in
            try ClusterOptions.check(value)
            value.setField(of: view)
        }.settable(until: .added),
        field("resources") { view, value throws(LuaRaise) in
            if !value.isNil { _ = try value.runtime.operations.needs(value.state, value.index) }
            value.setField(of: view)
        }.settable(until: .added),
        .init(
            "allowsFailure",
            { $2.push($0.pointee.flags.contains(.allowsFailure)) },
            set: { view, value throws(LuaRaise) in
                value.runtime.operations.setAllowsFailure(view, value.isNil ? false : try value.boolean())
            }
        ).settable(until: .finished),
        .init(
            "userInfo",
            { _ = $1.operations.getField("userInfo", of: 1, $0, $2) },
            set: { view, value in value.setField(of: view) }
        ),
        .init(
            "cancelled",
            { view, runtime, state in
                if view.pointee.type != .subclass {
                    _ = runtime.operations.getField("cancelled", of: 1, view, state)
                } else if !runtime.bodies.pushMethod("cancelled", state) {
                    state.pushNil()
                }
            },
            set: { view, value throws(LuaRaise) in
                guard value.isNil || value.state.isFunction(value.index) else {
                    throw value.expected("function")
                }
                if view.pointee.type == .subclass {
                    let name = value.runtime.operations.typeText(value.state, value.object, view)
                    throw .misuse(
                        "'cancelled' of \(name) is a hook of its class: define function \(name):cancelled()"
                    )
                }
                value.setField(of: view)
            }
        ).settable(until: .finished),
        .init("executionBlocks", { $1.operations.pushExecutionBlocks($2, $0) }),
    ]

    /// A property whose value is stored exactly as the script set it.
    private static func field(
        _ name: StaticString,
        _ set: @escaping ScriptType.Property<OperationPointer>.Setter
    ) -> ScriptType.Property<OperationPointer> {
        .init(name, { _ = $1.operations.getField(name, of: 1, $0, $2) }, set: set)
    }

    /// The property has two names.
    private static func isAsynchronous(_ name: StaticString) -> ScriptType.Property<OperationPointer> {
        .init(name, { $2.push($0.pointee.kind == .start || $0.pointee.flags.contains(.isAsync)) })
    }

    private static func badPriority(_ value: NewValue) -> LuaRaise {
        let names = OperationPriority.allCases.map(priorityName)
        let got =
            value.state.string(value.index).map { "'\($0)'\(suggestion(for: $0, among: names))" }
            ?? value.state.summary(value.index)
        return value.bad(
            "\"veryLow\", \"low\", \"normal\", \"high\", \"veryHigh\" or a finite number expected, got \(got)"
        )
    }

    /// A mode in which the output of a program is shown.
    private static func programOutputMode(_ value: NewValue) throws(LuaRaise) -> ProgramOutputMode {
        let text = value.state.string(value.index)
        let modes = ProgramOutputMode.ofOperations
        if let mode = modes.first(where: { $0.rawValue == text }) { return mode }
        let got =
            text.map { "'\($0)'\(suggestion(for: $0, among: modes.map(\.rawValue)))" }
            ?? value.state.summary(value.index)
        throw value.bad("\"group\", \"prefix\", \"stream\" or \"errors\" expected, got \(got)")
    }
}

extension NewValue {
    /// Passes a setting to the scheduler, if the operation was added. It is refused once the operation
    /// executes or has finished, since it would have no effect.
    func change(
        _ view: OperationPointer,
        _ apply: (SchedulerCore, OperationID) -> Void
    ) throws(LuaRaise) {
        guard view.pointee.flags.contains(.isSubmitted) || view.pointee.isFinished else { return }
        let id = view.pointee.id
        let isInTime = runtime.scheduler.feed { core in
            guard !view.pointee.isFinished, let state = core.state(of: id),
                state == .pending || state == .ready
            else { return false }
            apply(core, id)
            return true
        }
        if isInTime { return }
        let reason = runtime.operations.tooLate(view, for: .started) ?? runtime.operations.hasStarted(view)
        throw .misuse("'\(property)' of \(reason)")
    }

    /// Stores the value, or the value that `push` pushes instead, in the operation's field with the name of
    /// the property.
    fileprivate func setField(of view: OperationPointer, _ push: ((LuaState) -> Void)? = nil) {
        let value = state.absolute(index)
        runtime.operations.setField(property, of: object, view, state) {
            if let push { push($0) } else { $0.pushValue(value) }
        }
    }
}

extension Operations {
    /// If a moment in the life of an operation has passed, returns which properties cannot change any more,
    /// and why.
    func tooLate(_ view: OperationPointer, for limit: ScriptType.Limit) -> String? {
        let isAdded = view.pointee.flags.contains(.isSubmitted)
        switch limit {
        case .added where isAdded || view.pointee.isFinished:
            return
                "'\(name(view))' cannot change any more: it is set before the operation is added or started"
        case .started where isAdded && view.pointee.state == .executing: return hasStarted(view)
        case .started where view.pointee.isFinished, .finished where view.pointee.isFinished:
            return "'\(name(view))' cannot change any more: the operation has finished; it is set before that"
        case .added, .started, .finished, .ended: return nil
        }
    }

    fileprivate func hasStarted(_ view: OperationPointer) -> String {
        "'\(name(view))' cannot change any more: the operation has started; it is set before that"
    }
}

extension Operations {
    fileprivate func setAllowsFailure(_ view: OperationPointer, _ allows: Bool) {
        if allows {
            view.pointee.flags.insert(.allowsFailure)
        } else {
            view.pointee.flags.remove(.allowsFailure)
        }
        if view.pointee.flags.contains(.isSubmitted) {
            let id = view.pointee.id
            scheduler.feed { $0.failureAllowanceChanged(id, to: allows) }
        }
    }

    fileprivate func setPriority(_ view: OperationPointer, _ priority: OperationPriority) {
        let old = view.pointee.priority
        guard old != priority else { return }
        view.pointee.priority = priority
        if view.pointee.flags.contains(.isSubmitted) {
            let id = view.pointee.id
            scheduler.feed { $0.priorityChanged(id, to: priority) }
        }
        runtime.observers.observe(
            view,
            "queuePriority",
            .text(priorityName(old)),
            .text(priorityName(priority))
        )
    }

    /// Fast path: makes the function at index 3 the completion block of the operation at index 1. False, without any
    /// effect, if the slow path is needed. [-0, +0, -]
    @inline(__always)
    func setFirstCompletion(_ state: LuaState) -> Bool {
        guard let view = operation(state, 1), !view.pointee.flags.contains(.isSettled),
            entry(view.pointee.id)?.pointee.isUnattended ?? true,
            state.isFunction(3)
        else { return false }
        // The function is on top of the stack: a setter receives three values.
        state.setValue(.completionBlock, of: view, at: 1)
        view.pointee.flags.insert(.hasCompletion)
        return true
    }

    fileprivate func setCompletion(
        _ view: OperationPointer,
        at index: Int32,
        from value: Int32,
        _ state: LuaState
    ) throws(LuaRaise) {
        let isSet = state.isFunction(value)
        guard isSet || state.isNoneOrNil(value) else {
            throw LuaRaise(
                .argument,
                "bad value for 'completionBlock' (function expected, got \(kindName(state, value)))"
            )
        }
        let wasObserved = runtime.observers.isObserved(view, "completionBlock")
        let old: PropertyValue =
            wasObserved ? propertyValue(.completionBlock, of: view, at: index, state) : .nil
        if isSet {
            state.pushValue(value)
            state.setValue(.completionBlock, of: view, at: index)
            view.pointee.flags.insert(.hasCompletion)
        } else {
            state.removeValue(.completionBlock, of: view, at: index)
            view.pointee.flags.remove(.hasCompletion)
        }
        if wasObserved {
            runtime.observers.observe(
                view,
                "completionBlock",
                old,
                propertyValue(.completionBlock, of: view, at: index, state)
            )
        }
        if isSet, view.pointee.flags.contains(.isSettled) {
            agenda.turns.append(
                .lateCompletion(OperationHandle(view: view, reference: runtime.reference(to: index, state)))
            )
        }
    }

    private func propertyValue(
        _ value: OperationValue,
        of view: OperationPointer,
        at index: Int32,
        _ state: LuaState
    ) -> PropertyValue {
        defer { state.pop() }
        return state.getValue(value, of: view, at: index) == .nil
            ? .nil : .reference(runtime.reference(to: -1, state))
    }

    /// Notifies observers that the completion block of an operation is released, since it is now called.
    func observeReleaseOfCompletion(_ view: OperationPointer, _ state: LuaState) {
        guard view.pointee.flags.contains(.hasCompletion),
            runtime.observers.isObserved(view, "completionBlock"), pushOperation(view.pointee.id, state)
        else { return }
        defer { state.pop() }
        let block = propertyValue(.completionBlock, of: view, at: state.top, state)
        runtime.observers.observe(view, "completionBlock", block, .nil)
    }

    // MARK: Values of options

    func priority(_ state: LuaState, _ index: Int32) -> OperationPriority? {
        if let number = state.number(index) {
            guard number.isFinite else { return nil }
            // Rounded towards normal: -7.5 is low, 3.9 is normal, 9 is very high.
            return OperationPriority(rounding: Int(max(-100, min(100, number.rounded(.towardZero)))))
        }
        switch state.string(index) {
        case "veryLow": return .veryLow
        case "low": return .low
        case "normal": return .normal
        case "high": return .high
        case "veryHigh": return .veryHigh
        default: return nil
        }
    }

    func qualityOfService(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> OperationQualityOfService {
        if let name = state.string(index),
            let quality = OperationQualityOfService.allCases.first(where: { qualityName($0) == name })
        {
            return quality
        }
        throw LuaRaise(
            .argument,
            "bad value for 'qualityOfService' (\"background\", \"utility\", \"default\", \"userInitiated\" or "
                + "\"userInteractive\" expected, got "
                + "\(state.string(index).map { "'\($0)'" } ?? kindName(state, index)))"
        )
    }

    /// Names and amounts of resources.
    func needs(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> [(name: String, amount: Int)] {
        guard state.isTable(index) else {
            throw LuaRaise(
                .argument,
                "bad value for 'resources' (table expected, got \(kindName(state, index)))"
            )
        }
        let index = state.absolute(index)
        var result: [(name: String, amount: Int)] = []
        state.pushNil()
        while state.nextUnchecked(index) {
            let name = state.type(-2) == .string ? state.string(-2) : nil
            let amount = state.wholeNumber(-1)
            state.pop()
            guard let name, let amount, amount >= 0 else {
                state.pop()
                throw LuaRaise(
                    .argument,
                    "bad value for 'resources' (names with whole numbers expected, as in { gpu = 1 })"
                )
            }
            result.append((name, amount))
        }
        return result.sorted { $0.name < $1.name }
    }
}
