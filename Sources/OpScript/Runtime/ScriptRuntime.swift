internal import LuaVM
internal import Scheduling
internal import Synchronization

/// Everything that is confined to the script thread: the Lua state, the script's picture of its operations, the turns.
///
/// Files beside this one add one facet each: the loop, events, tasks, errors, bindings.
final class ScriptRuntime {
    let configuration: ScriptEngine.Configuration
    let catalogue: WorkCatalogue
    let scheduler: Scheduler
    let vm: LuaVM
    let metatables: Metatables
    let link: ScriptLink

    /// Userdata of new and of submitted operations, by slot + 1: they live without references.
    let anchors: AnchorTable
    /// Userdata of operations that were not submitted soon after they were made, by slot + 1, weakly.
    let handles: LuaReference
    /// Userdata of host objects, errors and such, by address, weakly.
    let sharedObjects: LuaReference
    let nullObject: LuaReference
    let arrayMark: LuaReference

    let entries = OperationTable()
    let heap = HeapReserve()
    let freeIDs = IdentityList()
    let releasedIDs = IdentityList()
    var releasedBodies: [any OperationBody] = []
    /// Operations that were made a moment ago.
    let newIDs = IdentityList()
    let queues = QueueTable()
    /// Views of the host's queues, by name.
    var adopted: [String: ScriptQueue] = [:]
    /// Operations of other schedulers that are ended there.
    var foreigners: Set<OperationID> = []
    let mainQueue: ScriptQueue
    let standardQueue: ScriptQueue

    /// A copy of the catalogue, and of which revision.
    var definitions: [WorkDefinition] = []
    var definitionsRevision = -1
    /// What scripts do under virtual time instead of running Swift closures; nil on the real clock.
    let simulation: Simulation?

    let turns = TurnQueue()
    /// The task that runs; whoever runs one holds it meanwhile.
    var running: Unmanaged<ScriptTask>?
    var current: ScriptTask? { running?.takeUnretainedValue() }
    /// The operation whose completion block was called last in a series of them.
    var served: OperationID?
    let idleTasks = IdleTasks()
    /// What happened elsewhere, and what of it was not taken in yet.
    let events = PlainBuffer<SchedulerEvent>()
    var nextEvent = 0
    /// When those events were fetched: near enough to when they happened.
    var momentOfEvents: Int64 = 0
    var statusPublishedAt: Int64 = 0
    private let countsMemory = PlainMemory(OperationCounts())
    private let dueTimesMemory = PlainMemory(TimerHeap<Due>())
    /// What is due and has been taken from there, while it is looked at.
    var dueItems: [Due] = []
    /// How many turns have to be taken before more of what is due.
    var endOfDue = 0
    let timers: TimerTable
    let taskAnchors: TaskAnchors
    let sources = SourceTable()
    let waits = WaitList()
    /// The waits of `await.any`, by task, which tell who was first.
    var anyWaits: [ObjectIdentifier: Wait] = [:]
    var shields = Shields()
    var nextWaitSequence: UInt64 = 0
    /// The number of the observation that was made last of those whose functions lie with what they observe.
    var lastObservation = 0
    /// Operations that were told to stop and hold on, with the moment when they were told.
    var stopping: [OperationID: Int64] = [:] {
        didSet { hasStopping = !stopping.isEmpty }
    }
    private(set) var hasStopping = false
    /// Operations that were started outside any queue and have not finished.
    var startedByHand: Set<OperationID> = []
    /// How many operations have not finished whose run has ended without them.
    var abandonedCount = 0
    var resources: [String: Int] = [:]
    var warnedAboutThreadPriority = false
    var warnedOfMissingThreads = false

