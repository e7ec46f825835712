internal import LuaVM
internal import Scheduling

enum ObservationBinding {
    static let methods: [ScriptMethod] = [.init("invalidate", "", observationInvalidate)]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__tostring", observationToString)])
        state.newTable()
        state.setMethods(methods, areMethods: true)
        state.push(0)
        state.rawSet(-2, "isValid")
        state.push(1)
        state.rawSet(-2, "key")
        state.pushIndex(getter: observationGet, fallback: observationGetOther)
        state.rawSet(-2, "__index")
        return LuaMetatable(state, name: "Observation", isBox: true)
    }
}

private func observationToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let observation = runtime(raw).observers.observation(state, 1)
    state.push(
        "Observation '\(observation?.key ?? "?")' (\(observation?.isValid == true ? "valid" : "invalidated"))"
    )
    return 1
}

private func observationInvalidate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let observation = runtime.observers.observation(state, 1) else {
            throw LuaRaise(argument: 1, "observation expected, got \(runtime.operations.kindName(state, 1))")
        }
        observation.invalidate()
        if observation.number > 0, state.getUserValue(1) == .table {
            state.pushNil()
            state.rawSet(-2, observation.number)
        }
        return 0
    }
}

private func observationGet(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    let state = LuaState(raw)
    guard let observation = runtime(raw).observers.observation(state, 1) else { return 0 }
    if property == 0 { state.push(observation.isValid) } else { state.push(observation.key) }
    return 1
}

private func observationGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "Observation",
            among: ["invalidate", "isValid", "key"]
        )
    }
}

/// `op:observe(key [, options], fn)`
func operationObserve(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        let options = try runtime.observers.takeOptions(state)
        let observation = try runtime.observers.makeObservation(
            state,
            keys: OperationBinding.type.observableKeys,
            of: "an operation",
            options
        )
        if !view.pointee.flags.contains(.isSettled) {
            let attachment = runtime.operations.attachment(view.pointee.id)
            attachment.observations.removeAll { !$0.isValid }
            attachment.observations.append(observation)
        }
        state.pushBox(observation, runtime.metatables.observation)
        return options.contains(.initial)
            ? try runtime.observers.tellInitial(observation, OperationBinding.type.members, state) : 1
    }
}

/// `queue:observe(key [, options], fn)`
func queueObserve(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.queues.requireQueue(state, 1)
        let options = try runtime.observers.takeOptions(state)
        let observation = try runtime.observers.makeObservation(
            state,
            keys: QueueBinding.type.observableKeys,
            of: "a queue",
            options,
            isHeldByObject: queue.kind == .ordinary
        )
        queue.observations.removeAll { !$0.isValid }
        queue.observations.append(observation)
        if queue.kind == .ordinary {
            runtime.observers.pushObservation(observation, ofQueueAt: 1, function: 3, state)
        } else {
            state.pushBox(observation, runtime.metatables.observation)
        }
        return options.contains(.initial)
            ? try runtime.observers.tellInitial(observation, QueueBinding.type.members, state) : 1
    }
}

/// The first call of an observer has ended. Returns the observation, which is at index 4.
private func endInitialCall(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let observers = runtime(raw).observers
    if let observation = observers.observation(state, 4) { observers.observationReturned(observation) }
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    state.pushValue(4)
    return 1
}

extension Observers {
    func observation(_ state: LuaState, _ index: Int32) -> Observation? {
        state.box(index, metatables.observation, as: Observation.self)
    }

    /// Takes the options out of the arguments, so that the function is at index 3.
    func takeOptions(_ state: LuaState) throws(LuaRaise) -> Observation.Options {
        var options: Observation.Options = []
        if state.isTable(3) {
            for place in 1...max(1, Int(state.rawLength(3))) {
                _ = state.rawGet(3, place)
                let name = state.string(-1)
                let given = state.summary(-1)
                state.pop()
                switch name {
                case "initial": options.insert(.initial)
                case "prior": options.insert(.prior)
                default: throw LuaRaise(argument: 3, "\"initial\" or \"prior\" expected, got \(given)")
                }
            }
            if options.contains(.initial), state.string(2) == "*" {
                throw LuaRaise(argument: 3, "'initial' is for one property, not for \"*\"")
            }
            try removeOptions(state)
        } else if state.top > 3, state.isNil(3) {
            try removeOptions(state)
        } else if state.top > 3, !state.isFunction(3) {
            throw LuaRaise(argument: 3, "table of options expected, got \(operations.kindName(state, 3))")
        }
        guard state.top <= 3 else {
            throw LuaRaise(
                argument: 4,
                "no value expected, got \(state.summary(4)); options come before the function: "
                    + "observe(key, { \"initial\" }, fn)"
            )
        }
        return options
    }

