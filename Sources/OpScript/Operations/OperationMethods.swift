internal import LuaVM
internal import Scheduling

func operationAddDependency(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        _ = try runtime.operations.requireOperation(state, 2)
        if view.pointee.type == .block { try runtime.operations.checkIsNoBlock(2, of: view, state) }
        let condition = try runtime.operations.condition(state, 3)
        try runtime.operations.addDependency(state, 1, 2, condition)
        return 0
    }
}

func operationRemoveDependency(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        let other = try runtime.operations.requireOperation(state, 2)
        runtime.operations.removeDependency(view, other, state)
        return 0
    }
}

func operationCancel(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.operations.cancel(try runtime.operations.requireOperation(state, 1))
        return 0
    }
}

func operationResults(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.waits.pushResults(try runtime.operations.requireOperation(state, 1), state, 1)
    }
}

/// `op:waitUntilFinished([timeout])`
func operationWaitUntilFinished(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        let seconds = try runtime.waits.seconds(state, 2)
        let task = try runtime.waits.waitingTask(state)
        if view.pointee.flags.contains(.isSettled) {
            state.push(true)
            return 1
        }
        guard state.canWait else { return LuaReply.wait }
        let wait = runtime.waits.beginWait(
            task,
            .operations([view.pointee.id], any: false),
            seconds: seconds.map { max($0, 0) },
            state
        )
        wait.takesFailures = false
        return LuaReply.wait
    }
}

/// `op:finish(...)`
func operationFinish(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        guard try runtime.operations.mayEnd(view, state, "finish") else { return 0 }
        runtime.bodies.storeResults(view.pointee.id, state, first: 2, count: Int(state.top) - 1)
        try runtime.operations.endFromOutside(view, failed: false)
        return 0
    }
}

/// `op:fail(error)`
func operationFail(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        guard try runtime.operations.mayEnd(view, state, "fail") else { return 0 }
        state.setTop(2)
        if state.type(2) == .string {
            let text = runtime.located(state.string(2) ?? "", state)
            state.push(text)
            state.replace(2)
        } else if state.isNil(2) {
            let text = runtime.located("'\(runtime.operations.name(state, 1, view))' failed", state)
            state.push(text)
            state.replace(2)
        }
        let frames = runtime.vm.currentFrames(state, level: 0)
        state.pushValue(2)
        if let value = runtime.errorValue(forRaised: state, frames: frames) {
            state.setTop(1)
            runtime.operations.setError(value, view, state)
        } else {
            state.setValue(.outcome, of: view, at: 1)
            view.pointee.flags.insert(.hasError)
        }
        try runtime.operations.endFromOutside(view, failed: true)
        return 0
    }
}

/// `op:start()`
func operationStart(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        let task = try runtime.waits.waitingTask(state)
        guard state.canWait else { return LuaReply.wait }
        try runtime.operations.startByHand(view, state, 1)
        if view.pointee.kind == .start, !view.pointee.flags.contains(.isCancelled) {
            // When this returns, the operation's `start` has run up to its first wait; the operation
            // continues afterwards.
            let wait = runtime.waits.beginWait(task, .time, state)
            runtime.waits.end(wait, .reached)
        } else {
            runtime.waits.beginWait(task, .operations([view.pointee.id], any: false), state)
        }
        state.push(continuation: endWithNothing)
        return LuaReply.waitThen
    }
}

/// `op:describe()`
func operationDescribe(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        try runtime.operations.pushDescription(view, state)
        return 1
    }
}

