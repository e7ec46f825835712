#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import LuaVM
internal import OpScriptRecord
internal import Scheduling

extension ScriptGlobals {
    /// The functions among the globals.
    static let functions: [ScriptMethod] = [
        .init("pawait", "op", scriptProtectedAwait),
        .init("sleep", "seconds", scriptSleep),
        .init("shield", "fn, args…", scriptShield),
        .init("async", "fn, args…", scriptAsync),
        Frames.function,
    ]
    static let await = ScriptMethod("await", "op", scriptAwait)
    /// The functions in the table `await`.
    static let awaitFunctions: [ScriptMethod] = [
        .init("all", "{ … }", scriptAwaitAll),
        .init("any", "{ … }", scriptAwaitAny),
        .init("settled", "{ … }", scriptAwaitSettled),
    ]
    static let memory = ScriptMethod("memory", "", scriptMemory)
    static let limits = ScriptMethod("limits", "", scriptLimits)

    /// Whether the functions of virtual time are hidden from the globals.
    private var hidesSimulation: Bool { configuration.clock == .system && !configuration.installsSimulation }

    /// Makes the types, the functions and the modules of the contract, and puts them where scripts find them.
    func installGlobals() {
        let state = vm.main
        let base = state.top
        state.newTable(fields: 24)
        let types = state.top
        typesTable = runtime.reference(to: types, state)
        ScriptConstructor.installAll(runtime, state, into: types)
        installAwait(state, into: types)
        state.pushValue(types)
        state.setMethods(
            Self.functions + [SecretBinding.function] + ArgumentsBinding.functions,
            areMethods: false
        )
        state.pop()
        WorkBinding.install(runtime, state, into: types)
        ClockBinding.install(state, into: types)
        IsolateBinding.install(state, into: types)
        JSONBinding.install(runtime, state)
        state.rawSet(types, "json")
        installPackage(state, types: types)
        installExit(state)
        state.forEachPair(types) { typeNames.append(state.string(-2) ?? "?") }
        if configuration.installsGlobals {
            state.pushNil()
            while state.nextUnchecked(types) {
                let name = state.string(-2) ?? "?"
                if hidesSimulation, Prelude.part(of: name)?.place == .globals {
                    state.pop()
                } else {
                    state.setGlobal(name)
                }
            }
            state.pushValue(types)
            state.setGlobal("opscript")
        }
        // This one is in the module only: as a global, the name would be too common.
        state.pushMethod(Self.memory, isMethod: false)
        state.rawSet(types, "memory")
        state.pushMethod(Self.limits, isMethod: false)
        state.rawSet(types, "limits")
        installSentinel(state)
        state.setTop(base)
    }

    private func installAwait(_ state: LuaState, into types: Int32) {
        ScriptConstructor.pushTable(state, Self.await, Self.awaitFunctions)
        state.rawSet(types, "await")
    }