    /// What happens, as text; nil where nobody wants it.
    let trace: ScriptTrace?
    /// What no seed can control and was named by a warning.
    var namedUncontrolled: Set<String> = []
    /// Whom to tell of operations; nil where the host has no backend for that.
    var telemetry: Telemetry?
    /// Whom to tell of what is submitted in nobody else's name: of the run, or of the last request.
    var audience: TelemetryAudience?
    /// Those of the last audience.
    var meters: OperationMeters?
    /// What runs the script instead of this; nil for most.
    var driver: DriverPart?
    /// What becomes of the run.
    var report = ScriptReport()
    var failureIndices: [OperationID: Int] = [:]
    var neverAddedDropped: [String] = []
    /// Interrupts what runs, from other threads.
    let watch: LuaWatch
    /// Watches how long Lua runs, where that has a limit.
    let sliceWatch: SliceWatch?
    /// What subscribers are told next.
    let gatheredEvents: PlainMemory<EventGatherer>
    var timerCount: UInt64 = 0
    /// The engine is to end.
    var isStopping = false
    /// What it is open for.
    var session = ScriptSession.none
    /// Requests of the host that have begun and are not answered.
    var asks: [ObjectIdentifier: (Ask, ScriptTask)] = [:]
    /// Starts `async` closures as the caller of the run would.
    var taskSpawner: TaskSpawner?
    /// Whether it may sleep on its thread; else it says what it waits for.
    var parks = true
    /// Until when it may go on, on the system's clock.
    var budgetEnd = Int64.max
    var isCancelled = false
    var mainChunkEnded = false
    var exitRequest: Int32?
    var runStartedAt: Int64 = 0
    var scriptName: String?
    var scriptFolder: String?
    var isClosing = false
    /// Progress whose observers are told soon.
    var pendingProgress: [ObjectIdentifier: ScriptProgress] = [:]
    /// Waits of `clock.run()`.
    var clockRuns: [Wait] = []
    var operationType: LuaReference?
    /// What the parts of the contract that are written in Lua see as their globals.
    var preludeEnvironment: LuaReference?
    /// The concurrent queues of everybody, by quality of service.
    var globalQueues: [OperationQualityOfService: ScriptQueue] = [:]
    var packageTable: LuaReference?
    /// The states in which isolates run.
    private(set) lazy var isolates = IsolatePool(configuration, refusedNames: typeNames)
    /// Threads that execute, by number.
    var threads: [Int: ScriptedThread] = [:]
    /// The script thread has number 1.
    var lastThreadNumber = 1
    let mainThread = ScriptedThread(nil, number: 1, name: "main", place: .unknown)
    /// Names of Lua's libraries and their functions by address, once an isolate needed them.
    var libraryNames: [UnsafeRawPointer: String]?
    /// What scripts see of OpScript, by name.
    var typeNames: [String] = []
    /// All that `require "opscript"` gives.
    var typesTable: LuaReference?
    /// Types of the host's, in the order in which they were exposed.
    var exposures: [Exposure] = []
    /// The same by the types of instances that were met; nil where nothing is exposed of them.
    var exposuresByType: [ObjectIdentifier: Exposure?] = [:]
    /// Set by the sentinel's finalizer: some operations may have been dropped.
    var sweepIsDue = false

    /// What is due at a time on the script thread.
    enum Due {
        case wait(Wait)
        case timer(TimerID)
        case source(ScriptSource)
        case sleep(OperationID)
        /// A delayed body begins.
        case begin(OperationID)
        /// A body that takes no time runs.
        case body(OperationID)
        case stubborn
        case progress(ScriptProgress)
    }

