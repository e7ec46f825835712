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

    /// Userdata of submitted operations, by slot + 1: they live without references.
    let anchors: LuaReference
    /// Userdata of all operations, by slot + 1, weakly.
    let handles: LuaReference
    /// Userdata of host objects, errors and such, by address, weakly.
    let sharedObjects: LuaReference
    let nullObject: LuaReference
    let arrayMark: LuaReference

    let entries = OperationTable()
    let freeIDs = IdentityList()
    let releasedIDs = IdentityList()
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
    /// The index of `work.sleep`.
    let sleepWork: Int

    let turns = TurnQueue()
    var current: ScriptTask?
    let idleTasks = IdleTasks()
    /// What happened elsewhere, and what of it was not taken in yet.
    var events: [SchedulerEvent] = []
    var nextEvent = 0
    /// When those events were fetched: near enough to when they happened.
    var momentOfEvents: Int64 = 0
    var statusPublishedAt: Int64 = 0
    /// How many operations were added to queues, and how they ended.
    let counts = OperationCounts()
    /// Sleeps, time limits of waits, timers.
    var dueTimes = TimerHeap<Due>()
    var timers: [ObjectIdentifier: ScriptTimer] = [:]
    let sources = SourceTable()
    /// Waits that have not ended, by the order in which they began.
    var waits: [UInt64: Wait] = [:]
    /// The waits of `await.any`, by task, which tell who was first.
    var anyWaits: [ObjectIdentifier: Wait] = [:]
    var nextWaitSequence: UInt64 = 0
    /// Operations that were told to stop and hold on, with the moment when they were told.
    var stopping: [OperationID: Int64] = [:] {
        didSet { hasStopping = !stopping.isEmpty }
    }
    private(set) var hasStopping = false
    var resources: [String: Int] = [:]
    var warnedAboutThreadPriority = false

    /// Whom to tell of operations; nil where the host has no backend for that.
    var telemetry: Telemetry?
    /// What becomes of the run.
    var report = ScriptReport()
    var failureIndices: [OperationID: Int] = [:]
    var neverAddedDropped: [String] = []
    var isRunning = false
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
    var queueMap: LuaReference?
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
    /// Set by the sentinel's finalizer: some operations may have been dropped.
    var sweepIsDue = false

    /// What is due at a time on the script thread.
    enum Due {
        case wait(Wait)
        case timer(ScriptTimer)
        case source(ScriptSource)
        case sleep(OperationID)
        case stubborn
        case progress(ScriptProgress)
    }

    init(configuration: ScriptEngine.Configuration, catalogue: WorkCatalogue, link: ScriptLink) {
        self.configuration = configuration
        self.catalogue = catalogue
        sleepWork = catalogue.index(of: "sleep") ?? -1
        self.link = link
        var setup = Scheduler.Configuration()
        setup.workers = configuration.workers
        setup.jobLimit = configuration.jobLimit
        if configuration.usesVirtualTime { setup.clock = .virtual() }
        scheduler = Scheduler(setup)
        var lua = configuration.libraries == .all ? LuaConfiguration.full : LuaConfiguration()
        lua.memoryLimit = configuration.memoryLimit ?? 0
        lua.isHostile = configuration.isHostile
        vm = LuaVM(lua)
        metatables = Metatables(vm)
        vm.errorObjectMetatable = metatables.error
        anchors = Self.makeTable(vm, weak: nil)
        handles = Self.makeTable(vm, weak: "v")
        sharedObjects = Self.makeTable(vm, weak: "v")
        nullObject = Self.makeNull(vm)
        arrayMark = Self.makeArrayMark(vm)
        let main = scheduler.feed { $0.machine.queueCreated(isMain: true) }
        let standard = scheduler.feed { $0.machine.queueCreated() }
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
        vm.warner = { [unowned self] text in self.diagnose("warning: \(text)") }
        installPrint()
        installGlobals()
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
        push(ErrorValue(.limit, located(text, state), frames: vm.currentFrames(state, level: 0)), state)
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

    /// The block of an operation, if its userdata is alive.
    func liveBlock(_ id: OperationID) -> OperationPointer? {
        guard let entry = entry(id) else { return nil }
        if entry.pointee.isAnchored { return entry.pointee.block }
        // Not anchored: it may have been collected, so only the weak table knows.
        let state = vm.main
        handles.push(state)
        defer { state.pop(2) }
        guard state.rawGet(-1, Int(id.slot) + 1) == .userdata else { return nil }
        return state.userdata(-1, metatables.operation)?.assumingMemoryBound(to: OperationBlock.self)
    }

    /// Pushes the userdata of an operation, or nil. [-0, +1, -]
    @discardableResult
    func pushOperation(_ id: OperationID, _ state: LuaState) -> Bool {
        guard entry(id) != nil else {
            state.pushNil()
            return false
        }
        handles.push(state)
        let found = state.rawGet(-1, Int(id.slot) + 1) == .userdata
        state.remove(-2)
        return found
    }

    /// The block of the operation at an index; nil for anything else.
    @inline(__always)
    func operation(_ state: LuaState, _ index: Int32) -> OperationPointer? {
        state.userdata(index, metatables.operation)?.assumingMemoryBound(to: OperationBlock.self)
    }

    /// Keeps an operation alive without references.
    func anchor(_ id: OperationID, at index: Int32, _ state: LuaState) {
        let index = state.absolute(index)
        anchors.push(state)
        state.pushValue(index)
        state.rawSet(-2, Int(id.slot) + 1)
        state.pop()
        entries[Int(id.slot)].pointee.isAnchored = true
    }

    /// Lets go of a finished operation: its slot will be used again.
    func forget(_ id: OperationID) {
        guard let entry = entry(id) else { return }
        if entry.pointee.isAnchored {
            let state = vm.main
            anchors.push(state)
            // `false` and not nil, so that the table stays an array.
            state.push(false)
            state.rawSet(-2, Int(id.slot) + 1)
            state.pop()
        }
        entry.pointee = OperationEntry()
        releasedIDs.push(id)
        if releasedIDs.count >= 64 { releaseIDs() }
    }

    func releaseIDs() {
        guard releasedIDs.count > 0 else { return }
        scheduler.feed { core in
            while let id = releasedIDs.pop() {
                core.setBody(nil, for: id)
                core.machine.operationReleased(id)
            }
        }
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
        return state.getUserValue(index, OperationValue.name) == .string
            ? String(decoding: state.bytes(-1) ?? [], as: UTF8.self) : defaultName(block)
    }

    func defaultName(_ block: OperationPointer) -> String {
        block.pointee.work >= 0 ? definition(Int(block.pointee.work)).name : "operation"
    }
}

/// The runtime that a host function belongs to.
@inline(__always)
func runtime(_ raw: OpaquePointer) -> ScriptRuntime {
    guard let host = LuaState(raw).host else {
        preconditionFailure("a host function was called without its runtime")
    }
    return Unmanaged<ScriptRuntime>.fromOpaque(host).takeUnretainedValue()
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
