internal import LuaVM
internal import Scheduling

extension ScriptGlobals {
    /// Makes the environment of the parts that are written in Lua, and puts the stubs of their functions where scripts
    /// find them. [-0, +0, m]
    ///
    /// The environment holds the functions of Lua and of the contract that the parts use, as they were before
    /// any script could change them.
    func makePrelude(_ state: LuaState, types: Int32) {
        let base = state.top
        state.newTable(fields: 40)
        let environment = state.top
        state.setFunctions([
            ("fail", internalFail), ("errorValue", internalErrorValue), ("refuseMore", internalRefuseMore),
            ("isOperation", internalIsOperation), ("kind", internalKind),
            ("wholeNumber", internalWholeNumber), ("quantity", internalQuantity),
            ("checkQueue", internalCheckQueue), ("addIfOperation", internalAddIfOperation),
            ("stopCount", internalStopCount), ("isOnCluster", internalIsOnCluster), ("now", internalNow),
            ("currentTask", internalCurrentTask), ("setModel", internalSimulate), ("where", internalWhere),
            ("isCluster", internalIsCluster), ("setClusterModel", internalSetClusterModel),
            ("fault", internalFault), ("setCancelStep", internalCancelAt),
        ])
        if loadsModules {
            state.push(internalLoadModule)
            state.rawSet(environment, "loadModule")
        }
        state.push(2 * min(scheduler.workerCount, 1 << 20))
        state.rawSet(environment, "mapLimit")
        state.newTable(fields: 8)
        state.rawSet(environment, "functions")
        installPackageTables(state, environment)
        for name in ["await", "pawait", "sleep", "Gate", "DispatchQueue"] as [StaticString] {
            _ = state.rawGet(types, name)
            state.rawSet(environment, name)
        }
        for name in ["error", "ipairs", "next", "pairs", "pcall", "setmetatable", "tostring", "type"] {
            _ = state.getGlobal(name)
            state.rawSet(environment, name)
        }
        for (library, functions) in [
            ("math", [("type", "mathType")]),
            ("table", [("concat", "concat"), ("pack", "pack"), ("unpack", "unpack")]),
        ] as [(String, [(StaticString, StaticString)])] {
            _ = state.getGlobal(library)
            for (name, ownName) in functions {
                _ = state.rawGet(-1, name)
                state.rawSet(environment, ownName)
            }
            state.pop()
        }
        preludeEnvironment = runtime.reference(to: environment, state)
        installPreludeFunctions(state, types: types)
        state.setTop(base)
    }

    /// Puts the tables of `package` into the environment as they are now: `require` uses the same ones even if a script
    /// assigns others, as Lua's does.
    private func installPackageTables(_ state: LuaState, _ environment: Int32) {
        packageTable?.push(state)
        for name in ["loaded", "preload"] as [StaticString] {
            _ = state.rawGet(-1, name)
            state.rawSet(environment, name)
        }
        let hasSearchers = state.rawGet(-1, "searchers") == .table
        state.pop()
        state.push(hasSearchers)
        state.rawSet(environment, "hasSearchers")
        state.push(configuration.capabilities.contains(.nativeModules))
        state.rawSet(environment, "loadsNativeModules")
        for name in ["besides", "script"] as [StaticString] {
            state.push("")
            state.rawSet(environment, name)
        }
        if state.rawGet(-1, "path") != .string {
            state.pop()
            state.push("")
        }
        state.rawSet(environment, "firstPath")
        state.rawSet(environment, "package")
    }

    /// Puts the searcher of files into `package.searchers`, in place of Lua's own.
    private func installSearcher(_ state: LuaState, stub: Int32) throws(LuaError) {
        let base = state.top
        defer { state.setTop(base) }
        guard let packageTable else { return }
        packageTable.push(state)
        guard state.rawGet(-1, "searchers") == .table else { return }
        state.pushValue(stub)
        state.push(internalPart)
        state.push(Prelude.searcher)
        try state.call(arguments: 2, results: 1)
        state.rawSet(-2, 2)
    }

