internal import LuaVM
internal import Scheduling

extension Bodies {
    /// Runs the body of an operation that the scheduler has started.
    ///
    /// - Parameters:
    ///   - moment: When it started, in nanoseconds; nil for now.
    ///   - starter: The queue of the body that started it by hand.
    func runBody(_ id: OperationID, at moment: Int64? = nil, from starter: ScriptQueue? = nil) {
        guard let view = operations.liveView(id) else {
            scheduler.feed { $0.bodyEnded(id, nil) }
            return
        }
        operations.markStarted(view, at: moment ?? scheduler.clock.now)
        view.pointee.flags.subtract([.hasError, .startReturned, .wasEnded])
        // Drops the results of an earlier attempt whose time ran out.
        view.pointee.resultCount = 0
        switch view.pointee.kind {
        case .sleep: beginSleep(id)
        case .simulated: virtualTime.beginSimulated(id, view)
        case .work:
            // A closure in the main queue: it runs here, on the script thread.
            guard let entry = operations.entry(id) else { return }
            var failure: (any Error)?
            do {
                try entry.pointee.body?.execute()
            } catch {
                failure = error
            }
            if hasJournal { runtime.journaling.flush() }
            scheduler.feed { $0.bodyEnded(id, failure) }
        case .main where view.pointee.flags.contains(.hasBlocks): startBlocks(id, view)
        case .main, .start: callBody(id, view, starter)
        case .group, .gate: preconditionFailure("'\(operations.name(view))' has no body")
        }
    }

    private func callBody(_ id: OperationID, _ view: OperationPointer, _ starter: ScriptQueue?) {
        if operations.hasTickets, isServedByJournal(id, view) { return }
        let task = makeTask()
        task.operation = id
        if let starter { task.queue = starter }
        if view.pointee.kind == .main, view.pointee.type == .block || view.pointee.type == .operation,
            let body = view.pointee.values.userValue(.body),
            let entry = operations.entry(id), entry.pointee.hold != .weakly
        {
            task.end = .body(id)
            return startBody(body, task, at: entry.pointee.place)
        }
        let state = task.root.state
        if starter == nil { task.queue = operations.queue(of: view) }
        task.end = view.pointee.kind == .start ? .start(id) : .body(id)
        operations.pushOperation(id, state)
        let bodyType = state.getValue(.body, of: view, at: 1)
        if view.pointee.type == .invocation, bodyType == .table {
            pushInvocation(state)
        } else if view.pointee.type == .subclass {
            state.pop()
            pushMethod(view.pointee.kind == .start ? "start" : "main", state)
            state.insert(1)
        } else {
            state.insert(1)
        }
        start(task)
    }

    /// Replaces an operation and its invocation table on the stack by method, target and arguments.
    private func pushInvocation(_ state: LuaState) {
        _ = state.rawGet(2, "n")
        let count = state.integer(-1) ?? 0
        state.pop()
        let isPlain = state.rawGet(2, "isPlain") == .boolean
        state.pop()
        _ = state.ensureSpace(Int32(clamping: count) + 4)
        _ = state.rawGet(2, 2)
        if !isPlain { _ = state.rawGet(2, 1) }
        for place in stride(from: 3, through: count, by: 1) { _ = state.rawGet(2, place) }
        state.removeFirst()
        state.removeFirst()
    }

    /// The queue in which the running piece of the script was called.
    var currentQueue: ScriptQueue? { current.flatMap { taskQueue(of: $0) } }

    /// The queue in which a piece of the script was called.
    func taskQueue(of task: ScriptTask) -> ScriptQueue? {
        if task.queue == nil, case .body(let id) = task.end {
            return operations.liveView(id).flatMap { operations.queue(of: $0) }
        }
        return task.queue
    }

    // MARK: Ends of bodies

    func bodyReturned(_ id: OperationID, _ task: ScriptTask, _ count: Int) {
        guard count <= Int(Int16.max) else { return refuseResults(of: id, count) }
        if operations.hasTickets, !journalReturned(id, task.root.state, count) { return }
        if count > 0 { storeResults(id, task.root.state, first: 1, count: count) }
        if virtualTime.simulation != nil { return virtualTime.bodyEnded(id, nil) }
        scheduler.visit { $0.bodyEnded(id, nil) }
    }

    /// Fails an operation whose body returned more results than an operation keeps.
    private func refuseResults(of id: OperationID, _ count: Int) {
        if let view = operations.liveView(id), !view.pointee.isFinished {
            let state = vm.main
            operations.pushOperation(id, state)
            let text =
                "'\(operations.name(view))' returned \(count) results, \(Int16.max) at most; return a table"
            operations.setError(ErrorValue(.failed, text), view, state)
            state.pop()
        }
        virtualTime.bodyEnded(id, nil, failed: true)
    }

    /// Stores results in the operation, and in the box from which Swift closures read them.
    func storeResults(_ id: OperationID, _ state: LuaState, first: Int32, count: Int) {
        guard let view = operations.liveView(id), count > 0 else { return }
        _ = state.ensureSpace(6)
        operations.pushOperation(id, state)
        if count == 1 {
            state.pushValue(first)
        } else {
            state.newTable(array: count, fields: 1)
            for offset in 0..<count {
                state.pushValue(first + Int32(offset))
                state.rawSet(-2, offset + 1)
            }
        }
        state.setValue(.outcome, of: view, at: -2)
        state.pop()
        view.pointee.resultCount = Int16(clamping: count)
        if let box = operations.entry(id)?.pointee.attachment?.resultBox { fill(box, state, first) }
    }

