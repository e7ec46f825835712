internal import LuaVM

/// The values that dispatch objects keep in their userdata, where Lua's collector sees them.
enum DispatchValue {
    /// Holds the context and the finalizer; made when either is set.
    static let finalizer: Int32 = 1
    /// The values that belong to the type: a queue's specific values, a group's pending blocks, a work item's
    /// body.
    static let own: Int32 = 2
    /// A queue's target.
    static let target: Int32 = 3
    static let count: Int32 = 3
}

/// `object.context` and `object:setFinalizer(fn)`.
///
/// Context and finalizer are in a userdata of their own, which only their object refers to. So this userdata and the
/// object are collected together, and its `__gc` is the moment at which the object is gone. The finalizer itself runs
/// in a turn, where it may wait like any other callback.
enum ObjectFinalizer {
    /// The user values of that userdata.
    private enum Value {
        static let context: Int32 = 1
        static let function: Int32 = 2
        static let count: Int32 = 2
    }

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.push(ownerCollected)
        state.rawSet(-2, "__gc")
        return LuaMetatable(state, name: "finalizer", isBox: false)
    }

    /// Pushes the context of the object at an index, or nil. [-0, +1, -]
    static func pushContext(of index: Int32, _ state: LuaState) {
        guard state.getUserValue(index, DispatchValue.finalizer) == .userdata else {
            state.pop()
            return state.pushNil()
        }
        _ = state.getUserValue(-1, Value.context)
        state.remove(-2)
    }

    /// Makes the value at one index the context of the object at another. [-0, +0, -]
    static func setContext(of index: Int32, from value: Int32, _ state: LuaState, _ runtime: ScriptRuntime) {
        let value = state.absolute(value)
        pushHolder(of: index, state, runtime)
        state.pushValue(value)
        _ = state.setUserValue(-2, Value.context)
        state.pop()
    }

    /// Makes the value at one index, a function or nil, the finalizer of the object at another. [-0, +0, -]
    static func setFinalizer(
        of index: Int32,
        from value: Int32,
        _ state: LuaState,
        _ runtime: ScriptRuntime
    ) throws(LuaRaise) {
        let value = state.absolute(value)
        guard state.isFunction(value) || state.isNoneOrNil(value) else {
            throw LuaRaise(
                argument: value,
                "function expected, got \(runtime.operations.kindName(state, value))"
            )
        }
        pushHolder(of: index, state, runtime)
        if state.isNoneOrNil(value) { state.pushNil() } else { state.pushValue(value) }
        _ = state.setUserValue(-2, Value.function)
        state.pop()
    }

    private static func pushHolder(of index: Int32, _ state: LuaState, _ runtime: ScriptRuntime) {
        let index = state.absolute(index)
        if state.getUserValue(index, DispatchValue.finalizer) == .userdata { return }
        state.pop()
        state.newUserdata(size: 16, userValues: Value.count)
        runtime.metatables.finalizer.push(state)
        state.setMetatable(-2)
        state.pushValue(-1)
        _ = state.setUserValue(index, DispatchValue.finalizer)
    }

    /// Called if the object was collected.
    fileprivate static func collected(_ state: LuaState, _ runtime: ScriptRuntime) {
        guard !runtime.run.isClosing, state.getUserValue(1, Value.function) == .function,
            state.getUserValue(1, Value.context) != .nil
        else { return }
        let context = runtime.vm.makeReference(state)
        let function = runtime.vm.makeReference(state)
        runtime.agenda.turns.append(
            .host { [unowned runtime] in runtime.dispatch.callFinalizer(function, context) }
        )
    }
}

extension DispatchObjects {
    fileprivate func callFinalizer(_ function: LuaReference, _ context: LuaReference) {
        let task = bodies.makeTask()
        function.push(task.root.state)
        context.push(task.root.state)
        task.end = .callback("finalizer")
        task.queue = queues.mainQueue
        bodies.start(task)
    }
}

private func ownerCollected(_ raw: OpaquePointer) -> Int32 {
    ObjectFinalizer.collected(LuaState(raw), runtime(raw))
    return 0
}
