internal import LuaVM
internal import Scheduling

/// Operations that the `await` family submits: they belong to the waiters.
extension Operations {
    /// Adds an awaited operation and all its direct and indirect dependencies that are in no queue to the default one.
    func submitForAwait(_ state: LuaState, _ index: Int32) throws(LuaRaise) {
        guard let view = operation(state, index), mayAddForAwait(view) else { return }
        var visited: Set<UInt32> = []
        try submitForAwait(state, index, view, &visited)
    }

    /// The same for several operations, which are also in the list at an index.
    func submitForAwait(_ views: [OperationPointer], in list: Int32, _ state: LuaState) throws(LuaRaise) {
        var visited: Set<UInt32> = []
        for (place, view) in views.enumerated() where mayAddForAwait(view) {
            _ = state.rawGet(list, place + 1)
            try submitForAwait(state, state.top, view, &visited)
            state.pop()
        }
    }

    /// Whether the operation, or a dependency of it, may be in no queue yet.
    @inline(__always)
    private func mayAddForAwait(_ view: OperationPointer) -> Bool {
        !view.pointee.isFinished
            && (!view.pointee.flags.contains(.isSubmitted) || view.pointee.flags.contains(.hasDependencies))
    }

    /// The same for one of several operations: those in `visited`, and their dependencies, have been added.
    private func submitForAwait(
        _ state: LuaState,
        _ index: Int32,
        _ view: OperationPointer,
        _ visited: inout Set<UInt32>
    ) throws(LuaRaise) {
        let found = unadded(state, index, view, &visited)
        isSubmittingForWait = true
        defer { isSubmittingForWait = false }
        let isRead = markReads(found)
        let queue = isRead ? queues.readingQueue() : queues.standardQueue
        let waiter = runtime.bodies.current?.operation.flatMap(liveView)
        // Dependencies are added before the operations that depend on them.
        for id in found.reversed() {
            pushOperation(id, state)
            liveView(id)?.pointee.flags.insert(.belongsToWaits)
            if let waiter { noteStep(id, of: waiter) }
            do throws(LuaRaise) {
                try submit(state, state.top, to: queue)
            } catch {
                liveView(id)?.pointee.flags.subtract([.belongsToWaits, .isStepOfBody])
                throw error
            }
            state.pop()
        }
        if isRead { runReads(in: queue) }
    }

    /// Notes that a body submits an operation for its wait. A program in it is shown by the name of the operation
    /// around it, unless it has a name of its own.
    private func noteStep(_ id: OperationID, of waiter: OperationPointer) {
        guard let view = liveView(id) else { return }
        view.pointee.flags.insert(.isStepOfBody)
        guard waiter.pointee.flags.contains(.hasName), !view.pointee.flags.contains(.hasName),
            let body = entry(id)?.pointee.body, body.mayRunPrograms
        else { return }
        body.setShownName(name(waiter))
    }

    /// An operation and all its direct and indirect dependencies, as far as they are in no queue and not in `visited`;
    /// gates are left out. [-0, +0, m]
    func unadded(
        _ state: LuaState,
        _ index: Int32,
        _ view: OperationPointer,
        _ visited: inout Set<UInt32>
    ) -> [OperationID] {
        var found: [OperationID] = []
        guard visited.insert(view.pointee.id.slot).inserted else { return found }
        // A stack in a Lua table; it gets as deep as the chain of dependencies.
        state.newTable()
        let stack = state.top
        defer { state.setTop(stack - 1) }
        state.pushValue(index)
        state.rawSet(stack, 1)
        var depth = 1
        while depth > 0 {
            _ = state.rawGet(stack, depth)
            state.pushNil()
            state.rawSet(stack, depth)
            depth -= 1
            defer { state.setTop(stack) }
            guard let next = operation(state, -1), !next.pointee.isFinished else { continue }
            if !next.pointee.flags.contains(.isSubmitted), next.pointee.kind != .gate {
                found.append(next.pointee.id)
            }
            guard pushDependencyList(state, -1, next) else { continue }
            for place in stride(from: 1, through: state.rawLength(-1), by: 1) {
                _ = state.rawGet(-1, place)
                if let other = operation(state, -1), visited.insert(other.pointee.id.slot).inserted {
                    depth += 1
                    state.rawSet(stack, depth)
                } else {
                    state.pop()
                }
            }
        }
        return found
    }

    /// Cancels those of some operations that belong to waits, now that a wait for them was cancelled, unless something
    /// else waits for their end; then the same for their dependencies.
    func cancelUnattended(_ ids: [OperationID]) {
        guard ids.contains(where: { liveView($0).map(belongsToWaitsOnly) ?? false }) else { return }
        var chosen: Set<OperationID> = []
        var views: [OperationPointer] = []
        var candidates = ids
        while let id = candidates.popLast() {
            guard !chosen.contains(id), let view = liveView(id), belongsToWaitsOnly(view),
                !isDependedOn(id, besidesThoseOf: chosen)
            else { continue }
            chosen.insert(id)
            views.append(view)
            candidates += dependencies(of: view)
        }
        cancel(together: views)
    }

    /// Whether an operation that is not finished was submitted by a wait, and no wait for it is in progress.
    private func belongsToWaitsOnly(_ view: OperationPointer) -> Bool {
        view.pointee.flags.contains(.belongsToWaits) && !view.pointee.isFinished
            && entry(view.pointee.id)?.pointee.isAwaited == false
    }

    /// Whether an operation waits for this one that is neither cancelled nor among the chosen ones.
    private func isDependedOn(_ id: OperationID, besidesThoseOf chosen: Set<OperationID>) -> Bool {
        scheduler.feed { $0.dependents(of: id) }.contains { dependent in
            guard !chosen.contains(dependent), let view = liveView(dependent) else { return false }
            return !view.pointee.isFinished && !view.pointee.flags.contains(.isCancelled)
        }
    }

    func dependencies(of view: OperationPointer) -> [OperationID] {
        guard view.pointee.flags.contains(.hasDependencies) else { return [] }
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        pushOperation(view.pointee.id, state)
        guard pushDependencyList(state, state.top, view) else { return [] }
        let list = state.top
        return (1...max(1, state.rawLength(list))).compactMap { place in
            _ = state.rawGet(list, place)
            defer { state.pop() }
            return operation(state, -1)?.pointee.id
        }
    }
}
