internal import LuaVM
internal import Scheduling

extension Waits {
    /// Whether the waits of a task raise `cancelled`.
    func mustStop(_ task: ScriptTask) -> Bool {
        if task.isCleanup || task.shieldDepth > 0 && shields.cover(task, vm) { return false }
        // Once its operation has ended, a body that still runs belongs to the run.
        if let id = task.operation, let view = operations.liveView(id) {
            if view.pointee.flags.contains(.isCancelled) { return true }
            if !view.pointee.isFinished { return false }
        }
        return runState.isCancelled || task.isCancelled
    }

    /// Whether no cancellation ends a wait: it is shielded, or a part of cleanup.
    func isShielded(_ wait: Wait) -> Bool {
        // The stack of a wait does not change, so a close variable is looked for only if it matters.
        wait.beganShielded || wait.task.root.state.hasClosingVariable
    }

    /// The error that a wait of a task raises when the task has to stop.
    ///
    /// A body that catches this error again and again never waits, and would occupy the script thread for ever: after a
    /// hundred times, the error can no longer be caught.
    func cancellation(_ task: ScriptTask) -> ErrorValue {
        task.cancellationCount += 1
        if task.cancellationCount > 100 {
            task.isTerminating = true
            if runtime.bodies.current === task { vm.isTerminating = true }
        }
        let name =
            task.operation.flatMap { operations.liveView($0) }.map { "'\(operations.name($0))'" }
            ?? (task.isCancelled ? "this wait" : "the run")
        return ErrorValue(.cancelled, "\(name) was cancelled")
    }

    /// The task that runs now, which is about to wait.
    ///
    /// - Throws: `cancelled` if the task has to stop.
    func waitingTask(_ state: LuaState) throws(LuaRaise) -> ScriptTask {
        try runningTask(waitingIn: state).takeUnretainedValue()
    }

    /// The same without counting a reference: the code that runs a task holds it meanwhile.
    @inline(__always)
    private func runningTask(waitingIn state: LuaState) throws(LuaRaise) -> Unmanaged<ScriptTask> {
        guard let running = runtime.bodies.running else { throw .misuse("cannot wait here: no script runs") }
        // A script whose waits all return at once never reaches the turn that would cancel it.
        if link.wantsCancel { runtime.loop.cancelFromOutside() }
        // Close variables are cleanup: they may wait.
        if running._withUnsafeGuaranteedRef({ mustStop($0) }), !vm.isUnwinding, !state.isClosingVariable {
            vm.isUnwinding = true
            throw LuaRaise(cancellation(running.takeUnretainedValue()))
        }
        return running
    }

    /// Where a wait began: mostly found on the stack, which does not change during the wait.
    func place(of wait: Wait) -> LuaPlace {
        wait.knownPlace ?? runtime.globals.placeOutsidePrelude(wait.task.root.state)
    }

    /// Begins a wait of the running task; the host function then replies that it waits.
    ///
    /// The caller has made sure that the coroutine can wait.
    @discardableResult
    func beginWait(_ task: ScriptTask, _ target: Wait.Target, seconds: Double? = nil, _ state: LuaState)
        -> Wait
    {
        nextWaitSequence += 1
        let isRoot = state.raw == task.root.state.raw
        let wait = Wait(
            task: task,
            target: target,
            sequence: nextWaitSequence,
            knownPlace: isRoot ? nil : runtime.globals.placeOutsidePrelude(state)
        )
        wait.beganShielded =
            task.isCleanup || vm.isUnwinding || task.shieldDepth > 0 && shields.cover(task, vm)
            || !isRoot && state.isClosingVariable
        if configuration.plansOnly, !isReadByPlan(target) {
            runtime.run.endPlan(at: place(of: wait)) { runtime.run.planEnd(target, $0) }
        }
        task.wait = wait
        list.append(wait)
        if let id = task.operation { operations.entry(id)?.pointee.add(task) }
        switch target {
        case .operations(let ids, let any):
            wait.remaining = any ? 1 : ids.count
            for id in ids { operations.entry(id)?.pointee.add(wait) }
        case .queue(let queue): queue.waits.append(wait)
        case .source(let source): source.waiters.append(wait)
        case .time, .something: break
        }
        if let seconds {
            // An infinite wait has no end of its own.
            if seconds.isFinite {
                let deadline = scheduler.clock.moment(after: SchedulerClock.nanoseconds(seconds))
                wait.timer = agenda.dueTimes.schedule(at: deadline, .wait(wait))
            }
        }
        return wait
    }

    private func isReadByPlan(_ target: Wait.Target) -> Bool {
        if case .operations(let ids, _) = target { operations.planAwaits(ids) } else { false }
    }

