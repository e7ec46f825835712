internal import LuaVM
internal import Scheduling

/// Adds operations to queues.
struct SubmissionOptions {
    /// Seconds before the operation may start.
    var delay: Double?
    var isBarrier = false
    /// Operations start in the order of addition, regardless of their priorities.
    var isFirstInFirstOut = false

    var isPlain: Bool { delay == nil && !isBarrier }
}

extension Operations {
    /// Adds one operation to a queue. Most operations cannot be refused and are added without the lock.
    func submit(
        _ state: LuaState,
        _ index: Int32,
        to queue: ScriptQueue,
        _ options: SubmissionOptions = SubmissionOptions()
    ) throws(LuaRaise) {
        let view = try requireOperation(state, index)
        if options.isPlain, submitPlain(view, state, index, to: queue) { return }
        try submit(state, index...index, to: queue, options)
    }

    /// Whether one more operation may be unfinished.
    @inline(__always)
    private var mayAddOne: Bool {
        runState.pendingCount < mostPending
    }

    /// Adds an operation that the scheduler cannot refuse, without the lock. False, without any effect, for any other
    /// operation.
    ///
    /// - Parameter queueIndex: The stack index of the queue's userdata, if it is on the stack.
    @inline(__always)
    func submitPlain(
        _ view: OperationPointer,
        _ state: LuaState,
        _ index: Int32,
        to queue: ScriptQueue,
        from queueIndex: Int32? = nil
    ) -> Bool {
        guard view.pointee.isPlain, queue.takesPlainAdditions, !runState.isCancelled, !runState.startsNothing,
            mayAddOne, !followsTickets || queue.owner == nil
        else {
            return false
        }
        let id = view.pointee.id
        var addition = Submission(adding: id, to: queue.id)
        addition.priority = view.pointee.priority
        addition.allowsFailure = view.pointee.flags.contains(.allowsFailure)
        guard readFields(view, state, index, queue, into: &addition) else { return false }
        reporting.tell(.submission(to: queue.id), view)
        scheduler.add(addition, isLimited: queue.width >= 0)
        view.pointee.flags.insert(.isSubmitted)
        view.pointee.queue = Int32(queue.id.index)
        view.pointee.state = view.pointee.flags.contains(.isReady) ? .ready : .pending
        anchor(id, at: index, state)
        if queue.isAnchoredWhileBusy { hold(queue, from: queueIndex, by: view, at: index, state) }
        let old = queue.count
        queue.added(id)
        runState.noteAddition(view)
        reporting.tellAddition(view)
        if queue.isWatched {
            runtime.observers.observeAddition(queue, id)
            runtime.observers.observeCount(queue, old: old, removed: nil)
        }
        return true
    }

    /// Keeps the queue alive while the operation lives, and without references while it is not empty. [-0, +0, -]
    private func hold(
        _ queue: ScriptQueue,
        from queueIndex: Int32? = nil,
        by view: OperationPointer,
        at index: Int32,
        _ state: LuaState
    ) {
        let index = state.absolute(index)
        if queue.anchor == nil { queue.anchor = queues.queueReference(queue) }
        view.pointee.queueNumber = queue.number
        if let queueIndex { state.pushValue(queueIndex) } else { queue.anchor?.push(state) }
        state.setValue(.queue, of: view, at: index)
    }

    /// Copies the lane of an operation, its time limit and its retry policy into the addition; false if the operation
    /// needs resources, which the scheduler may refuse.
    @inline(__always)
    private func readFields(
        _ view: OperationPointer,
        _ state: LuaState,
        _ index: Int32,
        _ queue: ScriptQueue,
        into addition: inout Submission
    ) -> Bool {
        var threadPriority = 0.5
        if view.pointee.flags.contains(.hasFields) {
            let needsNothing = getField("resources", of: index, view, state) == .nil
            state.pop()
            if !needsNothing { return false }
            addition.timeout = timeout(of: view, at: index, state).map(SchedulerClock.nanoseconds) ?? 0
            threadPriority = self.threadPriority(of: view, at: index, state)
        }
        if let retry = entries[Int(view.pointee.id.slot)].pointee.retry {
            // It may be refused.
            if view.pointee.flags.contains(.hasBlocks) { return false }
            addition.retry = retry
        }
        if view.pointee.kind != .work {
            addition.lane = .reader
        } else if view.pointee.flags.contains(.isAsync) {
            addition.lane = .task
        } else {
            addition.lane = workerLane(
                view.pointee.qualityOfService ?? queue.qualityOfService,
                threadPriority
            )
        }
        return true
    }

