internal import Synchronization

/// Runs operations in the order that their dependencies, priorities and queues allow.
///
/// A scheduler is a machine that decides (pure, without threads), and this shell around it that takes the one lock, feeds the
/// machine, leaves the lock and acts: it wakes workers, starts tasks, calls completions. No foreign code ever runs
/// under the lock. Make as many as you like; queues and operations belong to one.
///
/// ```swift
/// let scheduler = Scheduler()
/// let queue = ScheduledQueue(scheduler, width: 4)
/// let read = ScheduledOperation(scheduler) { try load("cat.ppm") }
/// let show = ScheduledOperation(scheduler) { print(try read.result()) }
/// try show.addDependency(read)
/// try queue.add([show, read])
/// queue.waitUntilAllOperationsAreFinished()
/// ```
public final class Scheduler: Sendable {
    /// Where the scheduler takes the time from.
    public let clock: SchedulerClock

    /// What the clock says.
    package var now: Int64 { clock.now }
    /// How many closures of queues without a width run at once as long as none blocks.
    public let workerCount: Int
    let executor: Configuration.Executor
    /// How long a worker sleeps before it leaves.
    let idleNanoseconds: Int64
    let signals = LaneSignals()
    let readerParker = Parker()
    let serviceSleep = ServiceSleep()
    let threads: any ThreadStarter
    private let readerWaker: (@Sendable () -> Void)?
    /// Whether workers leave a core to a reader that adds much.
    private let leavesCoreToReader: Bool
    let runner: (any OperationRunner)?
    let additions = AdditionRing()
    let newOperations = AdditionList()
    /// Handles are made there, often many in a row.
    private let handleHeap = HeapReserve()
    let handleMarks: HeapReserve.Marks
    private let lock = SchedulerLock()
    // nonisolated(unsafe) because every access is inside `feed`, under `lock`.
    private nonisolated(unsafe) let core: SchedulerCore
    /// Set under the lock whenever the event log is not empty: a look without the lock.
    private let hasEventsFlag = Atomic<Bool>(false)
    /// Set under the lock while the reader sleeps until there are events.
    private let readerSleepsFlag = Atomic<Bool>(false)
    /// Set under the lock while workers may have ended what the event log does not tell of yet.
    private let holdsEventsFlag = Atomic<Bool>(false)
    /// Whether the system has refused a thread, and none was asked for since. Set under the lock.
    let lacksThreadsFlag = Atomic<Bool>(false)

    /// Makes a scheduler; threads are started when there is something for them to do.
    public init(_ configuration: Configuration = Configuration()) {
        clock = configuration.clock
        executor = configuration.executor
        idleNanoseconds = configuration.idleNanoseconds
        threads = configuration.threads
        readerWaker = configuration.readerWaker
        runner = configuration.runner
        workerCount = max(1, configuration.workers ?? SystemThread.coreCount)
        leavesCoreToReader = configuration.leavesCoreToReader ?? (configuration.workers == nil)
        let seed: UInt64
        let usesThreads: Bool
        switch configuration.executor {
        case .threads:
            seed = configuration.seed ?? UInt64.random(in: .min ... .max)
            usesThreads = true
        case .simulated(let chosen):
            seed = chosen
            usesThreads = false
        }
        var machine = SchedulerMachine(sharedWidth: workerCount, seed: seed)
        machine.plant(configuration.plantedDefect)
        if let limit = configuration.jobLimit { machine.jobLimit = max(1, limit) }
        core = SchedulerCore(machine: machine, usesThreads: usesThreads)
        handleMarks = handleHeap.currentMarks
    }

    deinit {
        // Workers hold the scheduler as long as they live, so there are none; the service thread looks once more and goes.
        serviceSleep.unpark()
    }

    /// A handle was made at an address above all before.
    @inline(never)
    func noteHandle(at address: UInt) {
        if let address = UnsafeRawPointer(bitPattern: address) { handleHeap.note(address) }
    }

