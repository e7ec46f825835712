internal import LuaVM
internal import Scheduling

extension HostObjects {
    /// Pushes an object; an operation of another scheduler becomes one of the script.
    func makeObject(_ object: any ScriptObject, _ state: LuaState) {
        if let foreign = object as? any ForeignOperation {
            makeForeign(foreign, state)
        } else {
            let instance = (object as? ExposedObject)?.instance ?? object
            HostObjectBox(object, exposure(of: instance)).push(metatables.hostObject, state)
        }
    }

    /// Creates the operation that represents an operation of another scheduler. [-0, +1, -]
    ///
    /// Until a script adds it to a queue, it is ended from outside, like a gate.
    private func makeForeign(_ foreign: any ForeignOperation, _ state: LuaState) {
        let view = runtime.operations.newOperation(state, .gate, .operation)
        let made = state.top
        view.pointee.flags.insert(.isForeign)
        // The userdata keeps the object alive, so that its address is unique while the address identifies it.
        HostObjectBox(foreign, nil).push(metatables.hostObject, state)
        state.setValue(.foreign, of: view, at: made)
        runtime.operations.set(name: foreign.foreignName ?? "operation", of: view, at: made, state)
        var spec = OperationSpec()
        spec.isGate = true
        spec.reports = true
        spec.lane = .reader
        let id = view.pointee.id
        scheduler.feed { $0.apply(spec, to: id) }
        runtime.operations.attachment(id).foreign = foreign
        foreigners.insert(id)
        let link = link
        foreign.whenForeignFinished { [weak link] outcome in
            link?.post { $0.hostObjects.foreignFinished(id, outcome) }
        }
    }

    /// The foreign operation finished elsewhere. If a script's queue runs it, that queue reports its end.
    private func foreignFinished(_ id: OperationID, _ outcome: ForeignOutcome) {
        guard let view = runtime.operations.liveView(id), view.pointee.kind == .gate else { return }
        foreigners.remove(id)
        switch outcome {
        case .cancelled: runtime.operations.cancel(view)
        case .succeeded:
            scheduler.feed { core in
                // A gate always accepts its end.
                try? core.endedFromOutside(id, failed: false)
            }
        }
    }

    /// A script adds the operation to a queue. From now on it has a body, which runs the foreign operation.
    func prepareForeign(_ view: OperationPointer, _ name: String) throws(LuaRaise) {
        let id = view.pointee.id
        guard view.pointee.flags.contains(.isForeign), view.pointee.kind == .gate,
            !view.pointee.isFinished,
            let foreign = runtime.operations.entry(id)?.pointee.attachment?.foreign
        else { return }
        if let obstacle = foreign.foreignObstacle { throw .misuse("'\(name)' cannot be added: \(obstacle)") }
        let definition = WorkDefinition(
            name: name,
            summary: "",
            parameters: [],
            takesContext: true,
            // Weakly: the scheduler holds the body, and a body that ends after the engine is closed stays with it.
            body: .sync { [weak scheduler] arguments in
                arguments.context?.onCancel { foreign.cancelForeign() }
                if try foreign.runForeign() == .cancelled {
                    scheduler?.feed { $0.cancelledFromQueue(id) }
                }
                return .nil
            }
        )
        view.pointee.kind = .work
        runtime.operations.entries[Int(id.slot)].pointee.body = WorkBody(
            definition,
            .none,
            takesOperations: false
        )
        runtime.operations.entries[Int(id.slot)].pointee.isGate = false
        foreigners.remove(id)
    }

    /// Whether an operation of another scheduler that a script knows may still finish.
    var hasForeigners: Bool {
        guard !foreigners.isEmpty else { return false }
        foreigners = foreigners.filter {
            runtime.operations.liveView($0).map { !$0.pointee.isFinished } ?? false
        }
        return !foreigners.isEmpty
    }
}
