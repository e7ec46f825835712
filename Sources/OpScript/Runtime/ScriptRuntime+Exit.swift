internal import LuaVM
internal import Scheduling

/// Ends of a run before its work has ended.
extension ScriptRuntime {
    /// `os.exit`: nothing of the script is called any more, nor in a later run what is left of this one. What runs on
    /// other threads is told to stop and not waited for; where it ends later, nobody counts it.
    func abandonRun() {
        dropWaits()
        invalidateTimers()
        for source in sources.all { abandon(source) }
        abandonThreads()
        scheduler.deliverAdditions()
        silenceCallbacks()
        cancelRest()
        endBodies()
        endTurns()
        startedByHand = []
        vm.isTerminating = false
    }

    /// What can never run is cancelled, so that a next run starts clean.
    func cancelRest() {
        cancelAllOperations()
        resumeQueues()
    }

    /// Nobody is left who could resume the queues that are suspended now, and nobody is told of it.
    func resumeQueues() {
        for queue in queues.all where queue.isSuspended && queue.kind != .inner && queue.kind != .native {
            queue.isSuspended = false
            queue.dispatch?.suspendCount = 0
            scheduler.feed { $0.suspensionChanged(queue.id, to: false) }
        }
    }

    private func dropWaits() {
        for wait in waits.all {
            wait.outcome = .timedOut
            if let timer = wait.timer.take() { dueTimes.cancel(timer) }
        }
        waits.removeAll()
        anyWaits = [:]
        shields.removeAll()
        clockRuns = []
    }

    // MARK: Callbacks

    private func silenceCallbacks() {
        for index in 0..<entries.count {
            let id = entries[index].pointee.id
            guard id != .none, let block = liveBlock(id) else { continue }
            block.pointee.flags.remove(.hasCompletion)
            if !block.pointee.isFinished, block.pointee.flags.contains(.isSubmitted) {
                block.pointee.flags.insert(.isAbandoned)
                abandonedCount += 1
            }
            if let attachment = entries[index].pointee.attachment { silence(attachment) }
        }
        for queue in queues.all {
            if !queue.observations.isEmpty { queue.observations = [] }
            queue.waits = []
            silence(queue.progress)
        }
        for progress in pendingProgress.values { silence(progress) }
        pendingProgress = [:]
    }

    private func silence(_ attachment: OperationAttachment) {
        attachment.observations = []
        attachment.waits = []
        silence(attachment.progress)
        for action in attachment.afterEnd {
            switch action {
            case .leave(let group): dropNotifications(of: group.anchor)
            case .endItem(let item): dropNotifications(of: item.anchor)
            case .tell: break
            }
        }
    }

    /// The same for those above, which learn of it.
    private func silence(_ progress: ScriptProgress?) {
        var next = progress
        while let progress = next {
            progress.observations = []
            if let timer = progress.timer.take() { dueTimes.cancel(timer) }
            next = progress.parent
        }
    }

    /// What a group or a work item would give to queues at its end.
    private func dropNotifications(of object: LuaReference?) {
        guard let object else { return }
        let state = vm.main
        object.push(state)
        state.pushNil()
        _ = state.setUserValue(-2, DispatchValue.own)
        state.pop()
    }

    // MARK: Ends

    /// Bodies on this thread end where they are.
    private func endBodies() {
        for index in 0..<entries.count {
            let id = entries[index].pointee.id
            guard id != .none, let block = liveBlock(id), !block.pointee.isFinished else { continue }
            switch block.pointee.kind {
            case .main, .start, .sleep, .simulated: break
            case .work, .group, .gate: continue
            }
            if let attachment = entries[index].pointee.attachment {
                if let timer = attachment.sleepTimer.take() { dueTimes.cancel(timer) }
                attachment.blocks = nil
            }
            scheduler.feed { $0.bodyEnded(id, nil) }
        }
    }

    /// What is left to do is done as far as nothing of the script is called; requests of the host wait for the next
    /// session.
    private func endTurns() {
        var requests: [Turn] = []
        repeat {
            takeInAllEvents()
            while let turn = turns.popFirst() {
                switch turn {
                case .ended(let id): serveEnd(of: id)
                case .startOperation(let queue):
                    // It has counted on this turn.
                    if let id = takeOperation(from: queue) { scheduler.feed { $0.bodyEnded(id, nil) } }
                case .nativeTurn(let id): scheduler.feed { $0.bodyEnded(id, nil) }
                case .post: requests.append(turn)
                case .goOn(let task): task.release()
                case .observed, .resume, .stopAsynchronous, .fire, .source, .lateCompletion, .host: break
                }
            }
        } while hasUnshownEvents || scheduler.hasEvents
        for request in requests { turns.append(request) }
    }
}
