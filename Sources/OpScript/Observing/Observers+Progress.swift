internal import LuaVM
internal import Scheduling

extension Observers {
    /// The shortest time between two calls of an observer if the script does not feed the progress itself: 15 a second.
    private static let pause: Int64 = 66_000_000

    // MARK: Of operations and queues

    func pushProgress(ofOperation view: OperationPointer, _ state: LuaState) {
        let id = view.pointee.id
        if operations.getField("\0progress", of: 1, view, state) == .userdata { return }
        state.pop()
        let entry = operations.entry(id)
        // The options of its later submission are not known yet.
        let progress = ScriptProgress(.operation(id, entry?.pointee.body), total: 1)
        pushProgress(progress, state)
        operations.setField("\0progress", of: 1, view, state) { $0.pushValue(-2) }
        if view.pointee.flags.contains(.isSettled) {
            takeInEnd(progress, outcome: view.pointee.outcome)
            progress.end()
            return
        }
        let attachment = operations.attachment(id)
        attachment.progress = progress
        attachment.inner?.progress = progress
        takeInProgress(progress)
    }

    func pushProgress(ofQueue queue: ScriptQueue, _ state: LuaState) {
        if queue.progress == nil {
            queue.progress = ScriptProgress(.queue(.init(queue: queue)), total: 0)
        }
        if let progress = queue.progress { pushProgress(progress, state) }
    }

    func progress(_ state: LuaState, _ index: Int32) -> ScriptProgress? {
        state.box(index, metatables.progress, as: ScriptProgress.self)
    }

