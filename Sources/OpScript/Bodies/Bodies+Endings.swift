internal import LuaVM
internal import Scheduling

/// The consequences of the end of an operation: observers, its completion block and its waiters are served;
/// then the operation is released.
extension Bodies {
    /// Runs observers, completion block, waiters, in this order, each up to its first wait.
    func serveEnd(of id: OperationID) {
        guard let view = operations.liveView(id) else { return }
        // Observers may drop the operation, whose memory is read afterwards.
        var reference: LuaReference?
        defer { withExtendedLifetime(reference) {} }
        if let attachment = operations.entry(id)?.pointee.attachment {
            if let progress = attachment.progress { observers.progressEnded(progress, view) }
            if !attachment.observations.isEmpty {
                let state = vm.main
                guard operations.pushOperation(id, state) else { return state.pop() }
                let observed = vm.makeReference(state)
                reference = observed
                observers.serveObservers(view, attachment, observed)
                operations.observeReleaseOfCompletion(view, state)
            }
        }
        if view.pointee.flags.contains(.hasCompletion) {
            callCompletions(from: view)
        } else {
            settle(view)
        }
    }

    /// Called after the callbacks of an operation: resumes its waiters, and releases it.
    func settle(_ view: OperationPointer) {
        // Waiters may drop the operation, and with it its memory.
        let id = view.pointee.id
        view.pointee.flags.insert(.isSettled)
        if view.pointee.flags.contains(.hasCompletion) { callAnotherCompletion(of: view) }
        let (isDrained, hasProgress) =
            operations.withQueue(of: view) { queue in
                queue.settled()
                return (queue.isDrained, queue.progress != nil)
            } ?? (false, false)
        if hasProgress, let progress = operations.queue(of: view)?.progress { observers.changed(progress) }
        if view.pointee.flags.contains(.isCancelled), let entry = operations.entry(id) {
            // The parts of its body that still run have to stop even after the operation is gone.
            for task in entry.pointee.tasks { task.isCancelled = true }
        }
        let queue = isDrained ? operations.queue(of: view) : nil
        if let (first, later) = operations.entry(id)?.pointee.takeWaits() {
            if let first, first.outcome == nil { waits.operationSettled(id, first) }
            for wait in later where wait.outcome == nil { waits.operationSettled(id, wait) }
        }
        if let attachment = operations.entry(id)?.pointee.attachment {
            if let inner = attachment.inner { operations.releaseInner(inner) }
            for action in attachment.afterEnd { performAction(action, at: id) }
        }
        if showsPrograms { programSettled(id) }
        // A waiter may have added more.
        if let queue, queue.isDrained { queueDrained(queue, by: id) }
        operations.forget(id)
    }

    /// Lets the display know whether the script used the result of a program.
    private func programSettled(_ id: OperationID) {
        guard let entry = operations.entry(id), let body = entry.pointee.body, body.mayRunPrograms,
            let view = entry.pointee.view
        else { return }
        let isUsed = view.pointee.flags.contains(.isResultUsed) || view.pointee.outcome != .succeeded
        body.program?.settled(isUsed: isUsed)
    }

    /// Called if the completion block has set another completion block.
    private func callAnotherCompletion(of view: OperationPointer) {
        let state = vm.main
        guard operations.pushOperation(view.pointee.id, state) else { return state.pop() }
        agenda.turns.append(
            .lateCompletion(OperationHandle(view: view, reference: vm.makeReference(state)))
        )
    }

    private func performAction(_ action: OperationAttachment.AfterEnd, at id: OperationID) {
        switch action {
        case .leave(let group): runtime.dispatch.operationLeaves(group)
        case .endItem(let item): runtime.dispatch.operationEnded(id, of: item)
        case .tell(let body): body()
        }
    }

    private func queueDrained(_ queue: ScriptQueue, by id: OperationID) {
        queue.anchor = nil
        if let owner = queue.blockOwner.take() { operationBlocksEnded(owner) }
        let waits = queue.waits
        queue.waits = []
        for wait in waits where wait.outcome == nil {
            wait.outcome = .reached
            self.waits.noteOrigin(id, wait.task)
            self.waits.resume(wait)
        }
    }

    // MARK: Completion blocks

    /// Calls the completion block of an operation and, in the same coroutine, the completion blocks of the operations
    /// whose turns follow, as long as none of them waits or fails.
    private func callCompletions(from view: OperationPointer) {
        let id = view.pointee.id
        let task = makeTask()
        let state = task.root.state
        operations.pushOperation(id, state)
        takeCompletion(of: view, state)
        task.end = .callback("completion block")
        waits.noteOrigin(id, task)
        served = id
        startSeries(task, over: operations.anchors.table, callNextCompletion)
        // Settles the last operation of the series: its block waits or failed, or its end has waiters to resume.
        if let last = served.take(), let view = operations.liveView(last) { settle(view) }
    }

    /// Called if a completion block has returned: settles its operation. If the next turn calls a completion block too,
    /// pushes that block with its operation. [-0, +0 | 2, -]
    @inline(__always)
    fileprivate func pushNextCompletion(_ state: LuaState) -> Bool {
        guard goesOnInSeries, let last = served, let view = operations.liveView(last),
            operations.entry(last)?.pointee.isUnattended ?? true,
            !(operations.withQueue(of: view) { $0.unfinishedOrUnsettled == 1 } ?? false)
        else { return false }
        settle(view)
        served = nil
        guard let next = nextCompletion() else { return false }
        served = next.pointee.id
        operations.pushOperation(next.pointee.id, state)
        takeCompletion(of: next, state)
        return true
    }

    /// The next operation whose completion block is to be called, if the next turn is such a call.
    private func nextCompletion() -> OperationPointer? {
        // Due items and new ends would come after the existing turns.
        if agenda.turns.isEmpty || link.hasPosts { runtime.loop.takeIn() }
        guard let next = agenda.turns.firstEnded, let view = operations.liveView(next),
            view.pointee.flags.contains(.hasCompletion),
            operations.entry(view.pointee.id)?.pointee.isUnattended ?? true
        else { return nil }
        agenda.turns.removeFirstPlain()
        return view
    }

    /// Takes the completion block out of the operation on top, and puts the block below it. [-0, +1, -]
    private func takeCompletion(of view: OperationPointer, _ state: LuaState) {
        view.pointee.flags.remove(.hasCompletion)
        state.getValue(.completionBlock, of: view, at: -1)
        state.removeValue(.completionBlock, of: view, at: -2)
        state.insert(-2)
    }

    /// Calls a completion block that was set after the end.
    func callLateCompletion(_ handle: OperationHandle) {
        guard handle.view.pointee.flags.contains(.hasCompletion) else { return }
        let task = makeTask()
        handle.reference.push(task.root.state)
        takeCompletion(of: handle.view, task.root.state)
        task.end = .callback("completion block")
        start(task)
    }
}

private func callNextCompletion(_ raw: OpaquePointer) -> Int32 {
    shortly(raw) { runtime, state in runtime.bodies.pushNextCompletion(state) } ? 2 : 0
}
