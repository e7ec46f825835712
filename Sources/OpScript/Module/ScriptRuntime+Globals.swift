#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import LuaVM
internal import Scheduling

extension ScriptRuntime {
    /// Makes the types, the functions and the modules of the contract, and puts them where scripts find them.
    func installGlobals() {
        let state = vm.main
        let base = state.top
        state.newTable(fields: 24)
        let types = state.top
        typesTable = reference(to: types, state)
        OperationConstructors.install(self, state, into: types)
        QueueBinding.install(self, state, into: types)
        TimerBinding.install(self, state, into: types)
        SourceBinding.install(state, into: types)
        DispatchQueueBinding.install(self, state, into: types)
        DispatchGroupBinding.install(state, into: types)
        DispatchSemaphoreBinding.install(state, into: types)
        DispatchWorkItemBinding.install(state, into: types)
        ProgressBinding.install(state, into: types)
        installAwait(state, into: types)
        for (name, function) in [
            ("pawait", scriptProtectedAwait), ("sleep", scriptSleep), ("shield", scriptShield),
            ("async", scriptAsync),
        ] as [(StaticString, LuaFunction)] {
            state.push(function)
            state.rawSet(types, name)
        }
        WorkBinding.install(self, state, into: types)
        ClockBinding.install(state, into: types)
        IsolateBinding.install(state, into: types)
        ThreadBinding.install(self, state, into: types)
        JSONBinding.install(self, state)
        state.rawSet(types, "json")
        installPackage(state, types: types)
        installExit(state)
        state.forEachPair(types) { typeNames.append(state.string(-2) ?? "?") }
        if configuration.installsGlobals {
            state.pushNil()
            while state.nextUnchecked(types) {
                let name = state.string(-2) ?? "?"
                state.setGlobal(name)
            }
        }
        installSentinel(state)
        state.setTop(base)
    }

    private func installAwait(_ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(
            state,
            "await",
            scriptAwait,
            [
                ("all", scriptAwaitAll), ("any", scriptAwaitAny), ("settled", scriptAwaitSettled),
            ]
        )
        state.rawSet(types, "await")
    }

    // MARK: require

    private func installPackage(_ state: LuaState, types: Int32) {
        // Hosts without files have a table that can only preload.
        if state.getGlobal("package") != .table {
            state.pop()
            state.newTable()
            state.newTable()
            state.rawSet(-2, "loaded")
            state.newTable()
            state.rawSet(-2, "preload")
            if !configuration.moduleSearchPaths.isEmpty {
                state.push("")
                state.rawSet(-2, "path")
            }
            state.pushValue(-1)
            state.setGlobal("package")
        }
        let package = state.top
        packageTable = reference(to: package, state)
        _ = state.rawGet(package, "loaded")
        state.pushValue(types)
        state.rawSet(-2, "opscript")
        _ = state.rawGet(types, "json")
        state.rawSet(-2, "json")
        state.pop()
        state.newTable()
        let internals = state.top
        state.setFunctions([
            ("fail", internalFail), ("isOperation", internalIsOperation), ("kind", internalKind),
            ("checkQueue", internalCheckQueue), ("addIfNew", internalAddIfNew),
            ("currentTask", internalCurrentTask), ("simulate", internalSimulate),
            ("fault", internalFault), ("cancelAt", internalCancelAt),
        ])
        state.push(2 * min(scheduler.workerCount, 1 << 20))
        state.rawSet(internals, "mapLimit")
        state.pushValue(package)
        state.rawSet(internals, "package")
        if findsModulesOnDisk || !configuration.moduleSearchPaths.isEmpty {
            state.push(internalLoadModule)
            state.rawSet(internals, "loadModule")
        }
        do throws(LuaError) {
            try vm.load(Prelude.source, name: "=[opscript]")
            state.pushValue(internals)
            state.pushValue(types)
            try state.call(arguments: 2)
        } catch {
            preconditionFailure("the prelude does not load: \(error)")
        }
        _ = state.rawGet(internals, "map")
        queueMap = vm.makeReference(state)
        _ = state.rawGet(types, "DispatchQueue")
        _ = state.rawGet(internals, "concurrentPerform")
        state.rawSet(-2, "concurrentPerform")
        state.pop()
        _ = state.rawGet(internals, "require")
        state.setGlobal("require")
        state.setTop(package - 1)
    }

