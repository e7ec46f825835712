internal import LuaVM

/// A Lua state in which isolates run one after the other, on any thread.
final class IsolateMachine {
    let vm: LuaVM
    let dataMetatable: LuaMetatable
    let objectMetatable: LuaMetatable
    let sharedObjects: SharedObjects
    private let nullObject: LuaReference
    private let arrayMark: LuaReference
    /// How many bytes it used when it was new.
    private let initialMemory: Int
    private let meter: LimitMeter
    /// How many bytes of the script's memory this state may use; the meter counts them.
    private var granted: Int
    private let takeCoverage: (@Sendable ([ScriptCoverage]) -> Void)?

    /// - Parameter refusedNames: Globals that raise an error when they are read.
    /// - Throws: Code `limit`, if the script has no memory left for a state.
    init(
        _ configuration: ScriptEngine.Configuration,
        _ meter: LimitMeter,
        _ secrets: Secrets,
        refusedNames: [String]
    ) throws(ScriptError) {
        var lua = configuration.libraries == .all ? LuaConfiguration.full : LuaConfiguration()
        lua.loadsNativeModules = configuration.capabilities.contains(.nativeModules)
        lua.loadsBinaryChunks = configuration.capabilities.contains(.binaryChunks)
        lua.ignoresEnvironment = configuration.ignoresEnvironment
        lua.isHostile = configuration.isHostile
        if meter.countsHandles { lua.handles = meter }
        vm = LuaVM(lua)
        takeCoverage = configuration.coverage
        dataMetatable = IsolateValues.makeDataMetatable(vm)
        objectMetatable = IsolateValues.makeObjectMetatable(vm)
        nullObject = ScriptGlobals.makeNull(vm)
        arrayMark = ScriptGlobals.makeArrayMark(vm)
        sharedObjects = SharedObjects(vm)
        vm.seal(refusing: refusedNames)
        initialMemory = vm.memoryInUse
        self.meter = meter
        try meter.keep(initialMemory)
        granted = initialMemory
        if meter.countsMemory {
            vm.setMemoryLimit(initialMemory)
            vm.moreMemory = { [unowned self] wanted in grant(wanted) }
        }
        vm.host = Unmanaged.passUnretained(self).toOpaque()
        vm.limitPusher = { state, limit in
            let text =
                switch limit {
                case .memory: "the isolate used more memory than its limit"
                case .time: "the isolate was stopped"
                case .instructions: "the isolate executed more instructions than its limit"
                case .output:
                    "the run wrote more output than its limit (\(configuration.outputLimit ?? 0) bytes)"
                case .files: meter.files.message
                case .processes: meter.processes.message
                case .exit: ScriptGlobals.exitText
                }
            state.push(error: ScriptError.engineLimit(text))
        }
        if configuration.standardOutput != nil || configuration.outputLimit != nil {
            let sink = configuration.standardOutput
            vm.printer = { [unowned vm] bytes in
                guard meter.mayWrite(bytes.count) else {
                    vm.interrupt(.output)
                    return
                }
                if let sink { sink(Array(bytes)) } else { StandardStreams.writeOutput(bytes) }
            }
            if !configuration.sharesStandardOutput { vm.captureOutput() }
        }
        if takeCoverage != nil { vm.startCoverage() }
        if let sink = configuration.standardError {
            vm.warner = { [secrets] in sink("warning: \(secrets.hidden(in: $0))") }
        }
    }

    deinit { meter.release(granted) }

    /// Takes bytes of the script's memory for this state, in large steps; 0 if there are not enough.
    private func grant(_ wanted: Int) -> Int {
        let step = max(wanted, 256 << 10)
        do throws(ScriptError) { try meter.keep(step) } catch { return 0 }
        granted += step
        return step
    }

    /// Gives back the memory that the state does not need between two calls.
    private func giveBackMemory() {
        guard meter.countsMemory, granted > max(vm.memoryInUse, initialMemory) else { return }
        let needed = max(vm.memoryInUse, initialMemory)
        meter.release(granted - needed)
        granted = needed
        vm.setMemoryLimit(needed)
    }

    /// Whether the next isolate may run here: the isolates before have left nothing behind, and not too much memory.
    var isReusable: Bool {
        if vm.isTainted { return false }
        if vm.memoryInUse > initialMemory + (1 << 20) { vm.collectGarbage() }
        giveBackMemory()
        return vm.memoryInUse <= initialMemory + (1 << 20)
    }