    /// Adds operations at consecutive stack indices to a queue: all or none.
    func submit(
        _ state: LuaState,
        _ indices: ClosedRange<Int32>,
        to queue: ScriptQueue,
        _ options: SubmissionOptions = SubmissionOptions()
    ) throws(LuaRaise) {
        let others = runState.pendingCount + indices.count - 1
        try runtime.checkLimit(others, configuration.operationLimit, of: "unfinished operations")
        var specs: [(OperationSpec, AdditionSpec)] = []
        specs.reserveCapacity(indices.count)
        var isRefused = true
        defer {
            if isRefused, queue.cluster != nil {
                for index in indices {
                    if let view = operation(state, index) { unprepareForCluster(view, state, index) }
                }
            }
        }
        for index in indices {
            let view = try requireOperation(state, index)
            try checkIsNew(view, state, index)
            try checkRenewable(view, state, index)
            if queue.cluster != nil { try prepareForCluster(view, state, index, queue) }
            if view.pointee.qualityOfService == nil, view.pointee.kind == .work {
                // The quality of service comes from the queue.
                view.pointee.queue = Int32(queue.id.index)
                view.pointee.queueNumber = queue.number
                defer {
                    view.pointee.queue = -1
                    view.pointee.queueNumber = 0
                }
                specs.append(
                    (try spec(view, state, index), try addition(view, state, index, to: queue, options))
                )
            } else {
                specs.append(
                    (try spec(view, state, index), try addition(view, state, index, to: queue, options))
                )
            }
        }
        if followsTickets, let group = queue.owner {
            runtime.journaling.noteMembers(indices, of: group, state)
        }
        if options.isFirstInFirstOut {
            for place in specs.indices { specs[place].0.priority = .normal }
        }
        reporting.tell(.submission(to: queue.id), ofEach: indices, state)
        var effects: [ReaderEffect] = []
        do throws(LuaRaise) {
            try submit(specs, to: queue, &effects, runtime.hostObjects.labels(of: indices, for: queue, state))
        } catch {
            reporting.tell(.refusal, ofEach: indices, state)
            throw error
        }
        isRefused = false
        let old = queue.count
        for index in indices {
            guard let view = operation(state, index) else { continue }
            let id = view.pointee.id
            view.pointee.flags.insert(.isSubmitted)
            if options.isBarrier { view.pointee.flags.insert(.isBarrier) }
            view.pointee.queue = Int32(queue.id.index)
            view.pointee.queueNumber = queue.number
            view.pointee.state = view.pointee.flags.contains(.isReady) ? .ready : .pending
            if queue.kind == .main { view.pointee.flags.insert(.runsOnMain) }
            anchor(id, at: index, state)
            if queue.isAnchoredWhileBusy { hold(queue, by: view, at: index, state) }
            queue.added(id)
            runState.noteAddition(view)
            reporting.tellAddition(view)
            runtime.observers.observeAddition(queue, id)
        }
        runtime.observers.observeCount(queue, old: old, removed: nil)
        show(effects)
        if runState.isCancelled || refusesStart {
            for index in indices {
                if let view = operation(state, index) { cancel(view) }
            }
        }
    }

