internal import LuaVM
internal import Scheduling

/// `Operation:subclass "Name"`, also on subclasses: a class is a table whose methods are hooks.
func subclass(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.isTable(1), state.rawGet(1, "\0name") == .string else {
            throw LuaRaise(argument: 1, "a class expected: call it as Operation:subclass \"Name\"")
        }
        state.pop()
        guard state.type(2) == .string else {
            throw LuaRaise(
                argument: 2,
                "name of the class expected, got \(runtime.operations.kindName(state, 2))"
            )
        }
        ScriptConstructor.pushTable(
            state,
            ScriptMethod("Operation", "…", makeInstance),
            named: state.string(2)
        )
        state.pushValue(2)
        state.rawSet(-2, "\0name")
        state.pushValue(1)
        state.rawSet(-2, "\0parent")
        // The class inherits the parent's methods, including `subclass`.
        guard state.pushMetatable(-1) else { return 1 }
        state.pushValue(1)
        state.rawSet(-2, "__index")
        state.push(setClassMember)
        state.rawSet(-2, "__newindex")
        state.pop()
        return 1
    }
}

/// Sets a new member of a class: a hook, or a field or method of the script's own. Refuses the names of the
/// members that every operation has, since nothing would ever call or read the new member.
func setClassMember(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let isBase = state.rawGet(1, "\0parent") == .nil
        state.pop()
        if isBase, let key = state.string(2), OperationOverride.hooks.contains(key) {
            throw .misuse(
                "'\(key)' of Operation itself would never be called: define it in a class that "
                    + "Operation:subclass \"Name\" makes"
            )
        }
        if let key = state.string(2), let reason = OperationOverride.refusal(of: key) {
            _ = state.rawGet(1, "\0name")
            throw .misuse("'\(key)' cannot be overridden in '\(state.string(-1) ?? "Operation")': \(reason)")
        }
        do throws(LuaError) {
            try state.rawSet(1)
        } catch {
            throw LuaRaise(.argument, error.message)
        }
        return 0
    }
}

/// `Resize { … }`: the class is the first argument.
private func makeInstance(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let count = state.top
        let isAsync = runtime.operations.classMethod(state, 1, "start")
        if isAsync { state.pop() }
        let hasMain = runtime.operations.classMethod(state, 1, "main")
        if hasMain { state.pop() }
        _ = state.rawGet(1, "\0name")
        let className = state.string(-1) ?? "Operation"
        state.pop()
        guard isAsync || hasMain else {
            throw .misuse("'\(className)' has neither 'main' nor 'start': define one before making instances")
        }
        let view = runtime.operations.newOperation(state, isAsync ? .start : .main, .subclass)
        let made = state.top
        runtime.operations.setField("\0class", of: made, view, state) { $0.pushValue(1) }
        runtime.operations.set(name: className, of: view, at: made, state)
        if count >= 2, state.isTable(2) {
            let options = OptionTable(runtime, state, 2, of: className)
            try runtime.operations.constructing(view) { () throws(LuaRaise) in
                try runtime.operations.setOptions(options, view, at: made, state)
            }
        }
        guard runtime.operations.classMethod(state, 1, "init") else { return 1 }
        // Calls init(self, options…); the constructor returns the operation, not the result of `init`.
        let initializer = state.top
        guard state.ensureSpace(count + 4) else { throw .misuse("too many arguments for '\(className)'") }
        state.pushValue(made)
        state.pushValue(initializer)
        state.pushValue(made)
        for index in stride(from: Int32(2), through: count, by: 1) { state.pushValue(index) }
        state.push(continuation: giveInstance)
        return LuaReply.callThen(Int(count))
    }
}

private func giveInstance(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base) else {
        let operations = runtime(raw).operations
        if let view = operations.operation(state, base - 2) { operations.hide(view) }
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    // The operation is right below the function that was called.
    state.pushValue(base - 2)
    return 1
}

extension Operations {
    /// Pushes a method that the class at an index has or inherits, except from the base class. [-0, +0 | 1, -]
    func classMethod(_ state: LuaState, _ index: Int32, _ name: StaticString) -> Bool {
        state.pushValue(index)
        for _ in 0..<Self.mostParents {
            if state.rawGet(-1, name) == .function {
                state.remove(-2)
                return true
            }
            state.pop()
            let hasParent = state.rawGet(-1, "\0parent") == .table
            state.remove(-2)
            if !hasParent { break }
        }
        state.pop()
        return false
    }

    /// How many ancestors a method lookup visits at most; a script may have made a cycle of classes.
    static var mostParents: Int { 200 }
}