    /// Copies a result for closures that take it as an argument.
    func fill(_ box: ResultBox, _ state: LuaState, _ index: Int32) {
        var reader = ValueReader(runtime, state)
        do throws(ScriptConversionError) {
            box.set(try reader.read(index))
        } catch {
            box.refuse(error)
        }
    }

    func bodyRaised(_ id: OperationID, _ state: LuaState, _ frames: [LuaFrame]) {
        if operations.hasTickets { journalRaised(id, state.summary(-1)) }
        // The operation may have been ended from outside; a later error is ignored.
        if let view = operations.liveView(id), !view.pointee.isFinished {
            _ = state.ensureSpace(6)
            operations.pushOperation(id, state)
            if let value = errorValueBelow(state, frames) {
                operations.setError(value, view, state)
                state.pop()
            } else {
                // A table is passed on unchanged; the place where it was raised is kept beside it.
                state.pushValue(-2)
                state.setValue(.outcome, of: view, at: -2)
                view.pointee.flags.insert(.hasError)
                operations.setField("\0traceback", of: -1, view, state) {
                    $0.push(LuaFrame.text(of: frames))
                }
                state.pop()
            }
        }
        virtualTime.bodyEnded(id, nil, failed: true)
    }

    /// The error value for the raised value below the operation on top.
    private func errorValueBelow(_ state: LuaState, _ frames: [LuaFrame]) -> ErrorValue? {
        state.pushValue(-2)
        defer { state.pop() }
        return runtime.errorValue(forRaised: state, frames: frames)
    }

    // MARK: Asynchronous operations

    func startReturned(_ id: OperationID) {
        guard let view = operations.liveView(id), !view.pointee.isFinished else { return }
        view.pointee.flags.insert(.startReturned)
        if view.pointee.flags.contains(.isCancelled) { agenda.turns.append(.stopAsynchronous(id)) }
    }

    /// Makes an executing body stop: its waits raise, or its hook is called.
    func interrupt(_ id: OperationID) {
        guard let view = operations.liveView(id) else { return }
        if view.pointee.kind == .sleep || view.pointee.kind == .simulated {
            if virtualTime.leaveCluster(id) { return scheduler.feed { $0.bodyEnded(id, nil) } }
            if let timer = operations.entry(id)?.pointee.attachment?.sleepTimer.take() {
                agenda.dueTimes.cancel(timer)
                virtualTime.bodyEnded(id, nil)
            } else if let simulation = virtualTime.simulation, simulation.faults.drop(id) {
                scheduler.feed { $0.bodyEnded(id, nil) }
            }
            if view.pointee.kind == .sleep { return }
        }
        if view.pointee.flags.contains(.hasBlocks),
            let inner = operations.entry(id)?.pointee.attachment?.inner
        {
            operations.cancelAll(inner)
        }
        if view.pointee.kind == .start, view.pointee.flags.contains(.startReturned) {
            agenda.turns.append(.stopAsynchronous(id))
        }
        cancelWaits(of: id)
    }

    private func cancelWaits(of id: OperationID) {
        for task in operations.entry(id)?.pointee.tasks ?? [] {
            if let wait = task.wait, !waits.isShielded(wait) {
                waits.cancel(wait)
            }
        }
    }

    /// Makes a body stop that plays on a cluster in memory; its operation continues.
    func stopPlaying(_ id: OperationID) {
        if let timer = operations.entry(id)?.pointee.attachment?.sleepTimer.take() {
            agenda.dueTimes.cancel(timer)
            return virtualTime.bodyEnded(id, nil)
        }
        cancelWaits(of: id)
    }

    /// Calls the hook of an asynchronous operation that has to stop; without a hook, the operation ends.
    func stopAsynchronous(_ id: OperationID) {
        guard let view = operations.liveView(id), view.pointee.state == .executing,
            !view.pointee.flags.contains(.wasToldToStop)
        else { return }
        view.pointee.flags.insert(.wasToldToStop)
        let task = makeTask()
        let state = task.root.state
        operations.pushOperation(id, state)
        let hasHook =
            view.pointee.type == .subclass
            ? pushMethod("cancelled", state)
            : operations.getField("cancelled", of: 1, view, state) == .function
        guard hasHook else {
            state.setTop(0)
            giveBack(task)
            scheduler.feed { $0.bodyEnded(id, nil) }
            return
        }
        state.insert(1)
        task.end = .callback("cancelled")
        task.isCleanup = true
        start(task)
    }

    private func beginSleep(_ id: OperationID) {
        if virtualTime.simulation != nil, let body = operations.entry(id)?.pointee.body,
            virtualTime.meetFaults(id, body)
        {
            return
        }
        passSleep(id)
    }

    /// Lets the time of `work.sleep` pass.
    func passSleep(_ id: OperationID) {
        let attachment = operations.attachment(id)
        var seconds = 0.0
        do {
            try operations.entry(id)?.pointee.body?.execute()
        } catch {
            scheduler.feed { $0.bodyEnded(id, error) }
            return
        }
        if case .number(let value)? = operations.entry(id)?.pointee.body?.peek() { seconds = value }
        operations.entry(id)?.pointee.body?.set(.nil)
        let deadline = scheduler.clock.moment(after: SchedulerClock.nanoseconds(seconds))
        attachment.sleepTimer = agenda.dueTimes.schedule(at: deadline, .sleep(id))
    }

    /// Pushes a method of the class of the operation at index 1, or nothing. [-0, +0 | 1, -]
    @discardableResult
    func pushMethod(_ name: StaticString, _ state: LuaState) -> Bool {
        guard let view = operations.operation(state, 1),
            operations.getField("\0class", of: 1, view, state) == .table
        else {
            state.pop()
            return false
        }
        let isThere = operations.classMethod(state, -1, name)
        state.remove(isThere ? -2 : -1)
        return isThere
    }
}