extension Operations {
    func condition(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> DependencyCondition {
        if state.isNoneOrNil(index) { return .notFailed }
        let name = state.string(index)
        if let condition = DependencyCondition.allCases.first(where: { $0.name == name }) { return condition }
        let names = DependencyCondition.allCases.map { "\"\($0.name)\"" }
        throw LuaRaise(
            argument: index,
            "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "") expected, got "
                + (name.map { "'\($0)'" } ?? kindName(state, index))
        )
    }

    /// Makes the operation at one index start only after the operation at another index has finished.
    func addDependency(
        _ state: LuaState,
        _ index: Int32,
        _ otherIndex: Int32,
        _ condition: DependencyCondition,
        isArgument: Bool = false
    ) throws(LuaRaise) {
        let view = try requireOperation(state, index)
        let other = try requireOperation(state, otherIndex)
        let id = view.pointee.id
        let otherID = other.pointee.id
        if view.pointee.isFinished {
            throw .misuse(
                "'\(name(state, index, view))' has already finished, so a dependency would have no effect"
            )
        }
        if view.pointee.state == .executing {
            throw .misuse(
                "'\(name(state, index, view))' has already started; wire operations before adding them"
            )
        }
        if id == otherID {
            throw LuaRaise(.cycle, "'\(name(state, index, view))' cannot depend on itself")
        }
        defer { other.pointee.flags.insert(.wasDependedOn) }
        if cannotBeRefused(view, other) {
            var dependency = Submission(id, dependsOn: otherID, when: condition)
            dependency.isStrict = isArgument
            dependency.isKnownToReader = !view.pointee.flags.contains(.wasWired)
            scheduler.addDependency(dependency)
            view.pointee.flags.insert(.wasWired)
            showNotReady(view)
            noteDependency(
                state,
                index,
                otherIndex,
                view,
                when: condition,
                isRepeated: false,
                isFinished: false
            )
            reporting.tell(.dependency(on: other, condition), view)
            return
        }
        let isKnown = entry(otherID) != nil
        let isUnfinished = !other.pointee.isFinished
        let outcome = other.pointee.outcome
        // For such an operation no event about its readiness is pending.
        let isNew = view.pointee.flags.isDisjoint(with: [.wasWired, .isSubmitted])
        view.pointee.flags.insert(.wasWired)
        var isRepeated = false
        var isReady = true
        var effects: [ReaderEffect] = []
        let wire = { (core: SchedulerCore) -> SchedulingFailure? in
            do throws(SchedulingFailure) {
                if isKnown {
                    isRepeated = core.dependency(of: id, on: otherID) != nil
                    try core.dependencyAdded(
                        id,
                        on: otherID,
                        when: condition,
                        isKnownToReader: isNew,
                        endIsUnseen: isUnfinished
                    )
                    if isArgument { core.strictDependency(id, on: otherID) }
                } else {
                    try core.dependencyAdded(id, onFinished: otherID, outcome, when: condition)
                }
                isReady = core.isReady(id)
                return nil
            } catch {
                return error
            }
        }
        // An operation in no queue is in no worker's claim, and has no effects.
        let failure =
            view.pointee.flags.contains(.isSubmitted) ? feed(&effects, wire) : scheduler.visit(wire)
        if let failure { throw describe(failure) }
        if !isReady || isUnfinished { showNotReady(view) }
        noteDependency(
            state,
            index,
            otherIndex,
            view,
            when: condition,
            isRepeated: isRepeated,
            isFinished: !isUnfinished
        )
        if !isRepeated { reporting.tell(.dependency(on: other, condition), view) }
        show(effects)
    }

    /// Whether a dependency between two operations is certainly new and closes no cycle. Decided without the
    /// scheduler's lock: false may mean that this is unknown.
    private func cannotBeRefused(_ view: OperationPointer, _ other: OperationPointer) -> Bool {
        let flags = view.pointee.flags
        return view.pointee.isPlain && !flags.contains(.wasDependedOn)
            && !(flags.contains(.hasDependencies) && other.pointee.flags.contains(.wasDependedOn))
            && !other.pointee.isFinished && entry(other.pointee.id) != nil
    }

    private func showNotReady(_ view: OperationPointer) {
        guard view.pointee.flags.contains(.isReady) else { return }
        view.pointee.flags.remove(.isReady)
        if view.pointee.flags.contains(.isSubmitted) { view.pointee.state = .pending }
        runtime.observers.observe(view, "isReady", .boolean(true), .boolean(false))
    }

    // MARK: Ending

    /// Whether the script may end the operation now; a second end has no effect.
    func mayEnd(_ view: OperationPointer, _ state: LuaState, _ method: String) throws(LuaRaise) -> Bool {
        let name = name(state, 1, view)
        guard view.pointee.kind == .start || view.pointee.kind == .gate,
            !view.pointee.flags.contains(.isForeign)
        else {
            throw .misuse(
                "'\(method)' ends asynchronous operations and gates; '\(name)' ends when its body returns"
            )
        }
        if view.pointee.isFinished || view.pointee.flags.contains(.wasEnded) { return false }
        if view.pointee.kind == .start, view.pointee.state != .executing {
            // Between two attempts, this is the late end of the earlier one.
            if view.pointee.flags.contains(.isCancelled) || view.pointee.attempt > 0 { return false }
            throw .misuse("'\(name)' has not started, so it cannot be ended; cancel it instead")
        }
        view.pointee.flags.insert(.wasEnded)
        return true
    }

    func endFromOutside(_ view: OperationPointer, failed: Bool) throws(LuaRaise) {
        let id = view.pointee.id
        let failure = feed { core -> SchedulingFailure? in
            do throws(SchedulingFailure) {
                try core.endedFromOutside(id, failed: failed)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw describe(failure) }
    }

    /// The name, in quotation marks, of the first operation that an operation waits for.
    private func firstDependency(of id: OperationID) -> String {
        let other = scheduler.feed { $0.firstUnfinishedDependency(of: id) }
        guard let view = other.flatMap(liveView) else { return "an operation" }
        return "'\(name(view))'"
    }

    /// Runs an operation outside any queue.
    func startByHand(_ view: OperationPointer, _ state: LuaState, _ index: Int32) throws(LuaRaise) {
        let id = view.pointee.id
        let name = name(state, index, view)
        if view.pointee.isFinished { throw .misuse("'\(name)' has already finished") }
        if view.pointee.state == .executing { throw .misuse("'\(name)' already executes") }
        if view.pointee.flags.contains(.isSubmitted) {
            throw .misuse("'\(name)' is in a queue, which starts it; 'start' is for operations in no queue")
        }
        if !view.pointee.flags.contains(.isReady), !view.pointee.flags.contains(.isCancelled) {
            throw .misuse(
                "'\(name)' is not ready: it depends on \(firstDependency(of: id)), which has not finished"
            )
        }
        let isPlan = runtime.run.endPlan(at: state.place(level: 1)) { position in
            "starts '\(name)' by hand\(position); the rest was not run"
        }
        if isPlan {
            throw runtime.run.planIsOver()
        }
        let wanted = try spec(view, state, index)
        reporting.tell(.submission(to: nil), view)
        var effects: [ReaderEffect] = []
        let failure = feed(&effects) { core -> SchedulingFailure? in
            do throws(SchedulingFailure) {
                core.apply(wanted, to: id)
                try core.startedByHand(id)
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            reporting.tell(.refusal, view)
            throw describe(failure)
        }
        view.pointee.flags.formUnion([.isSubmitted, .wasStartedByHand])
        startedByHand.insert(id)
        reporting.tellAddition(view)
        anchor(id, at: index, state)
        show(effects)
        let runsHere = scheduler.feed { $0.state(of: id) == .executing } && wanted.lane == .reader
        if runsHere {
            let starter = runtime.bodies.currentQueue
            agenda.turns.append(.host { [unowned self] in beginByHand(id, from: starter) })
        }
    }

    /// Begins the body of an operation that was started by hand. The script saw it pending until now: if it was
    /// cancelled, its body never runs.
    private func beginByHand(_ id: OperationID, from starter: ScriptQueue?) {
        if let view = liveView(id), view.pointee.flags.contains(.isCancelled) {
            scheduler.feed { $0.bodyEnded(id, nil) }
        } else {
            runtime.bodies.runBody(id, from: starter)
        }
    }

    // MARK: Descriptions

    /// A table from which the operation can be made again. [-0, +1, -]
    func pushDescription(_ view: OperationPointer, _ state: LuaState) throws(LuaRaise) {
        let name = name(state, 1, view)
        let entry = entry(view.pointee.id)
        guard view.pointee.work >= 0,
            let arguments = entry?.pointee.body?.arguments
        else {
            throw .misuse("'\(name)' cannot be described: its body is a Lua function, not a work")
        }
        guard !(entry?.pointee.body?.takesOperations ?? false) else {
            throw .misuse("'\(name)' cannot be described: it takes results of other operations")
        }
        state.newTable(fields: 6)
        state.push(defaultName(view))
        state.rawSet(-2, "work")
        runtime.push(.array(arguments.values), state)
        state.rawSet(-2, "args")
        state.push(bytes: nameBytes(state, 1, view))
        state.rawSet(-2, "name")
        if view.pointee.priority != .normal {
            state.push(priorityName(view.pointee.priority))
            state.rawSet(-2, "queuePriority")
        }
        if let quality = view.pointee.qualityOfService {
            state.push(qualityName(quality))
            state.rawSet(-2, "qualityOfService")
        }
        let threadPriority = threadPriority(of: view, at: 1, state)
        if threadPriority != 0.5 {
            state.push(threadPriority)
            state.rawSet(-2, "threadPriority")
        }
        if let timeout = timeout(of: view, at: 1, state) {
            state.push(timeout)
            state.rawSet(-2, "timeout")
        }
        if view.pointee.flags.contains(.allowsFailure) {
            state.push(true)
            state.rawSet(-2, "allowsFailure")
        }
        pushRetry(of: view, state)
        state.rawSet(-2, "retry")
        if getField("resources", of: 1, view, state) == .table {
            state.rawSet(-2, "resources")
        } else {
            state.pop()
        }
        runtime.journaling.describe(view, state)
    }
}