    private func submit(
        _ specs: [(OperationSpec, AdditionSpec)],
        to queue: ScriptQueue,
        _ effects: inout [ReaderEffect],
        _ labels: [(OperationID, ExternalLabel)]
    ) throws(LuaRaise) {
        let failure = feed(&effects) { core -> SchedulingFailure? in
            do throws(SchedulingFailure) {
                if specs.count == 1 {
                    core.apply(specs[0].0, to: specs[0].1.id)
                    try core.operationAdded(specs[0].1, to: queue.id)
                } else {
                    for (spec, addition) in specs { core.apply(spec, to: addition.id) }
                    try core.operationsAdded(specs.map(\.1), to: queue.id)
                }
                for (id, label) in labels { core.setExternalLabel(label, for: id) }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw describe(failure) }
    }

    /// Describes a refusal of the machine.
    func describe(_ failure: SchedulingFailure) -> LuaRaise {
        let error = SchedulingError(
            failure,
            name: { id in self.liveView(id).map { self.name($0) } ?? "operation" },
            place: { id in self.liveView(id).map { self.createdAt($0) } }
        )
        switch error.code {
        case .cycle: return LuaRaise(.cycle, error.description)
        case .misuse: return LuaRaise(.misuse, error.description)
        case .argument: return LuaRaise(.argument, error.description)
        }
    }

    /// Checks that the operation may still be added: this is possible only once.
    func checkIsNew(_ view: OperationPointer, _ state: LuaState, _ index: Int32) throws(LuaRaise) {
        if view.pointee.flags.contains(.isForeign) {
            try runtime.hostObjects.prepareForeign(view, name(state, index, view))
        }
        if view.pointee.kind != .gate, view.pointee.state == .pending,
            !view.pointee.flags.contains(.isSubmitted)
        {
            return
        }
        let name = name(state, index, view)
        if view.pointee.kind == .gate {
            throw .misuse("'\(name)' is a gate: it is in no queue, and ends by 'finish', 'fail' or 'cancel'")
        }
        if view.pointee.isFinished { throw .misuse("'\(name)' has already finished; make a new operation") }
        if view.pointee.state == .executing { throw .misuse("'\(name)' already executes") }
        if view.pointee.flags.contains(.isSubmitted) {
            let queue = queue(of: view)
            throw .misuse("'\(name)' is already in a queue" + (queue.map { " ('\($0.name)')" } ?? ""))
        }
    }

    // MARK: Cancelling

    /// Cancels an operation on behalf of the script.
    func cancel(_ view: OperationPointer) { cancel(together: [view]) }

    /// Cancels operations on behalf of the script, all at once: none of them is skipped because of the end of another.
    func cancel(together views: [OperationPointer]) {
        let views = views.filter {
            !$0.pointee.isFinished
                && (!$0.pointee.flags.contains(.isCancelled) || $0.pointee.flags.contains(.isTimedOut))
        }
        if views.isEmpty { return }
        let ids = views.map(\.pointee.id)
        let unfinished = unfinishedInside(views)
        var effects: [ReaderEffect] = []
        let (known, areInTime, own, inside) = feed(&effects) { core in
            let known = unfinished.filter(core.isCancelled)
            let areInTime = core.cancelled(together: ids)
            let own = core.cancelledAfterEnd(zip(ids, areInTime).filter { !$0.1 }.map(\.0))
            return (known, areInTime, own, core.cancelledAfterEnd(unfinished))
        }
        for (view, isInTime) in zip(views, areInTime) { noteCancelled(view, hasEnded: !isInTime) }
        for view in inside.cancelled.compactMap(liveView) { noteCancelled(view, hasEnded: true) }
        // Cancelled with their group by something that the script has not seen yet; the event will stop their bodies.
        for view in known.compactMap(liveView) { markCancelled(view) }
        for view in (own.succeeded + inside.succeeded).compactMap(liveView) {
            view.pointee.flags.insert(.endsAsSucceeded)
        }
        show(effects)
    }

    /// - Parameter hasEnded: Whether it has ended, and the script does not see that yet: for the script, the operation
    ///   is cancelled before its end.
    private func noteCancelled(_ view: OperationPointer, hasEnded: Bool) {
        view.pointee.flags.remove(.isTimedOut)
        let wasExecuting = view.pointee.state == .executing
        if hasEnded { view.pointee.flags.insert(.endsAsCancelled) }
        markCancelled(view)
        if wasExecuting { runtime.bodies.interrupt(view.pointee.id) }
    }

    /// The operations inside groups, at any depth, that the script sees as unfinished.
    private func unfinishedInside(_ views: [OperationPointer]) -> [OperationID] {
        var found: [OperationID] = []
        var groups = views.filter { $0.pointee.kind == .group }
        while let group = groups.popLast() {
            guard let inner = entry(group.pointee.id)?.pointee.attachment?.inner else { continue }
            let ids = unfinished(inner)
            found += ids
            groups += ids.compactMap(liveView).filter { $0.pointee.kind == .group }
        }
        return found
    }

    /// Cancels all unfinished operations of a queue.
    func cancelAll(_ queue: ScriptQueue) {
        queue.stopCount += 1
        cancel(together: unfinished(queue).compactMap(liveView))
    }

    /// Cancels all operations that are in queues or were started by hand.
    func cancelAllOperations() {
        for queue in queues.table.all { cancelAll(queue) }
        for id in startedByHand {
            if let view = liveView(id) { cancel(view) }
        }
    }

    /// The unfinished operations of a queue, as the script sees them, in the order of addition.
    func unfinished(_ queue: ScriptQueue) -> [OperationID] {
        queue.unfinished { isUnfinished($0) ? $0 : nil }
    }

    /// The script sees an operation of a queue as finished, and the queue has many of them or is observed.
    func noteEnd(of id: OperationID, in queue: ScriptQueue) {
        if queue.knowsManyFinished { queue.forgetFinished { isUnfinished($0) } }
        guard !queue.observations.isEmpty else { return }
        runtime.observers.observeCount(queue, old: queue.count + 1, removed: id)
    }

    private func isUnfinished(_ id: OperationID) -> Bool {
        entry(id)?.pointee.view.map { !$0.pointee.isFinished } ?? false
    }

    // MARK: Dropped operations

    /// Searches for operations that were created, never added, and collected.
    func sweepDropped() {
        sweepIsDue = false
        holdNewOnesWeakly()
        let state = vm.main
        handles.push(state)
        defer { state.pop() }
        for index in 0..<entries.count {
            let id = entries[index].pointee.id
            guard id != .none, entries[index].pointee.hold == .weakly else { continue }
            let isAlive = state.rawGet(-1, index + 1) == .userdata
            state.pop()
            guard !isAlive else { continue }
            if let inner = entries[index].pointee.attachment?.inner { releaseInner(inner) }
            if entries[index].pointee.isForScript, let origin = entries.origin(entries[index]) {
                noteNeverAdded(origin)
            }
            entries.clear(entries[index])
            releasedIDs.push(id)
        }
        releaseIDs()
        runtime.dispatch.releaseDroppedQueues()
    }

    private func noteNeverAdded(_ origin: OperationOrigin) {
        guard runState.neverAddedDropped.count < 100 else { return }
        let name = origin.work >= 0 ? works.catalogue[Int(origin.work)].name : "operation"
        let place = vm.describe(LuaPlace(source: origin.source, line: origin.line)) ?? "?"
        runState.neverAddedDropped.append("'\(name)' (\(place)) was made but never added to a queue")
    }

    /// One sentence for each operation that was made and never added.
    func neverAdded() -> [String] {
        var sentences = runState.neverAddedDropped
        for index in 0..<entries.count {
            let id = entries[index].pointee.id
            guard id != .none, entries[index].pointee.isForScript, let view = liveView(id),
                !view.pointee.flags.contains(.isSubmitted), !view.pointee.isFinished,
                !view.pointee.flags.contains(.isCancelled)
            else { continue }
            sentences.append("'\(name(view))' (\(createdAt(view))) was made but never added to a queue")
        }
        return sentences
    }
}