    /// Takes the lock, lets `body` feed the machine, leaves the lock and acts on what followed.
    ///
    /// Inlinable, so that what `body` returns needs no generic copy.
    @discardableResult
    @inlinable
    package func feed<R>(_ body: (SchedulerCore) throws -> R) rethrows -> R {
        let core = enter()
        defer { leave() }
        return try body(core)
    }

    /// The same for one who neither names an operation nor changes what may start: operations that are only counted stay so.
    @discardableResult
    @inlinable
    package func visit<R>(_ body: (SchedulerCore) throws -> R) rethrows -> R {
        let core = enterAside()
        defer { leave() }
        return try body(core)
    }

    /// Takes the lock for such a visit.
    @usableFromInline
    func enterAside() -> SchedulerCore {
        lock.lock()
        return entered()
    }

    /// Takes the lock for what concerns the machine perhaps not at all: what was added meanwhile is left to others. Followed by
    /// ``leaveEarly()``, or by ``goIn()`` where it does.
    @inline(__always)
    func enterEarly() -> SchedulerCore {
        lock.lock()
        return core
    }

    /// Leaves the lock after nothing has changed for the machine.
    @inline(__always)
    func leaveEarly() { lock.unlock() }

    /// Goes on as after `enter`.
    func goIn() {
        // In this order: what was added in the last moment may be only counted as well.
        _ = entered()
        core.makeStretchKnown()
    }

    @usableFromInline
    func enter() -> SchedulerCore {
        lock.lock()
        goIn()
        return core
    }

    /// The same for a worker.
    @inline(__always)
    func enter(_ pause: inout Pause) -> SchedulerCore {
        lock.lock(&pause)
        return entered()
    }

    @inline(__always)
    private func entered() -> SchedulerCore {
        if hasAdditions { admitAdditions() }
        return core
    }

    @inline(__always)
    private func admitAdditions() {
        if !additions.isEmpty { core.admit(additions) }
        if !newOperations.isEmpty {
            core.makeStretchKnown()
            core.admit(newOperations)
        }
    }

    @usableFromInline
    func leave() {
        if core.isSettled {
            unlock()
        } else {
            let aftermath = core.settle(self)
            unlock()
            act(aftermath)
        }
    }

    /// Leaves the lock with nothing left to settle, and takes in what was added in the last moment.
    @inline(__always)
    private func unlock() {
        if !core.machine.events.isEmpty, !hasEventsFlag.load(ordering: .relaxed) {
            hasEventsFlag.store(true, ordering: .releasing)
        }
        let holdsEvents = core.machine.stretch.isActive
        if holdsEvents != holdsEventsFlag.load(ordering: .relaxed) {
            holdsEventsFlag.store(holdsEvents, ordering: .releasing)
        }
        let needsCall = core.needsCallForAdditions
        additions.setNeedsCall(needsCall)
        // What was written before the writer could know that nobody looks any more.
        let hasMore = needsCall && hasAdditions
        lock.unlock()
        if hasMore { visit { _ in } }
    }

    /// Whether something was added that nobody has taken in; a look without the lock.
    var hasAdditions: Bool {
        @inline(__always) get { !additions.isEmpty || !newOperations.isEmpty }
    }

    /// Whether operations were added that nobody has taken in, and that have to be known; a look without the lock.
    var hasNewOperations: Bool {
        @inline(__always) get { !newOperations.isEmpty }
    }

    /// Adds an operation that nobody knows of yet to a queue without a limit. From any thread.
    func addNew(_ operation: ScheduledOperation, to queue: QueueID) {
        newOperations.push(operation, to: queue)
        if additions.needsCall { feed { _ in } }
    }

    /// Adds an operation with nothing out of the ordinary to a queue, mostly without the lock. Only from one thread, the same one each time.
    ///
    /// What the script thread runs itself waits until that thread looks for something to do; nobody else could start it before.
    ///
    /// - Parameter isCounted: Nobody looks at its start by itself: it may be counted with others.
    package func add(
        _ id: OperationID,
        to queue: QueueID,
        lane: ExecutionLane,
        priority: OperationPriority,
        allowsFailure: Bool,
        isCounted: Bool,
        body: (any OperationBody)?
    ) {
        if additions.isFull { visit { _ in } }
        additions.push(
            PlainAddition(
                id: id,
                queue: queue,
                lane: lane,
                priority: priority,
                allowsFailure: allowsFailure,
                isCounted: isCounted,
                body: body
            )
        )
        if lane != .script, additions.needsCall { visit { _ in } }
    }