    // MARK: Modules

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
        packageTable = runtime.reference(to: package, state)
        _ = state.rawGet(package, "loaded")
        state.pushValue(types)
        state.rawSet(-2, "opscript")
        _ = state.rawGet(types, "json")
        state.rawSet(-2, "json")
        state.pop()
        makePrelude(state, types: types)
        state.setTop(package - 1)
    }

    /// `require` looks beside the script first, then in the host's folders, then along `package.path`.
    ///
    /// These folders are not in `package.path`, which is the one of `lua5.4`, unless a driver runs the script.
    ///
    /// The script itself is none of the modules beside it: `require "tool"` in `bin/tool.lua` means another file.
    func setScript(folder: [UInt8]?, name: [UInt8]?) {
        let state = vm.main
        guard let packageTable, let preludeEnvironment, loadsModules else { return }
        let base = state.top
        defer { state.setTop(base) }
        let folders =
            (findsModulesOnDisk ? [folder].compactMap { $0 } : [])
            + configuration.moduleSearchPaths.map { Array($0.utf8) }
        var path: [UInt8] = []
        for folder in folders { path += folder + Array("/?.lua;".utf8) + folder + Array("/?/init.lua;".utf8) }
        guard runtime.run.driver != nil else {
            preludeEnvironment.push(state)
            state.push(bytes: path)
            state.rawSet(-2, "besides")
            state.push(bytes: (folder ?? []) + Array("/".utf8) + (name ?? []))
            return state.rawSet(-2, "script")
        }
        packageTable.push(state)
        let before = state.rawGet(-1, "path") == .string ? state.bytes(-1) ?? [] : []
        state.pop()
        if before.isEmpty { path = path.dropLast() } else { path += before }
        state.push(bytes: path)
        state.rawSet(-2, "path")
    }

    /// Whether `require` looks for files.
    var loadsModules: Bool { findsModulesOnDisk || !configuration.moduleSearchPaths.isEmpty }

    private var findsModulesOnDisk: Bool {
        configuration.libraries == .all || configuration.capabilities.contains(.modulesFromDisk)
    }

    // MARK: os.exit

    private func installExit(_ state: LuaState) {
        guard state.getGlobal("os") == .table else { return state.pop() }
        state.setMethods([Self.exit], areMethods: false)
        state.pop()
    }

    static let exit = ScriptMethod("exit", "[code] [, close]", scriptExit)
    static let exitText = "the script called os.exit"

    // MARK: Dropped operations

    /// Makes an object without references: its finalizer reports that a collection has ended.
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
        let isCounted = configuration.outputLimit != nil
        if configuration.hasTrace {
            vm.printer = { [unowned self] bytes in
                let line =
                    bytes.last == UInt8(ascii: "\n")
                    ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
                runtime.reporting.tell(.printed(line), at: scheduler.clock.now)
                guard mayWrite(bytes.count) else { return }
                if let sink { sink(Array(bytes)) } else { StandardStreams.writeOutput(bytes) }
            }
        } else if sink != nil || isCounted {
            vm.printer = { [unowned self] bytes in
                guard mayWrite(bytes.count) else { return }
                if let sink { sink(Array(bytes)) } else { StandardStreams.writeOutput(bytes) }
            }
        }
        if sink != nil || isCounted, !configuration.sharesStandardOutput { vm.captureOutput() }
    }

    /// Counts bytes that a script is about to write. At the limit, Lua is stopped, and the caller must not
    /// write them.
    private func mayWrite(_ count: Int) -> Bool {
        if link.meter.mayWrite(count) { return true }
        vm.interrupt(.output)
        return false
    }

    /// Flushes what the script wrote by Lua's own library, if Lua has run since the last time.
    ///
    /// It is not called for nothing: the streams belong to the whole process. While a thread flushes them, the program
    /// may end, and the C library then writes the text once more: `exit` takes no locks.
    func flushOutput() {
        guard runtime.bodies.ranSinceFlush || runtime.bodies.running != nil else { return }
        runtime.bodies.ranSinceFlush = false
        if configuration.libraries == .all || configuration.standardOutput == nil {
            StandardStreams.flushLibrary()
            runtime.vm.flushFiles()
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
    guard !runtime.run.isClosing else { return 0 }
    runtime.operations.collectionEnded()
    runtime.vm.cycleEnded()
    runtime.globals.installSentinel(LuaState(raw))
    return 0
}

/// `os.exit([code [, close]])`. As in Lua, close variables run only if `close` is true; so do, in the command,
/// finalizers.
func scriptExit(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let code: Int32
        switch state.type(1) {
        case .none, .nil: code = 0
        case .boolean: code = state.boolean(1) ? 0 : 1
        default:
            guard let number = state.convertedInteger(1) else {
                throw LuaRaise(
                    argument: 1,
                    "integer or boolean expected, got \(runtime.operations.kindName(state, 1))"
                )
            }
            code = Int32(truncatingIfNeeded: number & 0xff)
        }
        // A finalizer that runs because the Lua state is being closed only ends itself.
        if runtime.run.isClosing { throw LuaRaise(ErrorValue(.cancelled, ScriptGlobals.exitText)) }
        runtime.runState.exitRequest = code
        runtime.runState.exitCloses = state.boolean(2)
        if !runtime.runState.exitCloses {
            runtime.vm.leave()
        } else if runtime.vm.isFinalizing {
            // The error below ends the finalizer alone, not the code during which it runs.
            runtime.vm.interrupt(.exit)
        }
        // Nothing catches the error that unwinds the stack.
        runtime.bodies.current?.isTerminating = true
        runtime.vm.isTerminating = true
        throw LuaRaise(ErrorValue(.cancelled, ScriptGlobals.exitText))
    }
}

/// `opscript.memory()`: the bytes in use by Lua, those that the script's objects hold outside of it, and both.
private func scriptMemory(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let vm = runtime(raw).vm
    let (total, native) = (vm.memoryInUse, vm.nativeMemoryInUse)
    state.newTable(fields: 3)
    for (name, bytes) in [("lua", total - native), ("native", native), ("total", total)]
        as [(StaticString, Int)]
    {
        state.push(bytes)
        state.rawSet(-2, name)
    }
    return 1
}

/// `async(fn, ...)`
private func scriptAsync(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard runtime.waits.isCallable(state, 1) else {
            throw LuaRaise(argument: 1, "function expected, got \(runtime.operations.kindName(state, 1))")
        }
        let count = state.top
        let view = runtime.operations.newOperation(state, .main, .invocation)
        let made = state.top
        // Stored as an invocation without a target: the function, and its arguments from the third place on.
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
        state.setValue(.body, of: view, at: made)
        runtime.operations.set(name: "async", of: view, at: made, state)
        try runtime.operations.submit(state, made...made, to: runtime.queues.standardQueue)
        state.setTop(made)
        return 1
    }
}

/// Source text on disk.
enum SourceFile {
    /// The reason for which a file cannot be read, in words.
    static func reason(_ failure: SystemFailure) -> String {
        failure.code == ENOENT ? "no such file" : failure.description
    }

    /// The bytes of a file.
    static func read(_ path: String) throws(SystemFailure) -> [UInt8] {
        let descriptor = RawText.withCString(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw SystemFailure(code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { throw SystemFailure(code: errno) }
            if count == 0 { return bytes }
            guard MemoryPace().allows(growing: bytes, by: count) else { throw SystemFailure(code: ENOMEM) }
            bytes += buffer[..<count]
        }
    }
}