    /// Puts the functions that scripts call by name where scripts find them; each reads its part at its first call.
    private func installPreludeFunctions(_ state: LuaState, types: Int32) {
        do throws(LuaError) {
            try vm.loadOwn(Prelude.stub, name: "=[opscript]")
            let stub = state.top
            if loadsModules { try installSearcher(state, stub: stub) }
            for part in Prelude.allCases where part.place != .queues {
                for name in part.functions {
                    state.pushValue(stub)
                    state.push(internalPart)
                    state.push(name)
                    try state.call(arguments: 2, results: 1)
                    switch part.place {
                    case .globals: state.rawSet(types, name)
                    case .lua: state.setGlobal(name)
                    case .dispatchQueue:
                        _ = state.rawGet(types, "DispatchQueue")
                        state.insert(-2)
                        state.rawSet(-2, name)
                        state.pop()
                    case .queues: break
                    }
                }
            }
        } catch {
            preconditionFailure("the prelude does not load: \(error)")
        }
    }

    /// Pushes a function of the prelude, and reads its part if it has not been read before. [-0, +1, m]
    ///
    /// - Throws: `memory` and the like, if there is no room for it; the stack is then unchanged.
    func pushPrelude(_ function: String, of part: Prelude, _ state: LuaState) throws(LuaError) {
        guard let preludeEnvironment else { return state.pushNil() }
        let base = state.top
        preludeEnvironment.push(state)
        _ = state.rawGet(-1, "functions")
        if state.rawGet(-1, function) == .nil {
            state.pop()
            do throws(LuaError) {
                try vm.loadOwn(part.source, name: "=[opscript]", into: state)
                state.pushValue(base + 1)
                try state.call(arguments: 1)
            } catch {
                state.setTop(base)
                throw error
            }
            _ = state.rawGet(-1, function)
        }
        state.replace(base + 1)
        state.setTop(base + 1)
    }
}

// MARK: Functions that the prelude calls

/// `errorValue(raised)`: the error that a function raised, as an error value; a table as it is.
private func internalErrorValue(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.setTop(1)
    runtime(raw).replaceRaised(state, frames: [])
    return 1
}

/// `part(name)`: the function of that name; reads its part if that has not been read before.
private func internalPart(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let name = state.string(1), let part = Prelude.part(of: name) else { return 0 }
    do throws(LuaError) {
        try runtime(raw).globals.pushPrelude(name, of: part, state)
        return 1
    } catch {
        return state.raise(error)
    }
}

/// `fail(code, text)`: raises as if the caller's caller had made the mistake.
private func internalFail(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let code: ScriptError.Code =
        switch state.string(1) {
        case "argument": .argument
        case "cancelled": .cancelled
        default: .failed
        }
    let text = String(decoding: state.bytes(2) ?? [], as: UTF8.self)
    let place = runtime.globals.prefixOutsidePrelude(state)
    runtime.push(ErrorValue(code, place + text, frames: runtime.vm.currentFrames(state, level: 2)), state)
    return LuaReply.raise
}

/// `where()`: the place of the code that has called the prelude, as `luaL_where` gives it: `job.lua:12: `; empty if
/// that is a function in C, such as `pcall`.
private func internalWhere(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).pushCallerOfOwnCode()
    return 1
}

/// `refuseMore(name, place, ...)`: refuses arguments that the function of a name would ignore; the first of them is at
/// `place`.
private func internalRefuseMore(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let extra = (3...max(3, state.top)).first(where: { !state.isNoneOrNil($0) }) else { return 0 }
    let runtime = runtime(raw)
    let number = (state.wholeNumber(2) ?? 0) + Int(extra) - 3
    let place = runtime.globals.prefixOutsidePrelude(state)
    let text =
        "bad argument #\(number) to '\(state.string(1) ?? "?")' (no value expected, got \(state.summary(extra)))"
    runtime.push(
        ErrorValue(.argument, place + text, frames: runtime.vm.currentFrames(state, level: 2)),
        state
    )
    return LuaReply.raise
}

private func internalIsOperation(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).operations.operation(state, 1) != nil)
    return 1
}

func internalKind(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).operations.kindName(state, 1))
    return 1
}