    /// - Parameter readerWaker: Called on any thread where the reader is to come, instead of a thread that sleeps.
    init(
        configuration: ScriptEngine.Configuration,
        catalogue: WorkCatalogue,
        link: ScriptLink,
        readerWaker: (@Sendable () -> Void)? = nil
    ) {
        self.configuration = configuration
        self.catalogue = catalogue
        let isVirtual = configuration.clock == .virtual
        simulation = isVirtual ? Simulation(configuration.control, seed: configuration.chanceSeed ?? 0) : nil
        gatheredEvents = PlainMemory(EventGatherer(isOnVirtualTime: isVirtual))
        trace = configuration.trace.map { ScriptTrace($0) }
        if trace != nil { link.events.watch() }
        self.link = link
        var setup = Scheduler.Configuration()
        setup.workers = configuration.workers
        setup.jobLimit = configuration.jobLimit
        setup.seed = configuration.chanceSeed
        if isVirtual {
            setup.clock = .virtual()
            setup.executor = .simulated(seed: configuration.chanceSeed ?? 0)
            // The number of cores must not show.
            setup.workers = configuration.workers ?? Simulation.workers
        }
        setup.plantedDefect = configuration.control.plantedDefect
        setup.readerWaker = readerWaker
        scheduler = Scheduler(setup)
        var lua = configuration.libraries == .all ? LuaConfiguration.full : LuaConfiguration()
        lua.isHostile = configuration.isHostile
        lua.isReproducible = configuration.chanceSeed != nil
        // No limit can stop a finalizer that a script has written.
        lua.refusesFinalizers =
            !configuration.keepsFinalizers
            && (configuration.sliceLimit != nil || configuration.instructionLimit != nil)
        lua.boundsPatterns = configuration.sliceLimit != nil || configuration.instructionLimit != nil
        lua.largeBlocks = .fromSupply
        vm = LuaVM(lua)
        let watch = LuaWatch(vm)
        self.watch = watch
        sliceWatch = configuration.sliceLimit.map { SliceWatch(watch, limit: $0) }
        link.setStopHandler { watch.stop() }
        metatables = Metatables(vm)
        vm.errorObjectMetatable = metatables.error
        anchors = AnchorTable(table: Self.makeTable(vm, weak: nil))
        handles = Self.makeTable(vm, weak: "v")
        sharedObjects = Self.makeTable(vm, weak: "v")
        timers = TimerTable(anchors: AnchorTable(table: Self.makeTable(vm, weak: nil)))
        taskAnchors = TaskAnchors(table: Self.makeTable(vm, weak: nil))
        nullObject = Self.makeNull(vm)
        arrayMark = Self.makeArrayMark(vm)
        let main = scheduler.feed { $0.queueCreated(isMain: true) }
        let standard = scheduler.feed { $0.queueCreated() }
        mainQueue = ScriptQueue(id: main, kind: .main, name: "main", width: 1)
        standardQueue = ScriptQueue(id: standard, kind: .standard, name: "default", width: -1)
        queues.add(mainQueue)
        queues.add(standardQueue)
        vm.host = Unmanaged.passUnretained(self).toOpaque()
        vm.errorPusher = { [unowned self] state, error in self.push(self.makeErrorValue(error), state) }
        vm.errorReader = { [unowned self] state, index in
            self.errorValue(state, index).map { $0.underlying ?? $0 }
        }
        vm.limitPusher = { [unowned self] state, limit in self.pushLimit(limit, state) }
        vm.errorTextPusher = { [unowned self] state, index in
            state.push(self.errorValue(state, index)?.message ?? "error")
        }
        vm.beforeCollection = { [unowned self] in self.holdNewOnesWeakly() }
        vm.warner = { [unowned self] text in self.diagnose("warning: \(text)") }
        installPrint()
        beginCoverage()
        installGlobals()
        if let seed = configuration.chanceSeed { controlChance(seed) }
        // From here on scripts run.
        vm.setMemoryLimit(configuration.memoryLimit ?? 0)
        vm.setInstructionLimit(configuration.instructionLimit.map { max(1, $0) } ?? 0)
    }

    private static func makeTable(_ vm: LuaVM, weak mode: String?) -> LuaReference {
        let state = vm.main
        state.newTable()
        if let mode {
            state.newTable()
            state.push(mode)
            state.rawSet(-2, "__mode")
            state.setMetatable(-2)
        }
        return vm.makeReference(state)
    }

    /// Writes a line for people.
    func diagnose(_ line: String) {
        flushOutput()
        if let sink = configuration.standardError { return sink(line) }
        StandardStreams.writeError(line)
    }

    func pushLimit(_ limit: LuaLimit, _ state: LuaState) {
        let text =
            switch limit {
            case .memory: "the script used more memory than its limit"
            case .time: "the script ran longer than its limit without a wait"
            case .instructions: "the script executed more instructions than its limit without a wait"
            }
        push(
            ErrorValue(.limit, located(text, state, level: 0), frames: vm.currentFrames(state, level: 0)),
            state
        )
    }

    // MARK: What changes with every operation

    /// How many operations were added to queues, and how they ended.
    var counts: OperationCounts {
        @inline(__always) _read { yield countsMemory.value }
        @inline(__always) _modify { yield &countsMemory.value }
    }

    /// Sleeps, time limits of waits, timers.
    var dueTimes: TimerHeap<Due> {
        @inline(__always) _read { yield dueTimesMemory.value }
        @inline(__always) _modify { yield &dueTimesMemory.value }
    }

    // MARK: Operations

    /// The entry of an operation that is known here.
    @inline(__always)
    func entry(_ id: OperationID) -> UnsafeMutablePointer<OperationEntry>? { entries.entry(id) }

    func attachment(_ id: OperationID) -> OperationAttachment {
        guard let entry = entry(id) else { preconditionFailure("an operation without an entry") }
        if let attachment = entry.pointee.attachment { return attachment }
        let attachment = OperationAttachment()
        entry.pointee.attachment = attachment
        return attachment
    }