    /// `require` looks beside the script first, then in the host's folders, then along `package.path`.
    func setScriptFolder(_ folder: String?) {
        let state = vm.main
        guard let packageTable else { return }
        packageTable.push(state)
        defer { state.pop() }
        let before: String
        if state.rawGet(-1, "path") == .string { before = state.string(-1) ?? "" } else { before = "" }
        state.pop()
        guard findsModulesOnDisk || !configuration.moduleSearchPaths.isEmpty else { return }
        let folders =
            (findsModulesOnDisk ? [folder].compactMap { $0 } : [])
            + configuration.moduleSearchPaths
        let own = folders.flatMap { ["\($0)/?.lua", "\($0)/?/init.lua"] }
        let path = (own + [before]).filter { !$0.isEmpty }.joined(separator: ";")
        state.push(path)
        state.rawSet(-2, "path")
    }

    private var findsModulesOnDisk: Bool {
        configuration.libraries == .all || configuration.capabilities.contains(.modulesFromDisk)
    }

    // MARK: os.exit

    private func installExit(_ state: LuaState) {
        guard state.getGlobal("os") == .table else { return state.pop() }
        state.push(scriptExit)
        state.rawSet(-2, "exit")
        state.pop()
    }

    // MARK: Dropped operations

    /// An object that nobody holds: its finalizer tells that a collection has ended.
    func installSentinel(_ state: LuaState) {
        state.newTable()
        state.newTable()
        state.push(collectionEnded)
        state.rawSet(-2, "__gc")
        state.setMetatable(-2)
        state.pop()
    }

    // MARK: Output

    func installPrint() {
        let sink = configuration.standardOutput
        if let trace {
            vm.printer = { [unowned self] bytes in
                let line =
                    bytes.last == UInt8(ascii: "\n")
                    ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
                trace.notePrint(String(decoding: line, as: UTF8.self), at: scheduler.clock.now)
                if let sink { sink(Array(bytes)) } else { StandardStreams.writeOutput(bytes) }
            }
        } else if let sink {
            vm.printer = { bytes in sink(Array(bytes)) }
        }
        if sink != nil, !configuration.sharesStandardOutput { vm.captureOutput() }
    }

    func flushOutput() {
        if configuration.libraries == .all || configuration.standardOutput == nil {
            StandardStreams.flushLibrary()
        }
    }

    // MARK: null and empty arrays

    static func makeNull(_ vm: LuaVM) -> LuaReference {
        let state = vm.main
        state.newUserdata(size: 1)
        state.newTable()
        state.setFunctions([("__tostring", nullToString)])
        state.push("null")
        state.rawSet(-2, "__name")
        state.push("null")
        state.rawSet(-2, "__metatable")
        state.setMetatable(-2)
        return vm.makeReference(state)
    }

    static func makeArrayMark(_ vm: LuaVM) -> LuaReference {
        vm.main.newTable()
        vm.main.push("array")
        vm.main.rawSet(-2, "__name")
        return vm.makeReference(vm.main)
    }

    func pushNull(_ state: LuaState) { nullObject.push(state) }

    func isNull(_ state: LuaState, _ index: Int32) -> Bool {
        nullObject.push(state)
        defer { state.pop() }
        return state.rawEqual(-1, index < 0 ? index - 1 : index)
    }

    /// Marks the empty table on top as an array, so that it comes back as one.
    func markArray(_ state: LuaState) {
        arrayMark.push(state)
        state.setMetatable(-2)
    }

    func isMarkedArray(_ state: LuaState, _ index: Int32) -> Bool {
        guard let identity = state.metatableIdentity(index) else { return false }
        arrayMark.push(state)
        defer { state.pop() }
        return state.identity(-1) == identity
    }
}

private func nullToString(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push("null")
    return 1
}

private func collectionEnded(_ raw: OpaquePointer) -> Int32 {
    let runtime = runtime(raw)
    guard !runtime.isClosing else { return 0 }
    runtime.sweepIsDue = true
    runtime.vm.cycleEnded()
    runtime.installSentinel(LuaState(raw))
    return 0
}