    /// Calls a copy of a function.
    ///
    /// - Throws: `IsolateFailure`; `CancellationError` if it was stopped.
    func call(
        _ capture: LuaCapture,
        _ arguments: [ScriptValue],
        _ thread: ThreadIdentity?,
        _ stopper: LuaStopper
    ) throws -> [ScriptValue] {
        let state = vm.main
        defer {
            state.setTop(0)
            vm.drainReleases()
        }
        // Coverage is reported after each call, because the moment at which the state is closed is not known.
        defer { handOutCoverage() }
        guard stopper.enter() else { throw CancellationError() }
        defer { stopper.leave() }
        vm.pushFreshGlobals()
        if let thread { showThread(thread, state) }
        state.pop()
        do throws(LuaError) {
            try capture.push(vm) { value, state in
                if let value = value as? ScriptValue { self.push(value, state) } else { state.pushNil() }
            }
            guard state.ensureSpace(Int32(clamping: arguments.count) + 10) else {
                throw LuaError(.runtime, "too many arguments for an isolate")
            }
            for argument in arguments { push(argument, state) }
            // An interruption that came during earlier Lua code is lost, so the stop is checked here.
            if stopper.isStopped { throw LuaError(.runtime, "stopped") }
            try state.call(arguments: Int32(clamping: arguments.count), results: LuaState.allResults)
        } catch {
            if stopper.isStopped {
                vm.isTainted = true
                throw CancellationError()
            }
            throw failure(error, state)
        }
        return try results(state, capture)
    }

    private func handOutCoverage() {
        guard let takeCoverage else { return }
        takeCoverage(vm.coverage)
        vm.resetCoverage()
    }

    /// Sets `Thread.current`, as a plain table, in the globals on top.
    private func showThread(_ thread: ThreadIdentity, _ state: LuaState) {
        state.newTable(fields: 1)
        state.newTable(fields: 3)
        state.push(thread.name)
        state.rawSet(-2, "name")
        state.push(thread.number)
        state.rawSet(-2, "number")
        state.push(false)
        state.rawSet(-2, "isMainThread")
        state.rawSet(-2, "current")
        state.rawSet(-2, "Thread")
    }

    private func results(_ state: LuaState, _ capture: LuaCapture) throws(IsolateFailure) -> [ScriptValue] {
        var values: [ScriptValue] = []
        var reader = ValueReader(self, state)
        for index in stride(from: Int32(1), through: state.top, by: 1) {
            do throws(ScriptConversionError) {
                values.append(try reader.read(index))
            } catch {
                throw IsolateFailure(
                    code: error.code,
                    message: "\(capture.place): bad result #\(index) of an isolate (\(error.description))"
                )
            }
        }
        return values
    }

    private func failure(_ error: LuaError, _ state: LuaState) -> IsolateFailure {
        if error.code == .memory {
            vm.isTainted = true
            return IsolateFailure(
                code: .limit,
                message: meter.countsMemory
                    ? "the isolate used more memory than its limit"
                    : "the isolate needs more memory than is left",
                endsRun: meter.countsMemory,
                frames: error.frames
            )
        }
        if let limit = error.underlying as? ScriptError {
            if limit.code == .limit { vm.isTainted = true }
            return IsolateFailure(
                code: limit.code,
                message: limit.message,
                endsRun: limit.endsRun,
                frames: error.frames
            )
        }
        var failure = IsolateFailure(code: .failed, message: error.message, frames: error.frames)
        guard let value = error.value else { return failure }
        value.push(state)
        if state.isTable(-1) {
            var reader = ValueReader(self, state)
            // An error that cannot be copied is reported by its text.
            failure.table = try? reader.read(-1)
        }
        state.pop()
        return failure
    }
}

extension IsolateMachine: ValueWorld {
    static let home = "an isolate"

    func isOperation(_ state: LuaState, _ index: Int32) -> Bool { false }

    func resultBox(_ state: LuaState, _ index: Int32) -> ResultBox { ResultBox() }

    func isNull(_ state: LuaState, _ index: Int32) -> Bool {
        nullObject.push(state)
        defer { state.pop() }
        return state.rawEqual(-1, index < 0 ? index - 1 : index)
    }

    func isMarkedArray(_ state: LuaState, _ index: Int32) -> Bool {
        guard let identity = state.metatableIdentity(index) else { return false }
        arrayMark.push(state)
        defer { state.pop() }
        return state.identity(-1) == identity
    }

    func errorText(_ state: LuaState, _ index: Int32) -> String? {
        state.swiftError(index).map { String(describing: $0) }
    }

    func kindName(_ state: LuaState, _ index: Int32) -> String { state.typeName(index) }

    func pushNull(_ state: LuaState) { nullObject.push(state) }

    func markArray(_ state: LuaState) {
        arrayMark.push(state)
        state.setMetatable(-2)
    }
}