    func requireProgress(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptProgress {
        if let progress = progress(state, index) { return progress }
        throw LuaRaise(argument: index, "progress expected, got \(operations.kindName(state, index))")
    }

    func pushProgress(_ progress: ScriptProgress, _ state: LuaState) {
        globals.sharedObjects.push(progress, state) {
            state.pushBox(progress, metatables.progress)
        }
    }

    // MARK: Taking in

    /// Updates the numbers of a progress.
    func takeInProgress(_ progress: ScriptProgress) {
        for child in progress.children { takeInProgress(child.progress) }
        progress.takeInFinished()
        guard !progress.isEnded else { return }
        switch progress.source {
        case .script: break
        case .queue(let reference):
            guard let queue = reference.queue else { return }
            progress.beginAgain(at: queue.batchStart)
            progress.setTotal(queue.addedCount - queue.batchStart)
            progress.setCompleted(queue.finishedCount - queue.batchStart)
        case .operation(let id, let feed):
            if let inner = operations.entry(id)?.pointee.attachment?.inner {
                progress.setTotal(max(1, inner.addedCount))
                // Never complete before the group ends: more operations may be added to it.
                progress.setCompleted(min(inner.finishedCount, max(1, inner.addedCount) - 1))
            } else if let counts = feed?.progressCounts, counts.total > 0 {
                progress.setTotal(Int(clamping: counts.total))
                progress.setCompleted(Int(clamping: min(counts.completed, counts.total)))
            }
        }
    }

    /// Takes in the last numbers of an operation's progress.
    private func takeInEnd(_ progress: ScriptProgress, outcome: OperationOutcome) {
        takeInProgress(progress)
        if outcome == .succeeded { progress.setCompleted(progress.total) }
    }

    /// Called if an operation, and its progress with it, has ended: the progress's observers are notified
    /// first.
    func progressEnded(_ progress: ScriptProgress, _ view: OperationPointer) {
        takeInEnd(progress, outcome: view.pointee.outcome)
        if view.pointee.flags.contains(.isCancelled) { setCancelled(progress, true) }
        let parent = progress.parent
        tellNow(progress)
        progress.end()
        parent?.takeInFinished()
        if let parent { changed(parent) }
    }

    // MARK: Observers

    /// Called if a progress that is not fed by the script has changed.
    ///
    /// Observers of the progress and of its ancestors are notified at once if their last notification is not
    /// recent, or if the progress is complete; otherwise after a pause.
    func changed(_ progress: ScriptProgress) {
        var next: ScriptProgress? = progress
        while let progress = next {
            takeInProgress(progress)
            next = progress.parent
            if progress.observations.isEmpty {
                progress.toldFraction = progress.fraction
                continue
            }
            guard progress.fraction != progress.toldFraction else { continue }
            let now = scheduler.clock.now
            if progress.fraction >= 1 || progress.toldAt == .min || now - progress.toldAt >= Self.pause {
                tellNow(progress)
            } else if progress.timer == nil {
                armProgress(progress, at: progress.toldAt + Self.pause)
            }
        }
    }

    private func armProgress(_ progress: ScriptProgress, at moment: Int64) {
        progress.timer = agenda.dueTimes.schedule(at: moment, .progress(progress))
        pendingProgress[ObjectIdentifier(progress)] = progress
    }

    private func disarmProgress(_ progress: ScriptProgress) {
        guard let timer = progress.timer.take() else { return }
        agenda.dueTimes.cancel(timer)
        pendingProgress[ObjectIdentifier(progress)] = nil
    }

    /// Called at the end of a pause.
    func progressIsDue(_ progress: ScriptProgress) {
        progress.timer = nil
        pendingProgress[ObjectIdentifier(progress)] = nil
        changed(progress)
        listenToClosure(progress)
    }

    /// Notifies observers of the change that they do not know yet; each one runs up to its first wait.
    private func tellNow(_ progress: ScriptProgress) {
        if let change = fractionChange(progress) { tellObservers(progress.observations, change) }
        dropObservationsAtEnd(progress)
    }

    /// The same, in a turn, for a change that the script itself made.
    func scriptChanged(_ progress: ScriptProgress) {
        var next: ScriptProgress? = progress
        while let progress = next {
            takeInProgress(progress)
            next = progress.parent
            if let change = fractionChange(progress) {
                agenda.turns.append(.observed(progress.observations, change))
            }
            dropObservationsAtEnd(progress)
        }
    }

    private func fractionChange(_ progress: ScriptProgress) -> ObservedChange? {
        let fraction = progress.fraction
        guard fraction != progress.toldFraction else { return nil }
        let old = progress.toldFraction
        progress.toldFraction = fraction
        progress.toldAt = scheduler.clock.now
        disarmProgress(progress)
        guard progress.observations.contains(where: { $0.wants("fractionCompleted") }) else { return nil }
        pushProgress(progress, vm.main)
        return ObservedChange(
            object: vm.makeReference(vm.main),
            key: "fractionCompleted",
            old: .number(old),
            new: .number(fraction)
        )
    }

    /// Removes observations of only the fraction from a complete progress: no more changes can follow.
    private func dropObservationsAtEnd(_ progress: ScriptProgress) {
        guard progress.fraction >= 1 else { return }
        if case .queue = progress.source { return }
        progress.observations.removeAll { $0.key == "fractionCompleted" }
    }

    /// Called before the run ends: notifies observers of all pending changes. True if there were any.
    func tellPendingProgress() -> Bool {
        guard !pendingProgress.isEmpty else { return false }
        for progress in pendingProgress.values {
            disarmProgress(progress)
            tellNow(progress)
        }
        return true
    }

    // MARK: Closures that report

    /// Makes closures report to this progress and its descendants from now on, if it or an ancestor is observed.
    func listen(_ progress: ScriptProgress) {
        var open = [progress]
        while let next = open.popLast() {
            open += next.children.map(\.progress)
            listenToClosure(next)
        }
    }

    private func listenToClosure(_ progress: ScriptProgress) {
        guard case .operation(_, let feed?) = progress.source, !progress.isEnded, progress.isObserved else {
            return
        }
        // A reference for the other thread, which only posts it back.
        let reference = ProgressReference(progress)
        feed.observeProgress { [link] in link.post { runtime in runtime.observers.reported(reference) } }
        // Takes in reports from before the closure could know that there is an observer.
        takeInProgress(progress)
        if progress.fraction != progress.toldFraction { changesSoon(progress) }
    }

    /// The same as ``changed(_:)``, in a turn: for calls by the script, between which no observer may run.
    func changesSoon(_ progress: ScriptProgress) {
        agenda.turns.append(.host { [unowned self] in changed(progress) })
    }

    /// Called if a closure has reported. The next report counts only after a pause, so many reports cost no
    /// more than few.
    private func reported(_ reference: ProgressReference) {
        guard let progress = reference.progress, !progress.isEnded else { return }
        changed(progress)
        if progress.timer == nil { armProgress(progress, at: scheduler.clock.moment(after: Self.pause)) }
    }

    // MARK: Cancelling

    /// Cancels a progress, the work that feeds it, and all its descendants.
    func cancelProgress(_ progress: ScriptProgress) {
        var open = [progress]
        while let next = open.popLast() {
            open += next.children.map(\.progress)
            setCancelled(next, true)
            switch next.source {
            case .script: break
            case .operation(let id, _):
                if let view = operations.liveView(id) { operations.cancel(view) }
            case .queue(let reference):
                if let queue = reference.queue { operations.cancelAll(queue) }
            }
        }
    }

    /// Called if an operation was added to the queue of a progress: it will run, so the progress is not cancelled any
    /// more; and a new batch may have begun.
    func queueGrew(_ progress: ScriptProgress) {
        setCancelled(progress, false)
        takeInProgress(progress)
        if progress.isObserved, progress.fraction < progress.toldFraction { scriptChanged(progress) }
    }

    private func setCancelled(_ progress: ScriptProgress, _ isCancelled: Bool) {
        guard progress.isCancelled != isCancelled else { return }
        progress.isCancelled = isCancelled
        let wanting = progress.observations.filter { $0.wants("isCancelled") }
        guard !wanting.isEmpty else { return }
        pushProgress(progress, vm.main)
        let object = vm.makeReference(vm.main)
        agenda.turns.append(
            .observed(
                wanting,
                ObservedChange(
                    object: object,
                    key: "isCancelled",
                    old: .boolean(!isCancelled),
                    new: .boolean(isCancelled)
                )
            )
        )
    }
}

/// A reference to a progress that another thread passes on.
// @unchecked because only the script thread looks inside, and the reference count of a weak reference is atomic.
final class ProgressReference: @unchecked Sendable {
    private(set) weak var progress: ScriptProgress?

    init(_ progress: ScriptProgress) { self.progress = progress }
}
