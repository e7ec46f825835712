internal import LuaVM
internal import Scheduling

enum DispatchWorkItemBinding {
    static let methods: [ScriptMethod] = [
        .init("perform", "", workItemPerform),
        .init("wait", "[timeout]", workItemWait),
        .init("notify", "queue, body", workItemNotify),
        .init("cancel", "", workItemCancel),
    ]

    static let type = ScriptType(
        "DispatchWorkItem",
        kind: "work item",
        constructors: [ScriptConstructor(name: "DispatchWorkItem", parameters: "body", call: makeWorkItem)],
        require: { runtime, state, index throws(LuaRaise) in
            try runtime.dispatch.requireWorkItem(state, index)
        },
        properties: [.init("isCancelled", hint: "; use 'cancel'", { $2.push($0.isCancelled) }), .context()],
        methods: methods,
        text: { item, _, _ in "DispatchWorkItem '\(item.place)' (\(item.stateText))" }
    )
}

/// `DispatchWorkItem(body)`, `DispatchWorkItem { body, flags = "barrier" }`
private func makeWorkItem(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        state.setTop(1)
        let body = try runtime.dispatch.readBody(state, 1, of: "DispatchWorkItem")
        if body.workItem != nil {
            throw LuaRaise(argument: 1, "function or operation expected, got work item")
        }
        if body.group != nil {
            throw LuaRaise(
                .argument,
                "a work item enters a group where it is submitted: queue:async { item, group = g }"
            )
        }
        if let view = runtime.operations.operation(state, body.index) {
            try runtime.operations.checkIsNew(view, state, body.index)
            if let quality = body.quality { view.pointee.qualityOfService = quality }
        }
        let item = DispatchWorkItem(isBarrier: body.isBarrier, place: runtime.dispatch.callerPlace(state))
        state.pushBox(item, runtime.metatables.dispatchWorkItem, userValues: WorkItemValue.count)
        state.pushValue(body.index)
        _ = state.setUserValue(-2, WorkItemValue.body)
        return 1
    }
}

// MARK: Methods

/// `item:perform()`: runs the body now, and not in a queue.
private func workItemPerform(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let item = try runtime.dispatch.requireWorkItem(state, 1)
        state.setTop(1)
        if item.isCancelled {
            item.startCount += 1
            runtime.dispatch.itemEnded(item, at: 1, state)
            return 0
        }
        if state.getUserValue(1, WorkItemValue.body) == .userdata {
            let task = try runtime.waits.waitingTask(state)
            let view = try runtime.operations.requireOperation(state, 2)
            guard state.canWait else { return LuaReply.wait }
            try runtime.operations.checkIsNew(view, state, 2)
            try runtime.operations.startByHand(view, state, 2)
            runtime.dispatch.submitted(item, at: 1, view.pointee.id, state)
            state.replace(1)
            runtime.waits.beginWait(task, .operations([view.pointee.id], any: false), state)
            state.push(continuation: giveOutcome)
            return LuaReply.waitThen
        }
        item.startCount += 1
        state.push(continuation: endPerform)
        return LuaReply.callThen(0)
    }
}

private func endPerform(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let item = runtime.dispatch.dispatchWorkItem(state, 1) {
        runtime.dispatch.itemEnded(item, at: 1, state)
    }
    if state.boolean(base) { return state.top - base }
    state.setTop(base + 1)
    // As `sync` does, it raises an error value.
    runtime.replaceRaised(state, frames: runtime.vm.takeFrames())
    return LuaReply.raise
}

/// `item:wait([timeout])`
private func workItemWait(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let item = try runtime.dispatch.requireWorkItem(state, 1)
        let seconds = try runtime.waits.seconds(state, 2)
        if item.wasWaitedFor {
            throw .misuse(
                "a wait for the work item made at \(item.place) has already returned, and there can be only one; "
                    + "use a group for several waits"
            )
        }
        if !item.waiters.isEmpty {
            throw .misuse(
                "another wait for the work item made at \(item.place) is in progress; use a group for several waits"
            )
        }
        if item.startCount > 1 {
            throw .misuse(
                "the work item made at \(item.place) was submitted or performed more than once, so there is no "
                    + "end to wait for"
            )
        }
        let task = try runtime.waits.waitingTask(state)
        if item.endCount > 0 {
            item.wasWaitedFor = true
            state.push(true)
            return 1
        }
        return runtime.dispatch.wait(for: item, seconds, task, state)
    }
}

/// `item:notify(queue, body)`
private func workItemNotify(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let item = try runtime.dispatch.requireWorkItem(state, 1)
        if item.startCount > 1 {
            throw .misuse(
                "the work item made at \(item.place) was submitted or performed more than once, so there is no "
                    + "end to report"
            )
        }
        try runtime.dispatch.readNotification(state)
        if item.endCount > 0 {
            runtime.dispatch.submitNotification(state)
        } else {
            runtime.dispatch.keepNotification(state)
        }
        return 0
    }
}

private func workItemCancel(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.dispatch.cancelItem(try runtime.dispatch.requireWorkItem(state, 1), at: 1, state)
        return 0
    }
}

// MARK: Properties