/// `os.exit([code])`
func scriptExit(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let code: Int32
        switch state.type(1) {
        case .none, .nil: code = 0
        case .boolean: code = state.boolean(1) ? 0 : 1
        default:
            guard let number = state.wholeNumber(1) else {
                throw LuaRaise(argument: 1, "integer or boolean expected, got \(runtime.kindName(state, 1))")
            }
            code = Int32(truncatingIfNeeded: number & 0xff)
        }
        runtime.exitRequest = code
        // Nothing catches what unwinds the stack.
        runtime.current?.isTerminating = true
        runtime.vm.isTerminating = true
        throw LuaRaise(ErrorValue(.cancelled, "the script called os.exit"))
    }
}

/// `async(fn, ...)`
private func scriptAsync(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        guard runtime.isCallable(state, 1) else {
            throw LuaRaise(argument: 1, "function expected, got \(runtime.kindName(state, 1))")
        }
        let count = state.top
        let block = runtime.newOperation(state, .main, .invocation)
        let made = state.top
        // As an invocation without a target: the function, and its arguments from the third place on.
        state.newTable(array: Int(count) + 1, fields: 2)
        state.pushValue(1)
        state.rawSet(-2, 2)
        for index in stride(from: Int32(2), through: count, by: 1) {
            state.pushValue(index)
            state.rawSet(-2, Int(index) + 1)
        }
        state.push(Int(count) + 1)
        state.rawSet(-2, "n")
        state.push(true)
        state.rawSet(-2, "isPlain")
        state.setValue(.body, of: block, at: made)
        runtime.set(name: "async", of: block, at: made, state)
        try runtime.submit(state, made...made, to: runtime.standardQueue)
        state.setTop(made)
        return 1
    }
}

// MARK: What the prelude calls

/// `fail(code, text)`: raises as if the caller of the caller had been wrong.
private func internalFail(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let code: ScriptError.Code = state.string(1) == "argument" ? .argument : .failed
    let text = String(decoding: state.bytes(2) ?? [], as: UTF8.self)
    let place = runtime.vm.describe(runtime.placeOutsidePrelude(state)).map { "\($0): " } ?? ""
    runtime.push(ErrorValue(code, place + text, frames: runtime.vm.currentFrames(state, level: 2)), state)
    return LuaReply.raise
}

private func internalIsOperation(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).operation(state, 1) != nil)
    return 1
}

func internalKind(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).kindName(state, 1))
    return 1
}

private func internalCheckQueue(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        _ = try runtime.requireQueue(state, 1)
        return 0
    }
}

private func internalAddIfNew(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        let queue = try runtime.requireQueue(state, 1)
        let block = try runtime.requireOperation(state, 2)
        if !block.pointee.flags.contains(.isSubmitted), !block.pointee.isFinished, block.pointee.kind != .gate
        {
            try runtime.submit(state, 2...2, to: queue)
        }
        return 0
    }
}

private func internalCurrentTask(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let task = runtime(raw).current else {
        state.push(0)
        return 1
    }
    state.push(Int(bitPattern: Unmanaged.passUnretained(task).toOpaque()))
    return 1
}

/// `loadModule(path)`: the chunk as a function; nil where there is no such file; nil and a text where it does not compile.
private func internalLoadModule(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let path = state.string(1), let source = SourceFile.read(path) else {
        state.pushNil()
        return 1
    }
    do throws(LuaError) {
        try runtime.vm.load(source, name: "@\(path)", into: state)
        return 1
    } catch {
        state.pushNil()
        state.push(error.message)
        return 2
    }
}

extension ScriptRuntime {
    /// The place of the first function outside of the prelude, and of a driver.
    func placeOutsidePrelude(_ state: LuaState) -> LuaPlace {
        for level in Int32(1)..<40 {
            let place = state.place(level: level)
            if place.source == 0 { return place }
            if !Self.isOwn(vm.sourceName(place.source)) { return place }
        }
        return .unknown
    }
}

extension ScriptRuntime {
    /// The same error, as if the script's own line had raised it that called the prelude.
    func raisedOutsidePrelude(_ raise: LuaRaise, _ state: LuaState) -> LuaRaise {
        let place = vm.describe(placeOutsidePrelude(state)).map { "\($0): " } ?? ""
        return LuaRaise(
            ErrorValue(raise.code, place + raise.text, frames: vm.currentFrames(state, level: 2))
        )
    }
}

/// Source text on disk.
enum SourceFile {
    /// The bytes of a file; nil where there is none, or it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }
}
