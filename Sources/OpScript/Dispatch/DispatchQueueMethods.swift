internal import LuaVM
internal import Scheduling

/// `queue:async(body)`: returns the operation that represents it.
func dispatchAsync(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        let body = try runtime.dispatch.readBody(state, 2, of: "async")
        try runtime.dispatch.submitBody(body, to: queue, state)
        return 1
    }
}

/// `queue:asyncAfter(seconds, body)`
func dispatchAsyncAfter(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        var place = 1
        var bodyIndex: Int32 = 3
        var secondsIndex: Int32 = 2
        if state.isTable(2) {
            // `asyncAfter { seconds, body, … }`
            let hasBody = !state.isNoneOrNil(3)
            if state.rawGet(2, 1) == .number, hasBody {
                throw LuaRaise(argument: 3, "no value expected, got \(state.summary(3))")
            }
            if hasBody { throw LuaRaise(argument: 2, "number expected, got table") }
            secondsIndex = state.top
            bodyIndex = 2
            place = 2
        }
        guard let seconds = state.number(secondsIndex) else {
            throw LuaRaise(
                argument: 2,
                "number expected, got \(runtime.operations.kindName(state, secondsIndex))"
            )
        }
        guard seconds.isFinite else {
            throw LuaRaise(
                argument: 2,
                "a finite number of seconds expected, got \(state.summary(secondsIndex)): "
                    + "a body that never runs would keep the run going"
            )
        }
        let body = try runtime.dispatch.readBody(state, bodyIndex, place: place, of: "asyncAfter")
        try runtime.dispatch.submitBody(body, to: queue, after: seconds > 0 ? seconds : nil, state)
        return 1
    }
}

/// `queue:sync(body)`: returns the body's results, or raises its error.
func dispatchSync(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        let task = try runtime.waits.waitingTask(state)
        try runtime.dispatch.checkIsNotHeld(queue, by: task)
        let body = try runtime.dispatch.readBody(state, 2, of: "sync")
        guard state.canWait else { return LuaReply.wait }
        try runtime.dispatch.submitBody(body, to: queue, named: "sync", state)
        state.replace(1)
        state.setTop(1)
        let id = try runtime.operations.requireOperation(state, 1).pointee.id
        runtime.waits.beginWait(task, .operations([id], any: false), state)
        state.push(continuation: body.workItem == nil ? giveOutcome : giveOutcomeOfItem)
        return LuaReply.waitThen
    }
}

/// As with `item:perform()`, a cancelled work item does nothing and returns nothing.
private func giveOutcomeOfItem(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    if state.boolean(base), runtime(raw).operations.operation(state, 1)?.pointee.outcome == .cancelled {
        return 0
    }
    return giveOutcome(raw, base)
}

func dispatchSuspend(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        let part = try runtime.dispatch.suspendable(queue)
        part.suspendCount += 1
        if part.suspendCount == 1 { runtime.queues.setSuspended(queue, true) }
        return 0
    }
}

func dispatchResume(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        let part = try runtime.dispatch.suspendable(queue)
        guard part.suspendCount > 0 else {
            throw .misuse(
                "queue '\(queue.label)' is not suspended: 'resume' was called more often than 'suspend'"
            )
        }
        part.suspendCount -= 1
        if part.suspendCount == 0 { runtime.queues.setSuspended(queue, false) }
        return 0
    }
}

extension DispatchObjects {
    fileprivate func suspendable(_ queue: ScriptQueue) throws(LuaRaise) -> DispatchTraits {
        if let part = queue.dispatch, !queue.isGlobal { return part }
        throw .misuse(
            "queue '\(queue.label)' cannot be suspended: it is a global queue; "
                + "make a queue of your own with DispatchQueue { … }"
        )
    }
}

// MARK: Specific values

/// `queue:setSpecific(key, value)`
func dispatchSetSpecific(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        if queue.isGlobal {
            throw .misuse("queue '\(queue.label)' takes no specific values: it is a global queue")
        }
        try runtime.dispatch.checkKey(state, 2)
        state.setTop(3)
        if state.getUserValue(1, DispatchValue.own) != .table {
            state.pop()
            state.newTable()
            state.pushValue(-1)
            _ = state.setUserValue(1, DispatchValue.own)
        }
        state.pushValue(2)
        state.pushValue(3)
        do throws(LuaError) {
            try state.rawSet(4)
        } catch {
            throw LuaRaise(argument: 2, error.message)
        }
        return 0
    }
}

/// `queue:getSpecific(key)`: the queue's own value, or the value of the nearest target that has one.
func dispatchGetSpecific(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        try runtime.dispatch.checkKey(state, 2)
        runtime.dispatch.pushSpecific(of: queue, key: 2, state)
        return 1
    }
}

/// `DispatchQueue.getSpecific(key)`: the value of the current queue.
func currentSpecific(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.setTop(1)
        try runtime.dispatch.checkKey(state, 1)
        guard let queue = runtime.bodies.currentQueue else {
            state.pushNil()
            return 1
        }
        runtime.dispatch.pushSpecific(of: queue, key: 1, state)
        return 1
    }
}

extension DispatchObjects {
    /// Refuses values that cannot be keys of a table: nil and NaN.
    fileprivate func checkKey(_ state: LuaState, _ index: Int32) throws(LuaRaise) {
        if state.isNoneOrNil(index) {
            throw LuaRaise(argument: index, "key expected, got \(operations.kindName(state, index))")
        }
        if state.number(index)?.isNaN ?? false { throw LuaRaise(argument: index, "key expected, got NaN") }
    }

    /// [-0, +1, -]
    fileprivate func pushSpecific(of queue: ScriptQueue, key: Int32, _ state: LuaState) {
        for next in queue.targetChain {
            queues.pushQueue(next, state)
            let type = state.getUserValue(-1, DispatchValue.own)
            state.remove(-2)
            if type == .table {
                state.pushValue(key)
                let found = state.rawGet(-2)
                state.remove(-2)
                if found != .nil { return }
            }
            state.pop()
        }
        state.pushNil()
    }
}

/// `object:setFinalizer(fn)` of queues.
func dispatchSetFinalizer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        _ = try runtime.dispatch.requireDispatchQueue(state, 1)
        try ObjectFinalizer.setFinalizer(of: 1, from: 2, state, runtime)
        return 0
    }
}