    /// Whether the machine does not know yet of all that ``add(_:)`` was given; a look without the lock.
    package var hasUndeliveredAdditions: Bool { !additions.isEmpty }

    /// Lets the machine know of all that ``add(_:)`` was given.
    package func deliverAdditions() {
        if !additions.isEmpty { visit { _ in } }
    }

    @inline(__always)
    private func act(_ aftermath: Aftermath) {
        aftermath.unpark?.parker.unpark()
        // Before what others have given, which may take long, and wait for these threads.
        if let more = aftermath.more { startThreads(more) }
        if let completion = aftermath.completion { completion.tell() }
        if let more = aftermath.more { act(more) }
    }

    @inline(never)
    private func startThreads(_ more: Aftermath.More) {
        for worker in more.unpark { worker.parker.unpark() }
        if more.wakesReader { callReader() }
        if more.wakesService { serviceSleep.unpark() }
        if more.startsService { startService() }
        for lane in more.spawn where !threads.startWorker(of: lane, for: self) {
            visit { core in
                core.shell.lanes[Int(lane.rawValue)].threadCount -= 1
                core.shell.lanes[Int(lane.rawValue)].isWakeInFlight = false
                core.shell.lanesWithoutThread |= 1 << UInt16(lane.rawValue)
                lacksThreadsFlag.store(true, ordering: .relaxed)
            }
        }
        for action in more.actions {
            if case .startTask(let id) = action { runAsTask(feed { $0.body(id) }, id) }
        }
    }

    @inline(never)
    private func act(_ more: Aftermath.More) {
        for completion in more.completions { completion.tell() }
        for action in more.actions {
            if case .cancelBody(let id) = action { cancelBody(id) }
        }
        // After those were told: who waited for all finds their outcomes.
        for parker in more.drained { parker.unpark() }
        for queue in more.externals { queue.deliver() }
        for handle in more.heldHandles { handle.release() }
    }

    private func cancelBody(_ id: OperationID) {
        let cancel = feed { core -> (@Sendable () -> Void)? in
            // It may have ended since, and its slot be another one's. And the runner knows nothing of what the script executes.
            guard let lane = core.machine.lane(ofExecuting: id) else { return nil }
            if let body = core.body(id) { return { body.cancelExecution() } }
            return lane.isWorker ? runner?.cancel(id) : nil
        }
        cancel?()
    }

    /// Runs a body as a Swift task and reports its end.
    func runAsTask(_ body: (any OperationBody)?, _ id: OperationID) {
        Task {
            var failure: (any Error)?
            do {
                try await body?.executeAsTask()
            } catch {
                failure = error
            }
            self.visit { $0.bodyEnded(id, failure) }
        }
    }

    // MARK: The reader of events

    /// Whether there are events to take; a look without the lock.
    package var hasEvents: Bool { hasEventsFlag.load(ordering: .acquiring) }

    /// Whether workers may have ended operations of which the events do not tell yet: ``takeEvents(_:)`` does; a look without the lock.
    package var mayHoldEvents: Bool { holdsEventsFlag.load(ordering: .acquiring) }

    /// Whether the reader sleeps and is to be told of each end; a look without the lock.
    var readerSleeps: Bool {
        @inline(__always) get { readerSleepsFlag.load(ordering: .sequentiallyConsistent) }
    }

    /// Takes all events, in exchange for an empty buffer whose memory is used again.
    package func takeEvents(_ events: borrowing PlainBuffer<SchedulerEvent>) {
        events.truncate()
        lock.lock()
        core.tellOfParts()
        core.machine.events.exchange(with: events)
        hasEventsFlag.store(false, ordering: .releasing)
        lock.unlock()
    }

