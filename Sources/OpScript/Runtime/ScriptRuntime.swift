internal import LuaVM
internal import Scheduling

/// Everything that is confined to the script thread, in parts that own their state.
///
/// The runtime itself only makes the parts and wires them. Each part has a folder of its name; the first
/// comment of its type says what it owns and which code may call it. A part holds the parts below it that it
/// calls.
final class ScriptRuntime {
    private let foundation: RuntimeFoundation

    // The parts, from bottom to top: a part calls the parts above it as rarely as possible.

    let works: Works
    let globals: ScriptGlobals
    let virtualTime: VirtualTime
    let reporting: Reporting
    let queues: Queues
    let operations: Operations
    let observers: Observers
    let waits: Waits
    let frames: Frames
    let bodies: Bodies
    let timers: Timers
    let sources: EventSources
    let dispatch: DispatchObjects
    let threads: Threads
    let journaling: Journaling
    let hostObjects: HostObjects
    let arguments: ScriptArguments
    let loop: ScriptLoop
    let run: ScriptRun

    /// - Parameter readerWaker: Called on any thread to summon the reader, instead of waking a thread that sleeps.
    init(
        configuration: ScriptEngine.Configuration,
        catalogue: WorkCatalogue,
        link: ScriptLink,
        readerWaker: (@Sendable () -> Void)? = nil
    ) {
        let vm = LuaVM(Self.lua(configuration, link.meter))
        let scheduler = Scheduler(Self.scheduling(configuration, readerWaker, link))
        scheduler.visit { $0.readerDecidesSkips() }
        let foundation = RuntimeFoundation(configuration, scheduler, vm, link)
        self.foundation = foundation
        vm.errorObjectMetatable = foundation.metatables.error
        works = Works(foundation, catalogue)
        globals = ScriptGlobals(foundation)
        virtualTime = VirtualTime(foundation, works: works)
        reporting = Reporting(foundation)
        queues = Queues(foundation, globals: globals)
        operations = Operations(
            foundation,
            works: works,
            virtualTime: virtualTime,
            reporting: reporting,
            queues: queues
        )
        observers = Observers(foundation, globals: globals, queues: queues, operations: operations)
        waits = Waits(foundation, operations: operations)
        frames = Frames(foundation, operations: operations)
        bodies = Bodies(
            foundation,
            virtualTime: virtualTime,
            queues: queues,
            operations: operations,
            observers: observers,
            waits: waits
        )
        timers = Timers(
            foundation,
            virtualTime: virtualTime,
            reporting: reporting,
            queues: queues,
            operations: operations,
            bodies: bodies
        )
        sources = EventSources(
            foundation,
            globals: globals,
            queues: queues,
            operations: operations,
            bodies: bodies
        )
        dispatch = DispatchObjects(
            foundation,
            queues: queues,
            operations: operations,
            waits: waits,
            bodies: bodies
        )
        threads = Threads(foundation, works: works, globals: globals, operations: operations, waits: waits)
        journaling = Journaling(foundation, operations: operations, threads: threads)
        hostObjects = HostObjects(foundation)
        arguments = ScriptArguments(foundation)
        loop = ScriptLoop(
            foundation,
            virtualTime: virtualTime,
            queues: queues,
            operations: operations,
            waits: waits,
            bodies: bodies,
            timers: timers,
            sources: sources
        )
        run = ScriptRun(foundation)
        let parts: [RuntimePart] = [
            loop, run, operations, bodies, waits, frames, queues, dispatch, timers, sources, observers,
            threads,
            works, journaling,
            hostObjects, arguments, globals, virtualTime, reporting,
        ]
        for part in parts { part.join(self) }
        reporting.outlet.join(self)
        connectLua()
        globals.installPrint()
        globals.beginCoverage()
        globals.installGlobals()
        if let seed = configuration.chanceSeed { virtualTime.controlChance(seed) }
        if configuration.listsDeclarations { ListingGuard.install(vm.main) }
        // From here on scripts run.
        vm.setMemoryLimit(configuration.memoryLimit ?? 0)
        vm.setInstructionLimit(configuration.instructionLimit.map { max(1, $0) } ?? 0)
    }

    var configuration: ScriptEngine.Configuration { _read { yield foundation.configuration } }
    var scheduler: Scheduler { foundation.scheduler }
    var vm: LuaVM { foundation.vm }
    var metatables: Metatables { foundation.metatables }
    var link: ScriptLink { foundation.link }
    var agenda: Agenda { foundation.agenda }
    var runState: RunState { foundation.runState }

    // MARK: Entry points. The caller retains the runtime until the call returns.

    /// Serves requests until there are none, or until it would have to wait although it must not.
    ///
    /// - Parameters:
    ///   - end: The moment until which it may continue, on the system's clock; nil for no limit.
    ///   - pauses: Whether code that still runs at that moment is paused in the middle, and continues with the next
    ///   call.
    ///   - patience: How long it may sleep on the calling thread, in nanoseconds.
    func pump(until end: Int64? = nil, pauses: Bool = false, patience: Int64) -> ScriptPause {
        loop.patience = patience
        agenda.budgetEnd = end ?? .max
        agenda.pausesAtBudgetEnd = pauses
        defer { globals.flushOutput() }
        return EngineScope.run(in: link) { run.pump() }
    }