    private func removeOptions(_ state: LuaState) throws(LuaRaise) {
        guard state.isFunction(4) else {
            throw LuaRaise(argument: 4, "function expected, got \(operations.kindName(state, 4))")
        }
        state.remove(3)
    }

    /// Calls the observer with the present value. The object is at index 1, the key at 2, the function at 3, the
    /// observation at 4.
    func tellInitial(
        _ observation: Observation,
        _ members: [ScriptType.Member],
        _ state: LuaState
    ) throws(LuaRaise) -> Int32 {
        observation.isBusy = true
        state.pushValue(3)
        state.newTable(fields: 3)
        for (index, name) in [(1, "object"), (2, "key")] as [(Int32, StaticString)] {
            state.pushValue(index)
            state.rawSet(-2, name)
        }
        let change = state.top
        if let member = members.first(where: { $0.name == observation.key }) {
            try member.get(runtime, state)
            state.setTop(change + 1)
            state.rawSet(change, "new")
        }
        state.push(continuation: endInitialCall)
        return LuaReply.callThen(1)
    }

    /// - Parameter isHeldByObject: Whether the caller stores the function in the object's userdata.
    func makeObservation(
        _ state: LuaState,
        keys: [String],
        of what: String,
        _ options: Observation.Options,
        isHeldByObject: Bool = false
    ) throws(LuaRaise) -> Observation {
        guard let key = state.string(2) else {
            throw LuaRaise(argument: 2, "name of a property expected, got \(operations.kindName(state, 2))")
        }
        guard keys.contains(key) else {
            throw LuaRaise(
                argument: 2,
                "'\(key)' of \(what) cannot be observed\(suggestion(for: key, among: keys))"
            )
        }
        guard state.isFunction(3) else {
            throw LuaRaise(argument: 3, "function expected, got \(operations.kindName(state, 3))")
        }
        let function = isHeldByObject ? nil : runtime.reference(to: 3, state)
        return Observation(key: key, function: function, options)
    }

    /// Stores the function of an observation in the userdata of the observed queue, and pushes the observation.
    /// [-0, +1, -]
    fileprivate func pushObservation(
        _ observation: Observation,
        ofQueueAt index: Int32,
        function: Int32,
        _ state: LuaState
    ) {
        if state.getUserValue(index, QueueValue.observers) != .table {
            state.pop()
            state.newTable()
            state.pushValue(-1)
            _ = state.setUserValue(index, QueueValue.observers)
        }
        let table = state.top
        lastObservation += 1
        observation.number = lastObservation
        state.pushValue(function)
        state.rawSet(table, observation.number)
        state.pushBox(observation, metatables.observation, userValues: 1)
        state.pushValue(table)
        _ = state.setUserValue(-2)
        state.remove(table)
    }

    /// Pushes the function of a valid observation; false if the function was collected with an earlier userdata of the
    /// queue. [-0, +1, -]
    private func pushFunction(of observation: Observation, _ object: LuaReference, _ state: LuaState) -> Bool
    {
        if let function = observation.function {
            function.push(state)
            return true
        }
        object.push(state)
        guard state.getUserValue(-1, QueueValue.observers) == .table else { return false }
        let hasFunction = state.rawGet(-1, observation.number) == .function
        state.remove(-2)
        state.remove(-2)
        return hasFunction
    }

    // MARK: Changes

    func isObserved(_ view: OperationPointer, _ key: String) -> Bool {
        operations.entry(view.pointee.id)?.pointee.attachment?.observations.contains { $0.wants(key) }
            ?? false
    }

    /// Called if a property of an operation has changed: a turn calls its observers.
    func observe(
        _ view: OperationPointer,
        _ key: String,
        _ old: @autoclosure () -> PropertyValue,
        _ new: @autoclosure () -> PropertyValue
    ) {
        guard let observations = operations.entry(view.pointee.id)?.pointee.attachment?.observations,
            !observations.isEmpty
        else { return }
        let wanting = observations.filter { $0.wants(key) }
        guard !wanting.isEmpty else { return }
        let state = vm.main
        guard operations.pushOperation(view.pointee.id, state) else { return state.pop() }
        agenda.turns.append(
            .observed(
                wanting,
                ObservedChange(object: vm.makeReference(state), key: key, old: old(), new: new())
            )
        )
    }