    /// Takes all events as ``takeEvents(_:)`` does, lets go of operations, and makes new ones, as many as were let go of and some more, all in one
    /// stay in the lock.
    ///
    /// None of that leaves anything to do behind, so additions are left to the others. For a reader in the middle of adding much, who can as well come
    /// again a little later: where the lock is taken, nothing happens, and it says false.
    ///
    /// - Parameters:
    ///   - events: Gets the events.
    ///   - identities: Those of the operations that are let go of, and which have ended; gets those of new ones.
    ///   - count: How many more are made.
    ///   - bodies: Gets what is to be let go of outside the lock.
    package func exchange(
        _ events: borrowing PlainBuffer<SchedulerEvent>,
        _ identities: borrowing PlainBuffer<OperationID>,
        more count: Int,
        letGo bodies: inout [any OperationBody]
    ) -> Bool {
        guard lock.tryLock() else { return false }
        events.truncate()
        core.readerIsBusy()
        core.machine.events.exchange(with: events)
        hasEventsFlag.store(false, ordering: .releasing)
        for place in 0..<identities.count {
            let id = identities[place]
            if place + 6 < identities.count { core.machine.prefetch(identities[place + 6]) }
            if let body = core.takeBody(id.slot) { bodies.append(body) }
            identities[place] = core.machine.operationReplaced(id)
        }
        for _ in 0..<count { identities.append(core.machine.reportingOperationCreated()) }
        lock.unlock()
        return true
    }

    /// Starts the best operation of a queue on the script thread, and takes all events that came before that. The start itself is
    /// mostly none of them: whoever calls this knows of it.
    package func takeScriptOperation(_ queue: QueueID, _ events: borrowing PlainBuffer<SchedulerEvent>)
        -> OperationID?
    {
        feed { core in
            let id = core.machine.takeScriptOperation(queue)
            core.machine.dropLastStart(of: id)
            events.truncate()
            core.machine.events.exchange(with: events)
            hasEventsFlag.store(false, ordering: .releasing)
            return id
        }
    }

    /// The reader lives on the calling thread until ``readerEnds()``, and rests in ``parkReader(until:)`` only.
    package func readerBegins() {
        guard leavesCoreToReader else { return }
        let thread = SystemThread.currentID
        visit { $0.shell.readerThread = thread }
    }

    /// The reader adds nothing more.
    package func readerEnds() {
        visit { core in
            core.shell.readerThread = 0
            core.readerRests()
        }
    }

    /// Sleeps until there are events, somebody calls `wakeReader`, or `deadline` on the system's clock is reached.
    package func parkReader(until deadline: Int64?) {
        guard awaitReader() else { return }
        _ = wait(for: readerParker, until: deadline)
        visit { core in
            readerAwakes(core)
            core.shell.readerWasWoken = false
        }
    }

    /// Wakes the reader, now or when it is about to sleep.
    package func wakeReader() {
        let isParked = visit { core in
            guard core.shell.isReaderParked else {
                core.shell.readerWasWoken = true
                return false
            }
            readerAwakes(core)
            return true
        }
        if isParked { callReader() }
    }

    /// Lets the reader look again, now or before it sleeps; takes no lock of the scheduler's.
    package func nudgeReader() { callReader() }

    private func callReader() {
        if let readerWaker { readerWaker() } else { readerParker.unpark() }
    }

    /// Has the waker called once there are events, or somebody calls `wakeReader`. False where that has happened already.
    package func awaitReader() -> Bool {
        visit { core in
            // In this order: a worker that goes on looks at the flag afterwards.
            readerSleepsFlag.store(true, ordering: .sequentiallyConsistent)
            core.tellOfParts()
            guard core.machine.events.isEmpty, !core.shell.readerWasWoken else {
                core.shell.readerWasWoken = false
                readerAwakes(core)
                return false
            }
            core.shell.isReaderParked = true
            core.readerRests()
            return true
        }
    }

    /// The reader does not sleep any more, or is called. Under the lock.
    func readerAwakes(_ core: SchedulerCore) {
        core.shell.isReaderParked = false
        readerSleepsFlag.store(false, ordering: .relaxed)
    }
}
