internal import LuaVM
internal import Scheduling

/// `Thread { … }`; the type itself is the first argument.
func makeThread(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        try runtime.require(.threads, for: "'Thread'")
        if state.isFunction(1) || runtime.threads.isolate(state, 1) != nil {
            throw LuaRaise(
                argument: 1,
                "table expected: a thread runs a work or an isolate, as in Thread { isolate = fn }"
            )
        }
        guard state.isTable(1) else {
            throw LuaRaise(argument: 1, "table expected, got \(runtime.operations.kindName(state, 1))")
        }
        state.setTop(1)
        runtime.threads.pushThread(try runtime.threads.readThread(state), state)
        return 1
    }
}

/// `Thread.detach(work, ...)`: makes a thread and starts it.
func detachThread(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.require(.threads, for: "'Thread.detach'")
        let count = Int(state.top) - 1
        let thread: ScriptedThread
        if let name = state.string(1) {
            let definition = try runtime.threads.threadDefinition(named: name)
            let body = try runtime.threads.threadBody(definition, state, first: 2, count: count)
            thread = runtime.threads.newThread(body, name: name, state)
        } else if let function = runtime.threads.isolate(state, 1) {
            thread = try runtime.threads.newThread(
                running: function,
                named: nil,
                state,
                first: 2,
                count: count
            )
        } else {
            throw LuaRaise(
                argument: 1,
                "name of a work or isolate expected, got \(runtime.kindName(state, 1))"
                    + (state.isFunction(1)
                        ? ": wrap it, as in Thread.detach(isolate(fn), …)"
                        : state.isTable(1) ? ": \(Threads.ownCode)" : "")
            )
        }
        try runtime.threads.startThread(thread)
        runtime.threads.pushThread(thread, state)
        return 1
    }
}

extension Threads {
    /// The reason why a thread cannot call a method of a script's object.
    fileprivate static let ownCode =
        "the script's own objects and methods stay on the script thread; call the method in "
        + "async(function() … end), or give the thread what it needs as arguments of isolate(fn)"

    /// Reads the options of a thread from the table at index 1.
    fileprivate func readThread(_ state: LuaState) throws(LuaRaise) -> ScriptedThread {
        let options = OptionTable(runtime, state, 1, of: "Thread")
        if options.push("target") || options.push("selector") || options.push("block") || options.push("main")
        {
            throw LuaRaise(argument: 1, "one of 'work' and 'isolate' expected: \(Self.ownCode)")
        }
        if options.push("work") {
            if state.isFunction(-1) || isolate(state, -1) != nil {
                throw LuaRaise(
                    .argument,
                    "bad value for 'work' (name of a work expected; a function is given as 'isolate')"
                )
            }
            state.pop()
        }
        let work = try options.string("work")
        let hasIsolate = options.push("isolate")
        let isolateIndex = state.top
        guard (work != nil) != hasIsolate else {
            throw LuaRaise(
                argument: 1,
                "one of 'work' and 'isolate' expected, got \(hasIsolate ? "both" : "none")"
            )
        }
        let name = try options.string("name")
        let first = state.top + 1
        let count = try pushThreadArguments(options, state)
        let thread: ScriptedThread
        if let work {
            let definition = try threadDefinition(named: work)
            let body = try threadBody(definition, state, first: first, count: count)
            thread = newThread(body, name: name ?? work, state)
        } else {
            let function: IsolateFunction
            if let given = isolate(state, isolateIndex) {
                function = given
            } else if state.isLuaFunction(isolateIndex) {
                function = try readIsolate(state, isolateIndex)
            } else if state.isFunction(isolateIndex) {
                throw LuaRaise(
                    .argument,
                    "bad value for 'isolate' (a function written in Lua expected, got a native one)"
                )
            } else {
                throw LuaRaise(
                    .argument,
                    "bad value for 'isolate' (function expected, got \(operations.kindName(state, isolateIndex)))"
                )
            }
            thread = try newThread(running: function, named: name, state, first: first, count: count)
        }
        state.setTop(1)
        for property in ThreadBinding.properties where property.name != "name" {
            guard let set = property.set, options.push(property.name) else { continue }
            try set(thread, NewValue(runtime, state, for: property.key, of: 1, at: state.top))
            state.pop()
        }
        try options.refuseOthers(also: ["work", "isolate", "args"] + ThreadBinding.type.settableNames)
        return thread
    }