    /// Prepares the last changes of an operation, of which each observer is notified when the operation's end
    /// is served.
    func observeEnd(_ view: OperationPointer, wasExecuting: Bool) {
        guard let attachment = operations.entry(view.pointee.id)?.pointee.attachment,
            !attachment.observations.isEmpty
        else {
            return
        }
        attachment.wasExecutingAtEnd = wasExecuting
    }

    func serveObservers(_ view: OperationPointer, _ attachment: OperationAttachment, _ handle: LuaReference) {
        for observation in attachment.observations {
            if attachment.wasExecutingAtEnd, observation.wants("isExecuting") {
                tell(
                    observation,
                    ObservedChange(
                        object: handle,
                        key: "isExecuting",
                        old: .boolean(true),
                        new: .boolean(false)
                    )
                )
            }
            if observation.wants("isFinished") {
                tell(
                    observation,
                    ObservedChange(
                        object: handle,
                        key: "isFinished",
                        old: .boolean(false),
                        new: .boolean(true)
                    )
                )
            }
            if observation.wants("outcome") {
                let new = PropertyValue.text(outcomeName(view.pointee.outcome))
                tell(observation, ObservedChange(object: handle, key: "outcome", old: .nil, new: new))
            }
        }
    }

    func observe(_ queue: ScriptQueue, _ key: String, _ old: PropertyValue, _ new: PropertyValue) {
        let wanting = queue.observations.filter { $0.wants(key) }
        guard !wanting.isEmpty else { return }
        agenda.turns.append(
            .observed(
                wanting,
                ObservedChange(object: queues.queueReference(queue), key: key, old: old, new: new)
            )
        )
    }

    func observeCount(_ queue: ScriptQueue, old: Int, removed: OperationID?) {
        guard !queue.observations.isEmpty else { return }
        if let removed { observeMember(queue, removed, isInserted: false) }
        if old != queue.count { observe(queue, "operationCount", .integer(old), .integer(queue.count)) }
    }

    func observeAddition(_ queue: ScriptQueue, _ id: OperationID) {
        if let progress = queue.progress { queueGrew(progress) }
        guard !queue.observations.isEmpty else { return }
        observeMember(queue, id, isInserted: true)
    }

    private func observeMember(_ queue: ScriptQueue, _ id: OperationID, isInserted: Bool) {
        let wanting = queue.observations.filter { $0.wants("operations") }
        guard !wanting.isEmpty else { return }
        let state = vm.main
        guard operations.pushOperation(id, state) else { return state.pop() }
        let member = vm.makeReference(state)
        var change = ObservedChange(object: queues.queueReference(queue), key: "operations")
        if isInserted { change.inserted = member } else { change.removed = member }
        agenda.turns.append(.observed(wanting, change))
    }

    func tellObservers(_ observations: [Observation], _ change: ObservedChange) {
        for observation in observations { tell(observation, change) }
    }

    /// Calls an observation's function for a change, after its announcement if the observer wants one.
    private func tell(_ observation: Observation, _ change: ObservedChange) {
        if observation.options.contains(.prior) { call(observation, change.prior) }
        call(observation, change)
    }

    /// Calls an observation's function. These calls never overlap: while one waits, the next changes queue up.
    private func call(_ observation: Observation, _ change: ObservedChange) {
        guard observation.isValid else { return }
        if observation.isBusy { return observation.addPending(change) }
        let task = runtime.bodies.makeTask()
        let state = task.root.state
        guard pushFunction(of: observation, change.object, state) else {
            task.root.clear()
            return runtime.bodies.giveBack(task)
        }
        observation.isBusy = true
        state.newTable(fields: 4)
        change.object.push(state)
        state.rawSet(-2, "object")
        state.push(change.key)
        state.rawSet(-2, "key")
        if change.inserted != nil || change.removed != nil {
            if let inserted = change.inserted {
                inserted.push(state)
                state.rawSet(-2, "inserted")
            }
            if let removed = change.removed {
                removed.push(state)
                state.rawSet(-2, "removed")
            }
        } else {
            change.old.push(state)
            state.rawSet(-2, "old")
            change.new.push(state)
            state.rawSet(-2, "new")
        }
        if change.isPrior {
            state.push(true)
            state.rawSet(-2, "isPrior")
        }
        task.end = .observation(observation)
        runtime.bodies.start(task)
    }

    /// Called if an observation's function has ended; a turn makes the next call, and no later change overtakes it.
    func observationReturned(_ observation: Observation) {
        guard observation.hasPending else {
            observation.isBusy = false
            return
        }
        agenda.turns.append(
            .host { [unowned self] in
                observation.isBusy = false
                if let next = observation.takePending() { call(observation, next) }
            }
        )
    }
}
