internal import LuaVM
internal import Scheduling

/// Operations among the blocks of a block operation, made anew for each attempt after the first one.
extension Operations {
    /// Refuses blocks that cannot be made anew, if the block operation at an index has further attempts.
    func checkRenewable(_ view: OperationPointer, _ state: LuaState, _ index: Int32) throws(LuaRaise) {
        guard view.pointee.flags.contains(.hasBlocks),
            let retry = entry(view.pointee.id)?.pointee.retry, retry.policy.attempts > 1
        else { return }
        let top = state.top
        defer { state.setTop(top) }
        guard getField("\0blocks", of: index, view, state) == .table else { return }
        for place in stride(from: 1, through: state.rawLength(top + 1), by: 1) {
            _ = state.rawGet(top + 1, place)
            defer { state.pop() }
            guard let block = operation(state, -1), !isRenewable(block) else { continue }
            throw .misuse(
                "'\(name(state, index, view))' cannot be retried: its block '\(name(state, -1, block))' "
                    + "(\(block.pointee.type.text)) cannot be made anew for another attempt; works and functions can"
            )
        }
    }

    private func isRenewable(_ block: OperationPointer) -> Bool {
        switch block.pointee.kind {
        case .work, .sleep, .simulated: entry(block.pointee.id)?.pointee.body != nil
        case .main: block.pointee.type != .subclass && !block.pointee.flags.contains(.hasBlocks)
        case .start, .group, .gate: false
        }
    }

    /// Keeps what is needed to make the block on top anew, as long as the block operation may be retried.
    func keepForRenewal(_ block: OperationPointer, at place: Int, of run: BlockRun) {
        guard let entry = entry(block.pointee.id) else { return }
        run.renewals[place] = BlockRenewal(
            kind: block.pointee.kind,
            priority: block.pointee.priority,
            body: entry.pointee.body,
            retry: entry.pointee.retry
        )
    }

    /// Replaces the block on top, which an earlier attempt has used, by a new operation with the same body and the same
    /// properties. [-1, +1, -]
    func renewBlock(_ renewal: BlockRenewal, _ state: LuaState) throws(LuaRaise) {
        let index = state.top
        let old = try requireOperation(state, index)
        let flags = old.pointee.flags
        let view = newOperation(state, renewal.kind, old.pointee.type, work: old.pointee.work)
        let made = state.top
        view.pointee.flags.formUnion(flags.intersection([.isAsync, .allowsFailure]))
        view.pointee.priority = renewal.priority
        view.pointee.qualityOfService = old.pointee.qualityOfService
        view.pointee.source = old.pointee.source
        view.pointee.line = old.pointee.line
        let entry = entries[Int(view.pointee.id.slot)]
        entry.pointee.retry = renewal.retry
        if let body = renewal.body {
            let again = WorkBody(body.definition, body.arguments, takesOperations: body.takesOperations)
            if flags.contains(.isAsync) {
                again.spawn(by: runtime.bodies.current?.request?.spawner ?? runtime.run.taskSpawner)
            }
            if let mode = body.outputMode { again.outputMode = mode }
            again.ticket = body.ticket
            entry.pointee.body = again
        } else {
            state.getValue(.body, of: old, at: index)
            state.setValue(.body, of: view, at: made)
        }
        if flags.contains(.hasName), pushName(state, index, old) == .string {
            takeName(of: view, at: made, state)
        }
        for name in ["timeout", "threadPriority", "resources", "userInfo", "cluster", Self.whenKey] {
            if getField(name, of: index, old, state) == .nil {
                state.pop()
            } else {
                setField(name, of: made, view, state) { $0.pushValue(made + 1) }
                state.pop()
            }
        }
        if pushDependencyList(state, index, old) {
            let list = state.top
            for place in stride(from: 1, through: state.rawLength(list), by: 1) {
                _ = state.rawGet(list, place)
                try addDependency(state, made, state.top, .succeeded, isArgument: true)
                state.pop()
            }
            state.setTop(made)
        }
        hide(view)
        state.replace(index)
    }
}

/// A block that is an operation, for its next attempts.
struct BlockRenewal {
    let kind: OperationView.Kind
    let priority: OperationPriority
    let body: WorkBody?
    let retry: RetryBox?
}
