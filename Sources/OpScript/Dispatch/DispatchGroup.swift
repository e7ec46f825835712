internal import LuaVM
internal import Scheduling

/// Counts work that was begun and has not ended.
final class DispatchGroup: WaitSource {
    /// How often it was entered and not left.
    var count = 0
    /// The operations that have entered it; some of them may have ended already.
    var operations: [OperationID] = []
    let waiters = WaiterQueue()
    /// The userdata, while operations in the group are unfinished.
    var anchor: LuaReference?
    /// How many operations in the group are unfinished.
    var operationCount = 0
    let place: String

    init(place: String) { self.place = place }

    var pendingOperations: [OperationID] { operations }

    var reason: String {
        "the group made at \(place) was entered \(count == 1 ? "once" : "\(count) times") more than it was left, "
            + "and nothing is left that could leave it"
    }
}

extension DispatchObjects {
    func dispatchGroup(_ state: LuaState, _ index: Int32) -> DispatchGroup? {
        state.box(index, metatables.dispatchGroup, as: DispatchGroup.self)
    }

    func requireGroup(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> DispatchGroup {
        if let group = dispatchGroup(state, index) { return group }
        throw LuaRaise(argument: index, "group expected, got \(operations.kindName(state, index))")
    }

    /// Enters the group, whose userdata is at an index, until the operation has ended.
    func add(_ id: OperationID, to group: DispatchGroup, at index: Int32, _ state: LuaState) {
        group.count += 1
        group.operationCount += 1
        group.operations.append(id)
        if group.anchor == nil { group.anchor = runtime.reference(to: index, state) }
        operations.attachment(id).afterEnd.append(.leave(group))
    }

    /// Called if an operation in the group has ended.
    func operationLeaves(_ group: DispatchGroup) {
        group.operationCount -= 1
        if group.operations.count > 2 * group.operationCount + 16 {
            group.operations.removeAll { operations.entry($0) == nil }
        }
        let anchor = group.anchor
        if group.operationCount == 0 {
            group.anchor = nil
            group.operations = []
        }
        guard let anchor else { return }
        let state = vm.main
        anchor.push(state)
        leave(group, at: state.top, state)
        state.pop()
    }

    /// Leaves the group once. The group's userdata is at the index.
    func leave(_ group: DispatchGroup, at index: Int32, _ state: LuaState) {
        group.count -= 1
        guard group.count == 0 else { return }
        while let wait = group.waiters.popFirst() { waits.end(wait, .reached) }
        guard state.getUserValue(index, DispatchValue.own) == .table else { return state.pop() }
        let list = state.top
        state.pushNil()
        _ = state.setUserValue(index, DispatchValue.own)
        // The list alternates between queues and operations.
        for place in stride(from: 1, to: state.rawLength(list), by: 2) {
            _ = state.rawGet(list, place)
            _ = state.rawGet(list, place + 1)
            submitNotification(state)
            state.setTop(list)
        }
        state.pop()
    }

    /// Adds the operation on top to the queue below it. A refusal ends the run, since no caller could handle it.
    func submitNotification(_ state: LuaState) {
        guard let queue = anyDispatchQueue(state, -2) else { return }
        do throws(LuaRaise) {
            // Nothing to do if the operation was cancelled, or was started by hand in the meantime.
            if let view = operations.operation(state, -1), view.pointee.isFinished { return }
            try submitFirstInFirstOut(state, state.top, to: queue)
        } catch {
            runtime.loop.runFailed(ErrorValue(error.code, error.text))
        }
    }
}

enum DispatchGroupBinding {
    static let methods: [ScriptMethod] = [
        .init("enter", "", groupEnter),
        .init("leave", "", groupLeave),
        .init("notify", "queue, body", groupNotify),
        .init("wait", "[timeout]", groupWait),
        .init("setFinalizer", "fn", groupSetFinalizer),
    ]