    /// Calls a closure that may run Lua, without a limit of time.
    func perform<Value>(_ body: (ScriptRuntime) throws -> Value) rethrows -> Value {
        agenda.budgetEnd = .max
        agenda.pausesAtBudgetEnd = false
        bodies.watch.enter()
        defer {
            bodies.watch.leave()
            globals.flushOutput()
        }
        return try EngineScope.run(in: link) { try body(self) }
    }

    /// Closes the Lua state. Nothing is called after this.
    func close() { run.close() }

    private static func scheduling(
        _ configuration: ScriptEngine.Configuration,
        _ readerWaker: (@Sendable () -> Void)?,
        _ link: ScriptLink
    ) -> Scheduler.Configuration {
        var setup = Scheduler.Configuration()
        setup.workers = configuration.workers
        setup.jobLimit = configuration.jobLimit
        setup.seed = configuration.chanceSeed
        if configuration.clock == .manual { setup.clock = .virtual() }
        if configuration.clock == .virtual {
            setup.clock = .virtual()
            setup.executor = .simulated(seed: configuration.chanceSeed ?? 0)
            // The number of cores must not be visible.
            setup.workers = configuration.workers ?? Simulation.workers
        }
        setup.recordsFacts = configuration.needsRecording
        setup.holdsQueues = configuration.plansOnly
        if configuration.plansOnly { setup.executor = .simulated(seed: configuration.chanceSeed ?? 0) }
        setup.plantedDefect = configuration.control.plantedDefect
        setup.readerWaker = readerWaker
        setup.threadScope = { life in EngineScope.run(in: link, life) }
        return setup
    }

    private static func lua(_ configuration: ScriptEngine.Configuration, _ meter: LimitMeter)
        -> LuaConfiguration
    {
        var lua = configuration.libraries == .all ? LuaConfiguration.full : LuaConfiguration()
        lua.loadsNativeModules = configuration.capabilities.contains(.nativeModules)
        lua.loadsBinaryChunks = configuration.capabilities.contains(.binaryChunks)
        lua.isHostile = configuration.isHostile
        lua.isReproducible = configuration.chanceSeed != nil
        // No limit can stop a finalizer that a script has written.
        lua.refusesFinalizers =
            !configuration.keepsFinalizers
            && configuration.stopsLua
        lua.boundsPatterns = configuration.stopsLua
        lua.ignoresEnvironment = configuration.ignoresEnvironment
        if meter.countsHandles { lua.handles = meter }
        return lua
    }

    /// Installs what the Lua state needs from its host.
    private func connectLua() {
        vm.host = Unmanaged.passUnretained(self).toOpaque()
        vm.errorPusher = { [unowned self] state, error in push(makeErrorValue(error), state) }
        vm.errorReader = { [unowned self] state, index in
            errorValue(state, index).map { $0.underlying ?? $0 }
        }
        vm.limitPusher = { [unowned self] state, limit in pushLimit(limit, state) }
        vm.errorTextPusher = { [unowned self] state, index in
            state.push(errorValue(state, index)?.message ?? "error")
        }
        vm.beforeCollection = { [unowned self] in operations.holdNewOnesWeakly() }
        vm.warner = { [unowned self] text in diagnose("warning: \(text)") }
    }

    /// Writes a line of diagnosis, without secrets.
    func diagnose(_ line: String) {
        globals.flushOutput()
        let line = link.secrets.hidden(in: line)
        if let sink = configuration.standardError { return sink(line) }
        StandardStreams.writeError(line)
    }

    /// Reports an error that follows the one which ends the run.
    func diagnose(_ error: ErrorValue) {
        guard let sink = configuration.laterErrors else { return diagnose(error.message) }
        globals.flushOutput()
        sink(error.scriptError(hiding: link.secrets))
    }

    func pushLimit(_ limit: LuaLimit, _ state: LuaState) {
        let text =
            switch limit {
            case .memory:
                "the script used more memory than its limit (\(configuration.memoryLimit ?? 0) bytes)"
            case .time:
                switch bodies.timeWatch?.reason {
                case .run: run.runLimitText
                case .grace: "the run did not end within its grace period"
                case .loop: "interrupted, because the run was cancelled and this code did not wait"
                case .person: "interrupted"
                case .slice, nil: run.sliceLimitText
                }
            case .output:
                "the run wrote more output than its limit (\(configuration.outputLimit ?? 0) bytes)"
            case .instructions:
                "the script executed more instructions than its limit (\(configuration.instructionLimit ?? 0)) "
                    + "without a wait"
            case .files: link.meter.files.message
            case .processes: link.meter.processes.message
            case .exit: ScriptGlobals.exitText
            }
        // Recorded where the limit was met: an error of the allocator has left that place by now.
        let frames = vm.recordedFrames
        let place = frames.first { $0.line != nil && !ScriptRun.isOwn($0.source) }
        let located = place.flatMap { frame in frame.line.map { "\(frame.source):\($0): \(text)" } }
        let reason = limit == .time ? bodies.timeWatch?.reason : nil
        let isCancellation = reason == .loop || reason == .person || limit == .exit
        // A cancellation is no error of the report, and the place of the loop would be lost.
        if reason == .loop, !runState.hasToldInterruption {
            runState.hasToldInterruption = true
            diagnose(located ?? text)
        }
        push(ErrorValue(isCancellation ? .cancelled : .limit, located ?? text, frames: frames), state)
    }
}