    /// Makes the running coroutine sleep; returns the reply of the host function.
    @inline(__always)
    func sleep(_ seconds: Double, _ state: LuaState) throws(LuaRaise) -> Int32 {
        let task = try runningTask(waitingIn: state)
        guard state.canWait else { return LuaReply.wait }
        if seconds > 0 {
            beginWait(task.takeUnretainedValue(), .time, seconds: seconds, state)
        } else {
            // Takes in everything: events that have happened elsewhere become turns, and these also come before
            // the script continues.
            runtime.loop.takeIn(all: true)
            if task._withUnsafeGuaranteedRef({ $0.root.state.raw }) == state.raw {
                letTurnsPass(task)
                return LuaReply.wait
            }
            end(beginWait(task.takeUnretainedValue(), .time, state), .reached)
        }
        state.push(continuation: endWithNothing)
        return LuaReply.waitThen
    }

    /// Makes the running task yield to all existing turns. Nothing can end this wait early, fail it or wait for it, so
    /// it needs no ``Wait``; the host function then replies that it waits, without a continuation.
    func letTurnsPass(_ task: Unmanaged<ScriptTask>) {
        if configuration.plansOnly { runtime.run.endPlan { runtime.run.planEnd(.time, $0) } }
        task._withUnsafeGuaranteedRef { task in
            if let id = task.operation { operations.entry(id)?.pointee.add(task) }
        }
        agenda.turns.append(.goOn(task.retain()))
    }

    /// Resumes a coroutine that has yielded to other turns.
    func goOnAfterTurns(_ task: ScriptTask) {
        let state = task.root.state
        _ = state.ensureSpace(4)
        state.push(true)
        runtime.bodies.goOn(task, 1)
    }

    /// Gives a wait its outcome; its coroutine continues in its turn.
    func end(_ wait: Wait, _ outcome: Wait.Outcome) {
        guard wait.outcome == nil else { return }
        wait.outcome = outcome
        if let timer = wait.timer.take() { agenda.dueTimes.cancel(timer) }
        agenda.turns.append(.resume(wait))
    }

    /// Ends a wait because its task has to stop. The operations that a wait submitted, and whose end nothing else waits
    /// for, are cancelled, too.
    func cancel(_ wait: Wait) {
        guard wait.outcome == nil else { return }
        end(wait, .failed(cancellation(wait.task)))
        if case .operations(let ids, _) = wait.target { operations.cancelUnattended(ids) }
    }

    /// For the record: the end of an operation is the cause for which a task continues.
    @inline(__always)
    func noteOrigin(_ id: OperationID, _ task: ScriptTask) {
        guard let recording = operations.reporting.recording else { return }
        task.origin = recording.number(id)
        task.waitedForTime = false
    }

    /// Resumes the coroutine of a wait.
    func resume(_ wait: Wait) {
        guard list.remove(wait), let outcome = wait.outcome else { return }
        if let timer = wait.timer.take() { agenda.dueTimes.cancel(timer) }
        let task = wait.task
        task.wait = nil
        if case .timedOut = outcome { task.waitedForTime = true }
        withdraw(wait)
        let state = task.root.state
        _ = state.ensureSpace(4)
        switch outcome {
        case .reached, .timedOut:
            state.push(true)
            if case .reached = outcome { state.push(true) } else { state.push(false) }
        case .failed(let error):
            task.isUnwinding = true
            state.push(false)
            runtime.push(error, state)
        }
        runtime.bodies.goOn(task)
    }

    /// Removes an ended wait from the lists of the things it waited for without success.
    private func withdraw(_ wait: Wait) {
        if wait.remaining <= 0, case .operations(_, any: false) = wait.target { return }
        switch wait.target {
        case .operations(let ids, _):
            for id in ids { operations.entry(id)?.pointee.remove(wait) }
        case .queue(let queue): queue.waits.removeAll { $0 === wait }
        case .source(let source): source.waiters.left(wait)
        case .time, .something: break
        }
    }

    /// Notifies a wait that one of its operations has finished, and that the operation's callbacks have been
    /// called.
    func operationSettled(_ id: OperationID, _ wait: Wait) {
        if wait.firstFinished == nil { wait.firstFinished = id }
        wait.remaining -= 1
        guard wait.remaining <= 0 else { return }
        wait.outcome = .reached
        noteOrigin(id, wait.task)
        resume(wait)
    }

    /// Whether a value can be called: a function, or a value with `__call`.
    func isCallable(_ state: LuaState, _ index: Int32) -> Bool {
        if state.isFunction(index) { return true }
        guard state.pushMetatable(index) else { return false }
        defer { state.pop(2) }
        return state.rawGet(-1, "__call") == .function
    }

    /// Checks an optional time limit.
    func seconds(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> Double? {
        guard let value = state.number(index) else {
            if state.isNoneOrNil(index) { return nil }
            throw LuaRaise(argument: index, "number expected, got \(operations.kindName(state, index))")
        }
        guard !value.isNaN else { throw LuaRaise(argument: index, "a number of seconds expected, got NaN") }
        return value
    }
}
