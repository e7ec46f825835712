internal import LuaVM
internal import Scheduling

/// Ends a run before its work has ended.
extension ScriptRun {
    /// `os.exit`: no function of the script is called any more, not even in a later run. Bodies on other
    /// threads are cancelled; the run does not wait for them, and their later ends are not counted.
    func abandonRun() {
        runtime.waits.abandonAll()
        runtime.timers.invalidateTimers()
        for source in runtime.sources.table.all { runtime.sources.abandon(source) }
        runtime.threads.abandonThreads()
        scheduler.deliverAdditions()
        silenceCallbacks()
        cancelRest()
        if configuration.plansOnly { releaseHeldQueues() }
        endBodies()
        endTurns()
        runtime.operations.forgetStartedByHand()
        vm.isTerminating = false
    }

    /// Cancels operations that can never run, so that the next run starts clean.
    func cancelRest() {
        runtime.sources.abandonHeld()
        runtime.operations.cancelAllOperations()
        resumeQueues()
    }

    /// Resumes the suspended queues without notifying observers: nothing is left that could resume them.
    func resumeQueues() {
        for queue in runtime.queues.table.all
        where queue.isSuspended && queue.kind != .inner && queue.kind != .native {
            queue.isSuspended = false
            queue.dispatch?.suspendCount = 0
            scheduler.feed { $0.suspensionChanged(queue.id, to: false) }
        }
    }

    /// Lets the operations end that a plan has added or that are cancelled by now.
    private func releaseHeldQueues() {
        scheduler.feed { core in
            core.holdsQueues = false
            for queue in runtime.queues.table.all { core.suspensionChanged(queue.id, to: false) }
        }
    }

    // MARK: Callbacks

    private func silenceCallbacks() {
        for index in 0..<runtime.operations.entries.count {
            let id = runtime.operations.entries[index].pointee.id
            guard id != .none, let view = runtime.operations.liveView(id) else { continue }
            view.pointee.flags.remove(.hasCompletion)
            if !view.pointee.isFinished, view.pointee.flags.contains(.isSubmitted) {
                view.pointee.flags.insert(.isAbandoned)
                runState.abandonedCount += 1
            }
            _ = runtime.operations.entries[index].pointee.takeWaits()
            if let attachment = runtime.operations.entries[index].pointee.attachment { silence(attachment) }
        }
        for queue in runtime.queues.table.all {
            if !queue.observations.isEmpty { queue.observations = [] }
            queue.waits = []
            silence(queue.progress)
        }
        for progress in runtime.observers.takePendingProgress() { silence(progress) }
    }

    private func silence(_ attachment: OperationAttachment) {
        attachment.observations = []
        silence(attachment.progress)
        for action in attachment.afterEnd {
            switch action {
            case .leave(let group): dropNotifications(of: group.anchor)
            case .endItem(let item): dropNotifications(of: item.anchor)
            case .tell: break
            }
        }
    }

    /// Removes the observers of a progress and of all its ancestors, which follow its changes.
    private func silence(_ progress: ScriptProgress?) {
        var next = progress
        while let progress = next {
            progress.observations = []
            if let timer = progress.timer.take() { agenda.dueTimes.cancel(timer) }
            next = progress.parent
        }
    }

    /// Drops the operations that a group or a work item would add to queues at its end.
    private func dropNotifications(of object: LuaReference?) {
        guard let object else { return }
        let state = vm.main
        object.push(state)
        state.pushNil()
        _ = state.setUserValue(-2, DispatchValue.own)
        state.pop()
    }

    // MARK: Ends

    /// Ends the bodies on this thread at their present places.
    func endBodies() {
        for index in 0..<runtime.operations.entries.count {
            let id = runtime.operations.entries[index].pointee.id
            guard id != .none, let view = runtime.operations.liveView(id), !view.pointee.isFinished else {
                continue
            }
            switch view.pointee.kind {
            case .main, .start, .sleep, .simulated: break
            case .work, .group, .gate: continue
            }
            if let attachment = runtime.operations.entries[index].pointee.attachment {
                if let timer = attachment.sleepTimer.take() { agenda.dueTimes.cancel(timer) }
                attachment.blocks = nil
            }
            scheduler.feed { $0.bodyEnded(id, nil) }
        }
    }

    /// Performs the remaining turns as far as they call no function of the script; requests of the host wait for the
    /// next session.
    private func endTurns() {
        var requests: [Turn] = []
        repeat {
            runtime.loop.takeInAllEvents()
            while let turn = agenda.turns.popFirst() {
                switch turn {
                case .ended(let id): runtime.bodies.serveEnd(of: id)
                case .startOperation(let queue):
                    // The scheduler relies on this turn.
                    if case .start(let id) = runtime.loop.takeOperation(from: queue) {
                        scheduler.feed { $0.bodyEnded(id, nil) }
                    }
                case .nativeTicket(let id): scheduler.feed { $0.bodyEnded(id, nil) }
                case .post: requests.append(turn)
                case .goOn(let task): task.release()
                case .observed, .resume, .stopAsynchronous, .fire, .source, .lateCompletion, .host: break
                }
            }
        } while runtime.loop.hasUnshownEvents || scheduler.hasEvents
        for request in requests { agenda.turns.append(request) }
    }
}