    static let type = ScriptType(
        "DispatchGroup",
        kind: "group",
        constructors: [ScriptConstructor(name: "DispatchGroup", parameters: "", call: makeGroup)],
        require: { runtime, state, index throws(LuaRaise) in
            try runtime.dispatch.requireGroup(state, index)
        },
        properties: [.context()],
        methods: methods,
        text: { group, _, _ in
            "DispatchGroup '\(group.place)' (\(group.count == 0 ? "empty" : "entered \(group.count)"))"
        }
    )
}

/// `DispatchGroup()`
private func makeGroup(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let group = DispatchGroup(place: runtime.dispatch.callerPlace(state))
        state.pushBox(group, runtime.metatables.dispatchGroup, userValues: DispatchValue.count)
        return 1
    }
}

private func groupEnter(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.dispatch.requireGroup(state, 1).count += 1
        return 0
    }
}

private func groupLeave(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let group = try runtime.dispatch.requireGroup(state, 1)
        // An entry that 'async' made is left only by the end of its operation.
        guard group.count > group.operationCount else {
            throw .misuse(
                "the group made at \(group.place) was left more often than it was entered: each 'leave' needs "
                    + "an 'enter' before"
            )
        }
        runtime.dispatch.leave(group, at: 1, state)
        return 0
    }
}

/// `group:notify(queue, body)`
private func groupNotify(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let group = try runtime.dispatch.requireGroup(state, 1)
        try runtime.dispatch.readNotification(state)
        if group.count == 0 {
            runtime.dispatch.submitNotification(state)
        } else {
            runtime.dispatch.keepNotification(state)
        }
        return 0
    }
}

extension DispatchObjects {
    /// Reads `object:notify(queue, body)`. Pushes the queue and the operation that the body becomes. [-0, +2, -]
    func readNotification(_ state: LuaState) throws(LuaRaise) {
        _ = try requireDispatchQueue(state, 2)
        state.setTop(3)
        if let item = dispatchWorkItem(state, 3) {
            state.pushValue(2)
            try pushItemOperation(of: item, at: 3, state)
            let view = try operations.requireOperation(state, 5)
            submitted(item, at: 3, view.pointee.id, state)
            return
        }
        state.pushValue(2)
        state.pushValue(3)
        try operations.wrapFunction(state, argument: 3, place: nil)
        let view = try operations.requireOperation(state, 5)
        try operations.checkIsNew(view, state, 5)
        operations.entry(view.pointee.id)?.pointee.isHidden = true
    }

    /// Keeps queue and operation, on top, in the object at index 1 until that is done. [-2, +0, -]
    func keepNotification(_ state: LuaState) {
        let first = state.top - 1
        if state.getUserValue(1, DispatchValue.own) != .table {
            state.pop()
            state.newTable()
            state.pushValue(-1)
            _ = state.setUserValue(1, DispatchValue.own)
        }
        let list = state.top
        let count = state.rawLength(list)
        state.pushValue(first)
        state.rawSet(list, count + 1)
        state.pushValue(first + 1)
        state.rawSet(list, count + 2)
        state.setTop(first - 1)
    }

    /// Where the running host function was called.
    func callerPlace(_ state: LuaState) -> String { vm.describe(state.place(level: 1)) ?? "?" }

    /// Begins a wait for a source, and returns the host function's reply.
    func wait(for source: any WaitSource, _ seconds: Double?, _ task: ScriptTask, _ state: LuaState) -> Int32
    {
        guard state.canWait else { return LuaReply.wait }
        waits.beginWait(task, .source(source), seconds: seconds.map { max($0, 0) }, state)
        return LuaReply.wait
    }
}

/// `group:wait([timeout])`
private func groupWait(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let group = try runtime.dispatch.requireGroup(state, 1)
        let seconds = try runtime.waits.seconds(state, 2)
        let task = try runtime.waits.waitingTask(state)
        if group.count == 0 {
            state.push(true)
            return 1
        }
        return runtime.dispatch.wait(for: group, seconds, task, state)
    }
}

private func groupSetFinalizer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        _ = try runtime.dispatch.requireGroup(state, 1)
        try ObjectFinalizer.setFinalizer(of: 1, from: 2, state, runtime)
        return 0
    }
}