/// `wholeNumber(value, least)`: the value as an integer, even if it is written as 3.0; nothing if it is not a
/// whole number, or is less.
private func internalWholeNumber(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard state.type(1) == .number, let number = state.wholeNumber(1), number >= state.wholeNumber(2) ?? 0
    else { return 0 }
    state.push(number)
    return 1
}

/// `quantity(value)`: the name of a value in a message where a number is expected: a number itself, or the
/// kind of another value.
private func internalQuantity(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard state.type(1) == .number else { return internalKind(raw) }
    state.push(state.summary(1))
    return 1
}

/// `checkQueue(queue)`: refuses anything else as the object of `map`.
private func internalCheckQueue(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        do throws(LuaRaise) {
            _ = try runtime.queues.requireQueue(state, 1)
        } catch {
            let text =
                "bad argument #1 to 'map' (\(error.text)); a method is called with a colon, as in queue:map(…)"
            throw runtime.globals.raisedOutsidePrelude(LuaRaise(error.code, text), state)
        }
        return 0
    }
}

/// `addIfOperation(queue, value)`: whether the value is an operation; adds it, if it is in no queue yet.
private func internalAddIfOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.queues.requireQueue(state, 1)
        guard let view = runtime.operations.operation(state, 2) else {
            state.push(false)
            return 1
        }
        if !view.pointee.flags.contains(.isSubmitted), !view.pointee.isFinished, view.pointee.kind != .gate {
            try runtime.operations.submit(state, 2, to: queue)
        }
        state.push(true)
        return 1
    }
}

/// `stopCount(queue)`: how often the operations of the queue were cancelled together.
private func internalStopCount(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.push(try runtime.queues.requireQueue(state, 1).stopCount)
        return 1
    }
}

/// `isOnCluster(queue)`: whether the bodies of its works run elsewhere.
private func internalIsOnCluster(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.push(try runtime.queues.requireQueue(state, 1).cluster != nil)
        return 1
    }
}

/// `now()`: seconds on the scheduler's clock.
private func internalNow(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(Double(runtime(raw).scheduler.clock.now) / 1e9)
    return 1
}

private func internalCurrentTask(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let task = runtime(raw).bodies.current else {
        state.push(0)
        return 1
    }
    state.push(Int(bitPattern: Unmanaged.passUnretained(task).toOpaque()))
    return 1
}

/// `loadModule(path)`: the chunk as a function; nil if there is no such file; nil and a text if it does not compile.
private func internalLoadModule(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let path = state.bytes(1), let source = try? SourceFile.read(RawText.text(of: path)) else {
        state.pushNil()
        return 1
    }
    do throws(LuaError) {
        try runtime.vm.load(source, name: [UInt8(ascii: "@")] + path, into: state)
        runtime.arguments.moduleLoaded(source)
        runtime.runState.report.modules.append(RawText.text(of: path))
        return 1
    } catch {
        state.pushNil()
        state.push(error.message)
        return 2
    }
}

extension ScriptGlobals {
    /// The place of the first function outside the prelude and outside a driver.
    func placeOutsidePrelude(_ state: LuaState) -> LuaPlace {
        let place = state.place(level: 1)
        guard place.source != 0, !ScriptRun.isOwn(vm.sourceName(place.source)) else { return .unknown }
        return place
    }

    /// That place in front of a message: `job.lua:12: `; empty if it is not known.
    func prefixOutsidePrelude(_ state: LuaState) -> String {
        vm.describe(placeOutsidePrelude(state)).map { "\($0): " } ?? ""
    }

    /// A message about a mistake in a function that the prelude calls for the script, with the place of the script.
    func placedOutsidePrelude(_ message: String, _ state: LuaState) -> String {
        guard message.hasPrefix("[opscript"), let end = message.firstRange(of: ": ") else { return message }
        return prefixOutsidePrelude(state) + message[end.upperBound...]
    }

    /// The same error, as if the script's line that called the prelude had raised it.
    func raisedOutsidePrelude(_ raise: LuaRaise, _ state: LuaState) -> LuaRaise {
        return LuaRaise(
            ErrorValue(
                raise.code,
                prefixOutsidePrelude(state) + raise.text,
                frames: vm.currentFrames(state, level: 2)
            )
        )
    }
}
