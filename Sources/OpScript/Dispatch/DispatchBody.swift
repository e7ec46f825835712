internal import LuaVM
internal import Scheduling

/// The body that a script passed to `async` or a similar method.
struct DispatchBody {
    /// The stack index of the operation, or of the function that becomes one.
    var index: Int32
    var isBarrier = false
    var quality: OperationQualityOfService?
    var group: DispatchGroup?
    /// The stack index of the group's userdata.
    var groupIndex: Int32 = 0
    var workItem: DispatchWorkItem?
}

extension DispatchObjects {
    /// Reads a body, or a table with a body and options. Pushes the values in the table. [-0, +n, -]
    func readBody(
        _ state: LuaState,
        _ index: Int32,
        place: Int = 1,
        of method: String
    ) throws(LuaRaise) -> DispatchBody {
        var body = DispatchBody(index: index)
        if state.isTable(index) {
            let options = OptionTable(runtime, state, index, of: method)
            if let flags = try options.string("flags") {
                guard flags == "barrier" else {
                    throw LuaRaise(
                        .argument,
                        "bad value for 'flags' (\"barrier\" expected, got '\(flags)')"
                    )
                }
                body.isBarrier = true
            }
            if options.push("qos") {
                body.quality = try dispatchQuality(state, -1, for: "qos")
                state.pop()
            }
            if options.push("group") {
                guard let group = dispatchGroup(state, -1) else { throw options.mismatch("group", "group") }
                body.group = group
                body.groupIndex = state.top
            }
            try options.refuseOthers(allowingArray: true)
            _ = state.rawGet(index, place)
            body.index = state.top
            if state.rawLength(index) > place {
                throw LuaRaise(
                    argument: index,
                    "one body expected, got \(state.rawLength(index) - place + 1)"
                )
            }
        }
        if let item = dispatchWorkItem(state, body.index) {
            body.workItem = item
            body.isBarrier = body.isBarrier || item.isBarrier
        } else if !state.isFunction(body.index), operations.operation(state, body.index) == nil {
            throw LuaRaise(
                argument: index,
                "function, operation or work item expected"
                    + (body.index == index ? "" : " in the table")
                    + ", got \(operations.kindName(state, body.index))"
            )
        }
        return body
    }

    /// Adds a body to a queue; its operation is pushed. [-0, +1, -]
    ///
    /// - Parameter name: The name of the operation, if the body is a function.
    func submitBody(
        _ body: DispatchBody,
        to queue: ScriptQueue,
        after delay: Double? = nil,
        named name: StaticString? = nil,
        _ state: LuaState
    ) throws(LuaRaise) {
        if let item = body.workItem {
            try pushItemOperation(of: item, at: body.index, state)
        } else {
            state.pushValue(body.index)
            try operations.wrapFunction(state, argument: 2, place: nil)
        }
        let made = state.top
        let view = try operations.requireOperation(state, made)
        if let name, state.isFunction(body.index) {
            operations.set(name: name.description, of: view, at: made, state)
        }
        if let quality = body.quality { view.pointee.qualityOfService = quality }
        try submitFirstInFirstOut(
            state,
            made,
            to: queue,
            after: delay,
            isBarrier: body.isBarrier
        )
        let id = view.pointee.id
        if let group = body.group { add(id, to: group, at: body.groupIndex, state) }
        if let item = body.workItem { submitted(item, at: body.index, id, state) }
    }

    /// Adds an operation to a dispatch queue, or to the main queue as if that were only a dispatch queue.
    func submitFirstInFirstOut(
        _ state: LuaState,
        _ index: Int32,
        to queue: ScriptQueue,
        after delay: Double? = nil,
        isBarrier: Bool = false
    ) throws(LuaRaise) {
        var options = SubmissionOptions()
        options.isFirstInFirstOut = true
        options.delay = delay
        options.isBarrier = isBarrier && !queue.isGlobal
        try operations.submit(state, index, to: queue, options)
    }

    /// Refuses a wait for a queue that the running body itself blocks.
    func checkIsNotHeld(_ queue: ScriptQueue, by task: ScriptTask) throws(LuaRaise) {
        guard let own = bodies.taskQueue(of: task), own.kind == .dispatch || own.kind == .main else { return }
        let held = own.targetChain.filter(\.isSerial)
        guard let common = queue.targetChain.first(where: { wanted in held.contains { $0 === wanted } })
        else { return }
        let through =
            common === queue ? "" : " (queue '\(queue.label)' runs under it: its target)"
        throw LuaRaise(
            .deadlock,
            "'sync' would wait for ever: this body runs on the serial queue '\(common.label)' itself\(through); "
                + "call the function directly, or use 'async'"
        )
    }
}
