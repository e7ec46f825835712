internal import LuaVM
internal import Scheduling

/// How the userdata of operations are made.
extension Operations {
    /// Makes an operation; its userdata is pushed. [-0, +1, -]
    func newOperation(
        _ state: LuaState,
        _ kind: OperationBlock.Kind,
        _ type: OperationBlock.TypeName,
        work: Int32 = -1
    ) -> OperationPointer {
        newOperation(state, kind, type, work) { place in
            let block = state.newUserdata(
                of: OperationBlock.self,
                metatables.operation,
                userValues: Int32(OperationValue.count(kind))
            )
            anchors.set(place, at: -1, state)
            return block
        }
    }

    /// The same from a function whose upvalues, by number, are the metatable of operations and the table of anchors.
    /// [-0, +1, -]
    @inline(__always)
    func newOperation(
        _ state: LuaState,
        _ kind: OperationBlock.Kind,
        _ type: OperationBlock.TypeName,
        work: Int32,
        metatable: Int32,
        table: Int32
    ) -> OperationPointer {
        newOperation(state, kind, type, work) { place in
            state.newUserdata(
                of: OperationBlock.self,
                metatable: metatable,
                userValues: Int32(OperationValue.count(kind)),
                keptAt: Int(place),
                of: table
            )
        }
    }

    /// - Parameter makeBlock: Pushes the userdata and keeps it at an anchor's place.
    @inline(__always)
    private func newOperation(
        _ state: LuaState,
        _ kind: OperationBlock.Kind,
        _ type: OperationBlock.TypeName,
        _ work: Int32,
        _ makeBlock: (UInt32) -> OperationPointer
    ) -> OperationPointer {
        let id = takeID()
        let source = state.place(level: 1)
        let place = anchors.takePlace()
        let block = makeBlock(place)
        block.initialize(
            to: OperationBlock(
                identity: metatables.operation.identity,
                id: id,
                kind: kind,
                type: type,
                source: source.source,
                line: source.line,
                work: work
            )
        )
        let entry = entries.makeEntry(Int(id.slot))
        entry.pointee.id = id
        entry.pointee.block = block
        entry.pointee.isGate = kind == .gate
        holdNew(id, entry, at: place)
        return block
    }

    /// Identities are fetched in batches, so that making an operation needs no lock.
    @inline(__always)
    private func takeID() -> OperationID {
        freeIDs.pop() ?? fetchID()
    }

    @inline(never)
    private func fetchID() -> OperationID {
        scheduler.visit { core in
            for _ in 0..<64 { freeIDs.push(core.reportingOperationCreated()) }
        }
        // The first one made is the first one used, so that tables by slot grow at their end.
        freeIDs.reverse()
        guard let id = freeIDs.pop() else { preconditionFailure("the scheduler gave no identities") }
        return id
    }
}
