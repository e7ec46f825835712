internal import LuaVM
internal import Scheduling

extension VirtualTime {
    /// Runs the body of an operation that the script thread runs under virtual time, or its substitute.
    func beginSimulated(_ id: OperationID, _ view: OperationPointer) {
        if let body = runtime.operations.entry(id)?.pointee.body, meetFaults(id, body) { return }
        begin(id, view)
    }

    /// Runs the substitute of the body now.
    func playSimulated(_ id: OperationID, _ view: OperationPointer) {
        guard let simulation, let body = runtime.operations.entry(id)?.pointee.body else {
            return bodyEnded(id, nil)
        }
        do {
            switch simulation.behaviour(of: body.definition) {
            case .function(let function): try call(function, for: id, view, body)
            case .instant: try runInstantly(id, body)
            case .registered, .real:
                guard case .modelled(let model) = body.definition.mode.content else {
                    return try runInstantly(id, body)
                }
                pass(try model(body.filledArguments()), for: id, body)
            }
        } catch {
            bodyEnded(id, error)
        }
    }

    private func runInstantly(_ id: OperationID, _ body: WorkBody) throws {
        if simulation?.choices != nil {
            // Its place among the ends of this moment is a choice.
            runtime.operations.attachment(id).sleepTimer = agenda.dueTimes.schedule(
                at: scheduler.clock.now,
                .body(id)
            )
            return
        }
        try runNow(id, body)
    }

    /// A body that takes no time runs and ends.
    func endInstantly(_ id: OperationID) {
        guard let body = runtime.operations.entry(id)?.pointee.body else {
            return bodyEnded(id, nil)
        }
        do {
            try runNow(id, body)
        } catch {
            bodyEnded(id, error)
        }
    }

    private func runNow(_ id: OperationID, _ body: WorkBody) throws {
        try body.execute()
        runtime.operations.entry(id)?.pointee.attachment?.resultBox?.copy(body)
        bodyEnded(id, nil)
    }

    /// Lets the time of a modelled run pass, and then ends the operation.
    private func pass(_ run: ModelledRun, for id: OperationID, _ body: WorkBody) {
        let attachment = runtime.operations.attachment(id)
        if run.error == nil {
            body.set(run.result)
            runtime.operations.entry(id)?.pointee.attachment?.resultBox?.copy(body)
        }
        attachment.simulatedFailure = run.error
        let deadline = scheduler.clock.now.addingReportingOverflow(SchedulerClock.nanoseconds(run.duration))
        attachment.sleepTimer = agenda.dueTimes.schedule(
            at: deadline.overflow ? .max : deadline.partialValue,
            .sleep(id)
        )
    }

    /// Runs a Lua function as the body of the operation.
    func call(
        _ function: LuaReference,
        for id: OperationID,
        _ view: OperationPointer,
        _ body: WorkBody
    ) throws {
        let arguments = try body.filledArguments()
        let task = runtime.bodies.makeTask()
        let state = task.root.state
        task.operation = id
        task.queue = runtime.operations.queue(of: view)
        task.end = .body(id)
        _ = state.ensureSpace(Int32(clamping: arguments.count) + 8)
        function.push(state)
        for argument in arguments { runtime.push(argument, state) }
        runtime.bodies.start(task)
    }
}

// MARK: simulate

extension VirtualTime {
    /// Adds a rule; it applies to operations of matching works that are made from then on.
    fileprivate func simulate(_ text: String, _ behaviour: Simulation.Behaviour) throws(LuaRaise) {
        guard let simulation else {
            throw .misuse("'simulate' is for virtual time: run the script with --virtual, or in a scenario")
        }
        let pattern = NamePattern(text)
        let matching = try works(pattern)
        if case .instant = behaviour, let work = matching.first(where: \.isAsync), pattern.isPlain {
            throw .misuse(
                "'\(work.name)' is async and cannot run instantly: give its result, as in "
                    + "simulate(\"\(work.name)\", { result = … })"
            )
        }
        simulation.add(behaviour, for: pattern)
        // Definitions are remade at the next lookup.
        works.definitionsChanged()
    }
}

/// `internal.simulate(pattern, mode | function)`: a mode is `"real"`, `"instant"` or nil for the registered
/// mode.
func internalSimulate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let pattern = state.string(1) ?? ""
        let behaviour: Simulation.Behaviour
        if state.isFunction(2) {
            state.setTop(2)
            behaviour = .function(runtime.vm.makeReference(state))
        } else {
            switch state.string(2) {
            case "real": behaviour = .real
            case "instant": behaviour = .instant
            default: behaviour = .registered
            }
        }
        do throws(LuaRaise) {
            try runtime.virtualTime.simulate(pattern, behaviour)
        } catch {
            throw runtime.globals.raisedOutsidePrelude(error, state)
        }
        return 0
    }
}
