internal import LuaVM
internal import Scheduling

extension VirtualTime {
    /// Injects the planned fault into an operation that starts; false if there is none and its body has to begin.
    func meetFaults(_ id: OperationID, _ body: WorkBody) -> Bool {
        guard let simulation, simulation.faults.concerns(body.definition.name) else { return false }
        let name = body.definition.name
        if simulation.faults.isHeld(name) {
            simulation.faults.hold(id, name)
            return true
        }
        let seconds = simulation.faults.drawDelay(name, simulation.choices)
        guard seconds > 0 else { return meetFailure(id, body) }
        let deadline = scheduler.clock.now.addingReportingOverflow(SchedulerClock.nanoseconds(seconds))
        runtime.operations.attachment(id).sleepTimer = agenda.dueTimes.schedule(
            at: deadline.overflow ? .max : deadline.partialValue,
            .begin(id)
        )
        return true
    }

    private func meetFailure(_ id: OperationID, _ body: WorkBody) -> Bool {
        guard let simulation, let view = runtime.operations.liveView(id),
            let raise = simulation.faults.drawFailure(body.definition.name, simulation.choices)
        else { return false }
        do {
            try call(raise, for: id, view, body)
        } catch {
            scheduler.feed { $0.bodyEnded(id, error) }
        }
        return true
    }

    /// The delay of an operation is over.
    func beginDelayed(_ id: OperationID) {
        guard let view = runtime.operations.liveView(id), view.pointee.state == .executing,
            let body = runtime.operations.entry(id)?.pointee.body, !meetFailure(id, body)
        else { return }
        beginBody(id, view)
    }

    /// An operation that is no longer held begins.
    fileprivate func beginReleased(_ id: OperationID) {
        guard let view = runtime.operations.liveView(id), view.pointee.state == .executing,
            let body = runtime.operations.entry(id)?.pointee.body, !meetFaults(id, body)
        else { return }
        beginBody(id, view)
    }

    private func beginBody(_ id: OperationID, _ view: OperationPointer) {
        if view.pointee.kind == .sleep { runtime.bodies.passSleep(id) } else { begin(id, view) }
    }

    /// The simulation, for works that match a pattern and can be controlled; otherwise throws the reason.
    fileprivate func simulation(_ function: String, for pattern: NamePattern) throws(LuaRaise) -> Simulation {
        guard let simulation else {
            throw .misuse(
                "'\(function)' is for virtual time: run the script with --virtual, or in a scenario"
            )
        }
        let matching = try works(pattern)
        if !matching.contains(where: simulation.isControllable) {
            let name = matching[0].name
            throw .misuse(
                "'\(name)' is async and real: replace it first, as in simulate(\"\(name)\", { result = … })"
            )
        }
        // Definitions are remade at the next lookup.
        works.definitionsChanged()
        return simulation
    }

    /// The works whose names match a pattern; at least one.
    func works(_ pattern: NamePattern) throws(LuaRaise) -> [WorkDefinition] {
        let matching =
            pattern.isPlain
            ? works.catalogue.index(of: pattern.text).map { [works.catalogue[$0]] } ?? []
            : works.catalogue.names.filter(pattern.matches).compactMap {
                works.catalogue.index(of: $0).map { works.catalogue[$0] }
            }
        if matching.isEmpty {
            throw pattern.isPlain
                ? runtime.operations.unknownWork(pattern.text) : .misuse("no work matches '\(pattern.text)'")
        }
        return matching
    }
}

// MARK: fail, delay, hold, release, cancelAt

/// `internal.fault(kind, pattern, …)`: `"fail"` with probability and the function that raises, `"delay"` with least and
/// most seconds, `"hold"`, `"release"`. The prelude has checked all but the pattern.
func internalFault(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let kind = state.string(1) ?? ""
        let pattern = NamePattern(state.string(2) ?? "")
        do throws(LuaRaise) {
            let simulation = try runtime.virtualTime.simulation(kind, for: pattern)
            switch kind {
            case "fail":
                let probability = state.number(3) ?? 1
                state.setTop(4)
                let raise = runtime.vm.makeReference(state)
                simulation.faults.fail(pattern, FaultPlan.Failure(probability: probability, raise: raise))
            case "delay":
                let least = state.number(3) ?? 0
                simulation.faults.delay(pattern, least...max(least, state.number(4) ?? least))
            case "hold": simulation.faults.hold(pattern)
            default:
                guard let free = simulation.faults.release(pattern) else {
                    let held = simulation.faults.heldPatterns.map { "'\($0)'" }.joined(separator: ", ")
                    throw .misuse(
                        "nothing is held as '\(pattern.text)'" + (held.isEmpty ? "" : " (held: \(held))")
                    )
                }
                for id in free {
                    runtime.agenda.turns.append(
                        .host { [unowned runtime] in runtime.virtualTime.beginReleased(id) }
                    )
                }
            }
        } catch {
            throw runtime.globals.raisedOutsidePrelude(error, state)
        }
        return 0
    }
}

/// `internal.cancelAt(step)`: cancels the run after this number of turns.
func internalCancelAt(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        do throws(LuaRaise) {
            guard let simulation = runtime.virtualTime.simulation else {
                throw .misuse(
                    "'cancelAt' is for virtual time: run the script with --virtual, or in a scenario"
                )
            }
            let step = state.integer(1) ?? 0
            guard step > simulation.stepCount else {
                throw .misuse("step \(step) is over: this is step \(simulation.stepCount)")
            }
            simulation.cancelStep = step
        } catch {
            throw runtime.globals.raisedOutsidePrelude(error, state)
        }
        return 0
    }
}