    /// The queue that an operation was added to.
    @inline(__always)
    func queue(of block: OperationPointer) -> ScriptQueue? {
        guard block.pointee.queue >= 0, let queue = queues[UInt32(block.pointee.queue)] else { return nil }
        return queue.number == block.pointee.queueNumber ? queue : nil
    }

    /// Calls a closure with the queue that an operation was added to, without counting references to it.
    ///
    /// The closure must not run the script, which might drop the queue.
    @inline(__always)
    func withQueue<Result>(of block: OperationPointer, _ body: (ScriptQueue) -> Result) -> Result? {
        let result = queues.with(block.pointee.queue) { queue in
            queue.number == block.pointee.queueNumber ? body(queue) : nil
        }
        return result ?? nil
    }

    /// The block of the operation at an index; nil for anything else.
    @inline(__always)
    func operation(_ state: LuaState, _ index: Int32) -> OperationPointer? {
        state.userdata(index, metatables.operation)?.assumingMemoryBound(to: OperationBlock.self)
    }

    func releaseIDs() {
        guard releasedIDs.count > 0 else { return }
        scheduler.visit { core in
            while let id = releasedIDs.pop() {
                if let body = core.takeBody(id.slot) { releasedBodies.append(body) }
                core.operationReleased(id)
            }
        }
        // What bodies hold is the host's, and goes outside the lock.
        releasedBodies.removeAll(keepingCapacity: true)
    }

    // MARK: Descriptions

    /// Where an operation was made: `job.lua:7`.
    func createdAt(_ block: OperationPointer) -> String {
        vm.describe(LuaPlace(source: block.pointee.source, line: block.pointee.line)) ?? "?"
    }

    /// The name of an operation that is not forgotten yet.
    func name(_ block: OperationPointer) -> String {
        guard block.pointee.flags.contains(.hasName) else { return defaultName(block) }
        let state = vm.main
        defer { state.pop() }
        guard pushOperation(block.pointee.id, state) else { return defaultName(block) }
        return name(state, -1, block)
    }

    /// The name of the operation at an index.
    func name(_ state: LuaState, _ index: Int32, _ block: OperationPointer) -> String {
        guard block.pointee.flags.contains(.hasName) else { return defaultName(block) }
        defer { state.pop() }
        return pushName(state, index, block) == .string
            ? String(decoding: state.bytes(-1) ?? [], as: UTF8.self) : defaultName(block)
    }

    func defaultName(_ block: OperationPointer) -> String {
        block.pointee.work >= 0 ? definition(Int(block.pointee.work)).name : "operation"
    }
}

/// The metatables of all types that scripts see.
struct Metatables {
    let operation: LuaMetatable
    let queue: LuaMetatable
    let timer: LuaMetatable
    let source: LuaMetatable
    let observation: LuaMetatable
    let error: LuaMetatable
    let data: LuaMetatable
    let hostObject: LuaMetatable
    let progress: LuaMetatable
    let isolate: LuaMetatable
    let thread: LuaMetatable
    let dispatchQueue: LuaMetatable
    let dispatchGroup: LuaMetatable
    let dispatchSemaphore: LuaMetatable
    let dispatchWorkItem: LuaMetatable
    /// Of what runs a finalizer when its owner was collected.
    let finalizer: LuaMetatable

    init(_ vm: LuaVM) {
        operation = OperationBinding.makeMetatable(vm)
        queue = QueueBinding.makeMetatable(vm)
        timer = TimerBinding.makeMetatable(vm)
        source = SourceBinding.makeMetatable(vm)
        observation = ObservationBinding.makeMetatable(vm)
        error = ErrorBinding.makeMetatable(vm)
        data = DataBinding.makeMetatable(vm)
        hostObject = HostObjectBinding.makeMetatable(vm)
        progress = ProgressBinding.makeMetatable(vm)
        isolate = IsolateBinding.makeMetatable(vm)
        thread = ThreadBinding.makeMetatable(vm)
        dispatchQueue = DispatchQueueBinding.makeMetatable(vm)
        dispatchGroup = DispatchGroupBinding.makeMetatable(vm)
        dispatchSemaphore = DispatchSemaphoreBinding.makeMetatable(vm)
        dispatchWorkItem = DispatchWorkItemBinding.makeMetatable(vm)
        finalizer = ObjectFinalizer.makeMetatable(vm)
    }
}