    /// Pushes the values in `args`. [-0, +count, -]
    private func pushThreadArguments(_ options: OptionTable, _ state: LuaState) throws(LuaRaise) -> Int {
        guard options.push("args") else { return 0 }
        guard state.isTable(-1) else { throw options.mismatch("args", "table") }
        let list = state.top
        var count = state.rawLength(list)
        if state.rawGet(list, "n") == .number, let packed = state.wholeNumber(-1), (0..<1000).contains(packed)
        {
            count = packed
        }
        state.pop()
        guard state.ensureSpace(forList: count) else {
            throw LuaRaise(.argument, "bad value for 'args' (too many arguments)")
        }
        for place in stride(from: 1, through: count, by: 1) { _ = state.rawGet(list, place) }
        state.remove(list)
        return count
    }

    fileprivate func newThread(
        running function: IsolateFunction,
        named name: String?,
        _ state: LuaState,
        first: Int32,
        count: Int
    ) throws(LuaRaise) -> ScriptedThread {
        let number = lastThreadNumber + 1
        let identity = ThreadIdentity(name: name ?? "thread \(number)", number: number)
        let definition = isolateDefinition(
            function,
            calledFrom: vm.currentFrames(state, level: 1),
            thread: identity
        )
        let body = try threadBody(definition, state, first: first, count: count)
        return newThread(body, identity, state)
    }

    fileprivate func newThread(_ body: WorkBody, name: String, _ state: LuaState) -> ScriptedThread {
        newThread(body, ThreadIdentity(name: name, number: lastThreadNumber + 1), state)
    }

    private func newThread(_ body: WorkBody, _ identity: ThreadIdentity, _ state: LuaState) -> ScriptedThread
    {
        lastThreadNumber = identity.number
        return ScriptedThread(body, identity, place: state.place(level: 1))
    }

    fileprivate func threadDefinition(named name: String) throws(LuaRaise) -> WorkDefinition {
        guard let index = works.catalogue.index(of: name) else { throw operations.unknownWork(name) }
        let definition = works.definition(index)
        guard definition.kind == .sleep, case .sync(let seconds) = definition.body else { return definition }
        // As an operation, a sleep is an entry in the script thread's list of due times; a thread sleeps by a
        // system call.
        return WorkDefinition(
            name: name,
            summary: definition.summary,
            parameters: definition.parameters,
            takesContext: true,
            body: .sync { arguments in
                guard case .number(let seconds) = try seconds(arguments) else { return .nil }
                let parker = Parker()
                arguments.context?.onCancel { parker.unpark() }
                _ = parker.park(nanoseconds: SchedulerClock.nanoseconds(seconds))
                return .nil
            }
        )
    }

    /// The body of a thread; its arguments, which are on the stack, are copied and checked.
    fileprivate func threadBody(
        _ definition: WorkDefinition,
        _ state: LuaState,
        first: Int32,
        count: Int
    ) throws(LuaRaise) -> WorkBody {
        var values: [ScriptValue] = []
        for place in 0..<count {
            if operations.operation(state, first + Int32(place)) != nil {
                throw LuaRaise(
                    .argument,
                    "bad argument #\(place + 1) to '\(definition.name)' "
                        + "(a thread waits for no operation: give it the result, as in await(operation))"
                )
            }
            var reader = ValueReader(runtime, state)
            do throws(ScriptConversionError) {
                values.append(try reader.read(first + Int32(place)))
            } catch {
                throw LuaRaise(
                    error,
                    "bad argument #\(place + 1) to '\(definition.name)' (\(error.description))"
                )
            }
        }
        let arguments = ArgumentList(values)
        do throws(ArgumentMismatch) {
            try definition.check(arguments, holdOperations: false)
        } catch {
            throw LuaRaise(
                .argument,
                "bad argument #\(error.argument) to '\(definition.name)' (\(error.error.description))"
            )
        }
        return WorkBody(definition, arguments, takesOperations: false)
    }
}
