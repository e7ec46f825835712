internal import LuaVM
internal import Scheduling

/// `queue:addOperation(op [, options])`
func queueAddOperation(_ raw: OpaquePointer) -> Int32 {
    if shortly(raw, { runtime, state in runtime.operations.addPlainOperation(state) }) { return 1 }
    return queueAddAnyOperation(raw)
}

@inline(never)
private func queueAddAnyOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.queues.requireQueue(state, 1)
        var submission = SubmissionOptions()
        if !state.isNoneOrNil(3) {
            guard state.isTable(3) else {
                throw LuaRaise(argument: 3, "table expected, got \(runtime.operations.kindName(state, 3))")
            }
            let options = OptionTable(runtime, state, 3, of: "addOperation")
            submission.delay = try options.seconds("after", atLeast: 0)
            if let moment = try options.seconds("at") {
                submission.delay = max(0, runtime.virtualTime.secondsUntil(moment))
            }
            try options.refuseOthers()
        }
        state.setTop(2)
        try runtime.operations.wrapFunction(state, argument: 2, place: nil)
        try runtime.queues.checkGroupIsOpen(queue)
        try runtime.operations.submit(state, 2, to: queue, submission)
        state.setTop(2)
        return 1
    }
}

extension Operations {
    /// Fast path: adds the operation at index 2 to the queue at index 1, if there are no other arguments, and neither
    /// needs the slow path. [-0, +0, -]
    @inline(__always)
    fileprivate func addPlainOperation(_ state: LuaState) -> Bool {
        guard state.top == 2 else { return false }
        guard let view = operation(state, 2) else { return state.isFunction(2) && addPlainFunction(state) }
        return state.withBox(1, metatables.queue, as: ScriptQueue.self) { queue in
            submitPlain(view, state, 2, to: queue, from: 1)
        } ?? false
    }

    /// Fast path: adds an operation for the function at index 2 to the queue at index 1, if the queue does
    /// not need the slow path; otherwise nothing is added. [-0, +1 | 0, -]
    private func addPlainFunction(_ state: LuaState) -> Bool {
        state.withBox(1, metatables.queue, as: ScriptQueue.self) { queue in
            guard queue.takesPlainAdditions, !runState.isCancelled, !runState.startsNothing else {
                return false
            }
            let view = newOperation(state, .main, .block)
            state.pushValue(2)
            state.setValue(.body, of: view, at: -2)
            if submitPlain(view, state, 3, to: queue, from: 1) { return true }
            // A finalizer has cancelled the run in the meantime.
            state.replace(2)
            return false
        } ?? false
    }
}

/// `queue:addOperations({ … } [, waitUntilFinished])`
func queueAddOperations(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.queues.requireQueue(state, 1)
        guard state.isTable(2) else {
            throw LuaRaise(
                argument: 2,
                "table of operations expected, got \(runtime.operations.kindName(state, 2))"
            )
        }
        guard state.isNoneOrNil(3) || state.type(3) == .boolean else {
            throw LuaRaise(argument: 3, "boolean expected, got \(runtime.operations.kindName(state, 3))")
        }
        if state.hasOnlyNames(2) {
            throw LuaRaise(argument: 2, "list of operations expected, got a table that has only names")
        }
        let waits = state.boolean(3)
        state.setTop(2)
        let count = state.rawLength(2)
        let task = waits ? try runtime.waits.waitingTask(state) : nil
        guard state.ensureSpace(forList: count) else {
            throw LuaRaise(argument: 2, "too many operations in one list (\(count)); add them in parts")
        }
        for place in stride(from: 1, through: count, by: 1) {
            _ = state.rawGet(2, place)
            try runtime.operations.wrapFunction(state, argument: 2, place: place)
        }
        try runtime.queues.checkGroupIsOpen(queue)
        var open: [OperationID] = []
        if count > 0 {
            try runtime.operations.submit(state, 3...state.top, to: queue)
            for index in 3...state.top {
                if let view = runtime.operations.operation(state, index) { open.append(view.pointee.id) }
            }
        }
        state.setTop(1)
        guard let task, !open.isEmpty else { return 0 }
        guard state.canWait else { return LuaReply.wait }
        runtime.waits.beginWait(task, .operations(open, any: false), state)
        state.push(continuation: endWithNothing)
        return LuaReply.waitThen
    }
}

/// `queue:addBarrierBlock(fn | op)`
func queueAddBarrierBlock(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.queues.requireQueue(state, 1)
        state.setTop(2)
        try runtime.operations.wrapFunction(state, argument: 2, place: nil)
        try runtime.operations.submit(state, 2...2, to: queue, SubmissionOptions(isBarrier: true))
        state.setTop(2)
        return 1
    }
}

func queueCancelAll(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.operations.cancelAll(try runtime.queues.requireQueue(state, 1))
        return 0
    }
}

/// `queue:waitUntilAllOperationsAreFinished([timeout])`
func queueWaitUntilAllFinished(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.queues.requireQueue(state, 1)
        let seconds = try runtime.waits.seconds(state, 2)
        let task = try runtime.waits.waitingTask(state)
        if queue.isDrained {
            state.push(true)
            return 1
        }
        guard state.canWait else { return LuaReply.wait }
        runtime.waits.beginWait(task, .queue(queue), seconds: seconds.map { max($0, 0) }, state)
        return LuaReply.wait
    }
}
