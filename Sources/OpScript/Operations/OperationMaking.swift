internal import LuaVM
internal import Scheduling

/// Creates the userdata of operations.
extension Operations {
    /// Makes an operation; its userdata is pushed. [-0, +1, -]
    func newOperation(
        _ state: LuaState,
        _ kind: OperationView.Kind,
        _ type: OperationView.TypeName,
        work: Int32 = -1
    ) -> OperationPointer {
        let id = takeID()
        let source = state.place(level: 1)
        let place = anchors.takePlace()
        let view = state.newUserdata(
            of: OperationView.self,
            metatables.operation,
            userValues: Int32(OperationValue.count(kind))
        )
        anchors.set(place, at: -1, state)
        view.initialize(
            to: OperationView(
                identity: metatables.operation.identity,
                id: id,
                kind: kind,
                type: type,
                source: source.source,
                line: source.line,
                work: work
            )
        )
        let entry = entries[Int(id.slot)]
        entry.pointee.id = id
        entry.pointee.view = view
        entry.pointee.isGate = kind == .gate
        holdNew(id, entry, at: place)
        reporting.tell(.made, view, at: scheduler.clock.now)
        return view
    }

    /// Takes an identity; these are fetched in batches, so making an operation usually needs no lock.
    @inline(__always)
    private func takeID() -> OperationID {
        freeIDs.pop() ?? fetchID()
    }

    @inline(never)
    private func fetchID() -> OperationID {
        // The next batch is larger: a worker may hold the lock for some microseconds.
        scheduler.visit { core in
            for _ in 0..<idBatch {
                let id = core.reportingOperationCreated()
                entries.makeEntry(id.slot, core)
                freeIDs.push(id)
            }
        }
        idBatch = min(2 * idBatch, 512)
        // The identity made first is used first, so that tables indexed by slot grow at their end.
        freeIDs.reverse()
        guard let id = freeIDs.pop() else { preconditionFailure("the scheduler gave no identities") }
        return id
    }
}
