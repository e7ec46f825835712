internal import CLinux
internal import Synchronization

/// Runs operations in the order that their dependencies, priorities and queues allow.
///
/// A scheduler is a machine that decides (pure, without threads), and a shell around it that takes the one
/// lock, feeds the machine, leaves the lock and acts: it wakes workers, starts tasks, calls completions. No
/// foreign code ever runs under the lock. Make as many as you like; queues and operations belong to one.
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

    /// The time of the clock.
    package var now: Int64 { clock.now }
    /// How many closures of queues without a width run at once as long as none blocks.
    public let workerCount: Int
    let executor: Configuration.Executor
    /// How long a worker sleeps before it exits.
    let idleNanoseconds: Int64
    let signals = LaneSignals()
    let readerParker = Parker()
    let serviceSleep = ServiceSleep()
    let threads: any ThreadStarter
    private let threadScope: (@Sendable (_ life: () -> Void) -> Void)?
    private let readerWaker: (@Sendable () -> Void)?
    let watchdogHandler: (@Sendable (String) -> Void)?
    /// Whether workers leave a core to a reader that adds many operations.
    private let leavesCoreToReader: Bool
    /// Whether each event has a fact, for a record of the run.
    package let recordsFacts: Bool
    let additions = AdditionRing()
    let newOperations = AdditionList()
    private let lock = SchedulerLock()
    // nonisolated(unsafe) because every access is inside `feed`, under `lock`.
    private nonisolated(unsafe) let core: SchedulerCore
    /// Set under the lock whenever the event log is not empty; read without the lock.
    private let hasEventsFlag = Atomic<Bool>(false)
    /// Set under the lock while the reader sleeps until there are events.
    private let readerSleepsFlag = Atomic<Bool>(false)
    /// Set under the lock: whether the reader that sleeps has given its thread away.
    private let readerIsAwayFlag = Atomic<Bool>(false)
    /// Set under the lock while workers may have ended operations that the event log does not report yet.
    private let holdsEventsFlag = Atomic<Bool>(false)
    /// Set under the lock while a worker polls, or runs bodies that are believed to be short.
    private let answersSoonFlag = Atomic<Bool>(false)
    /// Whether threads without work end at once.
    let isClosingFlag = Atomic<Bool>(false)
    /// Whether the system has refused a thread, and none was requested since. Set under the lock.
    let lacksThreadsFlag = Atomic<Bool>(false)

    /// Makes a scheduler; threads are started when there is something for them to do.
    public init(_ configuration: Configuration = Configuration()) {
        clock = configuration.clock
        executor = configuration.executor
        idleNanoseconds = configuration.idleNanoseconds
        threads = configuration.threads
        threadScope = configuration.threadScope
        readerWaker = configuration.readerWaker
        watchdogHandler = configuration.watchdogHandler
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
        var machine = SchedulerMachine(sharedWidth: workerCount, seed: seed, hasLanes: usesThreads)
        machine.plant(configuration.plantedDefect)
        if let limit = configuration.jobLimit { machine.jobLimit = max(1, limit) }
        let limit = configuration.threadsPerLane
        core = SchedulerCore(machine: machine, usesThreads: usesThreads, threadsPerLane: limit)
        core.claimSize = configuration.claimSize
        recordsFacts = configuration.recordsFacts
        if recordsFacts { core.beginLog() }
        core.holdsQueues = configuration.holdsQueues
    }

    deinit {
        // Workers retain the scheduler as long as they live, so there are none; the service thread wakes once more and
        // ends.
        serviceSleep.unpark()
    }

    /// Takes the lock, lets `body` feed the machine, leaves the lock and acts on the consequences.
    ///
    /// Inlinable, so that the result of `body` needs no generic copy.
    @discardableResult
    @inlinable
    package func feed<R>(_ body: (SchedulerCore) throws -> R) rethrows -> R {
        let core = enter()
        defer { leave() }
        return try body(core)
    }

    /// The same for inputs that neither query an operation nor change which operations may start; workers
    /// keep their claims.
    @discardableResult
    @inlinable
    package func visit<R>(_ body: (SchedulerCore) throws -> R) rethrows -> R {
        let core = enterAside()
        defer { leave() }
        return try body(core)
    }

    /// Runs the life of a thread that runs bodies.
    func inThreadScope(_ life: () -> Void) {
        if let threadScope { threadScope(life) } else { life() }
    }

    /// Takes the lock only to read; not even new additions are taken in. For checks.
    func look<R>(_ body: (SchedulerCore) -> R) -> R {
        lock.lock()
        defer { lock.unlock() }
        return body(core)
    }

    /// The same for an input that may need the workers' claims taken back.
    @discardableResult
    @inlinable
    package func input<R>(takingBackClaims: Bool, _ body: (SchedulerCore) throws -> R) rethrows -> R {
        takingBackClaims ? try feed(body) : try visit(body)
    }

    /// Takes the lock for such a visit.
    @usableFromInline
    func enterAside() -> SchedulerCore {
        lock.lock()
        return entered()
    }

    @usableFromInline
    func enter() -> SchedulerCore {
        lock.lock()
        // In this order, so that additions of the last moment can be claimed as well.
        let core = entered()
        core.takeBackClaims()
        return core
    }

    @inline(__always)
    private func entered() -> SchedulerCore {
        if recordsFacts { core.log?.now = clock.now }
        if hasAdditions { admitAdditions() }
        return core
    }

    @inline(__always)
    private func admitAdditions() {
        if !additions.isEmpty { core.admit(additions) }
        if !newOperations.isEmpty { core.admit(newOperations) }
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

    /// Leaves the lock with nothing left to settle, and takes in the additions of the last moment.
    @inline(__always)
    private func unlock() {
        if core.hasEvents, !hasEventsFlag.load(ordering: .relaxed) {
            hasEventsFlag.store(true, ordering: .releasing)
        }
        let holdsEvents = core.hasOpenClaims
        if holdsEvents != holdsEventsFlag.load(ordering: .relaxed) {
            holdsEventsFlag.store(holdsEvents, ordering: .releasing)
        }
        let isAnswered = core.answersSoon
        if isAnswered != answersSoonFlag.load(ordering: .relaxed) {
            answersSoonFlag.store(isAnswered, ordering: .relaxed)
        }
        let need = core.additionNeed
        additions.setNeed(need)
        // These additions were written before the writer could know that no worker checks any longer.
        let hasMore = !need.isEmpty && hasAdditions
        lock.unlock()
        if hasMore { visit { _ in } }
    }

    /// Whether there are additions that were not taken in yet; read without the lock.
    var hasAdditions: Bool {
        @inline(__always) get { !additions.isEmpty || !newOperations.isEmpty }
    }

    /// Adds an operation that has not been shared yet to a queue without a limit. From any thread.
    func addNew(_ operation: ScheduledOperation, to queue: QueueID) {
        newOperations.push(operation, to: queue)
        if additions.need.contains(.shared) { visit { _ in } }
    }

    /// Adds an operation to a queue, mostly without the lock. Only from one thread, the same one each time.
    ///
    /// An operation that the reader runs itself waits until the reader looks for work; no other thread could start it.
    ///
    /// - Parameter isLimited: Whether the queue has a width.
    package func add(_ addition: consuming Submission, isLimited: Bool) {
        if additions.isFull { visit { _ in } }
        let lane = addition.lane
        additions.push(addition)
        switch lane {
        case .reader: return
        case .worker: if additions.need.isDisjoint(with: isLimited ? .limited : .shared) { return }
        // A worker that polls for its own lane finds nothing for another lane.
        case .task, .group, .workerHigh, .workerLow, .workerLowest: break
        }
        visit { _ in }
    }

    /// Adds a dependency without the lock. From the thread that adds operations.
    package func addDependency(_ dependency: consuming Submission) {
        if additions.isFull { visit { _ in } }
        additions.push(dependency)
    }

    /// Whether ``add(_:)`` received something that the machine does not know yet; read without the lock.
    package var hasUndeliveredAdditions: Bool { !additions.isEmpty }

    /// Passes everything that ``add(_:)`` received to the machine.
    package func deliverAdditions() {
        if !additions.isEmpty { visit { _ in } }
    }

    @inline(__always)
    private func act(_ aftermath: Aftermath) {
        aftermath.unpark?.parker.unpark()
        // This happens before foreign code is called, which may take long, and may wait for these threads.
        if let more = aftermath.more { startThreads(more) }
        if let completion = aftermath.completion { completion.operationFinished() }
        if let more = aftermath.more { act(more) }
    }

    @inline(never)
    private func startThreads(_ more: Aftermath.More) {
        for worker in more.unpark { worker.parker.unpark() }
        if more.wakesReader { callReader() }
        if more.wakesService { serviceSleep.unpark() }
        if more.startsService { startService() }
        for lane in more.spawn where !threads.startWorker(of: lane, for: self) {
            threadWasRefused(to: lane)
        }
        for action in more.actions {
            if case .startTask(let id) = action { runAsTask(feed { $0.body(id) }, id) }
        }
    }

    @inline(never)
    private func act(_ more: Aftermath.More) {
        for completion in more.completions { completion.operationFinished() }
        // Releases the objects that came with them, before any waiter learns that a queue is empty.
        more.completions = []
        for action in more.actions {
            if case .cancelBody(let id) = action { cancelBody(id) }
        }
        // This happens after the completions, so that a thread that waited for all operations finds their
        // outcomes.
        for parker in more.drained { parker.unpark() }
        for queue in more.externals { queue.deliver() }
    }

    // MARK: The reader of events

    /// Whether there are events to take; read without the lock.
    package var hasEvents: Bool { hasEventsFlag.load(ordering: .acquiring) }

    /// Whether workers may have ended operations that the events do not report yet; ``takeEvents(_:)`` reports them.
    /// Read without the lock.
    package var mayHoldEvents: Bool { holdsEventsFlag.load(ordering: .acquiring) }

    /// Whether the reader sleeps and has to be notified of each end; read without the lock.
    var readerSleeps: Bool {
        @inline(__always) get { readerSleepsFlag.load(ordering: .sequentiallyConsistent) }
    }

    /// Takes all events, in exchange for an empty buffer whose memory is reused; and their facts, if there are any.
    package func takeEvents(
        _ events: borrowing PlainBuffer<SchedulerEvent>,
        _ facts: borrowing PlainBuffer<EventFact>
    ) {
        events.truncate()
        facts.truncate()
        lock.lock()
        core.collectClaims()
        while core.holdsSkips {
            lock.unlock()
            visit { $0.decideSkips() }
            lock.lock()
        }
        core.eventsTaken(events)
        if recordsFacts { core.log?.facts.exchange(with: facts) }
        hasEventsFlag.store(false, ordering: .releasing)
        lock.unlock()
    }

    /// Starts the best operation of a queue on the reader, and takes all events that came before that. The
    /// start itself is usually not among them, since the caller knows of it.
    ///
    /// - Parameters:
    ///   - facts: The facts of the events, if there are any.
    ///   - start: The fact of the start, if there is one.
    ///   - mayHold: Whether the reader may hold back an operation of whose readiness it knows.
    ///   - mayStart: Whether the reader does not hold back the best operation. Called under the lock, if `mayHold` is
    ///     set or an operation has become ready since the events were taken last.
    package func takeReaderOperation(
        _ queue: QueueID,
        _ events: borrowing PlainBuffer<SchedulerEvent>,
        _ facts: borrowing PlainBuffer<EventFact>,
        start: inout EventFact,
        mayHold: Bool,
        mayStart: (OperationID) -> Bool
    ) -> ReaderStart {
        visit { core in
            if core.holdsSkips { core.decideSkips() }
            let next = core.readerStart(queue, mayHold: mayHold, mayStart)
            events.truncate()
            facts.truncate()
            core.eventsTaken(events)
            if recordsFacts, let log = core.log {
                log.facts.exchange(with: facts)
                start = log.droppedStart
            }
            hasEventsFlag.store(false, ordering: .releasing)
            return next
        }
    }

    /// The reader runs on the calling thread until ``readerEnds()``, and rests only in ``parkReader(until:)``.
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

    /// Sleeps until there are events, `wakeReader` is called, or `deadline` on the system's clock is reached.
    ///
    /// - Returns: False if only the deadline woke it.
    @discardableResult
    package func parkReader(until deadline: Int64?) -> Bool {
        if pollEvents() { return true }
        guard armReader(isAway: false) else { return true }
        let isCalled = wait(for: readerParker, until: deadline)
        return visit { core in
            defer {
                readerAwakes(core)
                core.shell.readerWasWoken = false
            }
            return isCalled || core.shell.readerWasWoken || !core.shell.isReaderParked
        }
    }

    /// How long the reader polls before it sleeps, in nanoseconds.
    private static let readerPollingTime: Int64 = 20_000

    /// Polls for events briefly, so that the ends of short bodies need no wake-up. True if there are any.
    private func pollEvents() -> Bool {
        guard answersSoonFlag.load(ordering: .relaxed) else { return false }
        let end = SchedulerClock.systemNow + Self.readerPollingTime
        while !hasEvents {
            if SchedulerClock.systemNow > end { return false }
            // Polling without a pause would pull the flag's cache line away from the thread that sets it.
            for _ in 0..<4 { linux_pause() }
        }
        return true
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

    /// Makes the reader recheck, now or before it sleeps; takes no lock of the scheduler.
    package func nudgeReader() {
        readerParker.unpark()
        readerWaker?()
    }

    private func callReader() {
        if let readerWaker, readerIsAwayFlag.load(ordering: .acquiring) {
            readerWaker()
        } else {
            readerParker.unpark()
        }
    }

    /// The reader gives its thread away. Arranges a call of the waker once there are events, or `wakeReader` is called.
    /// False if that has happened already.
    package func awaitReader() -> Bool { armReader(isAway: true) }

    private func armReader(isAway: Bool) -> Bool {
        visit { core in
            readerIsAwayFlag.store(isAway, ordering: .releasing)
            // In this order, because a worker that advances checks the flag afterwards.
            readerSleepsFlag.store(true, ordering: .sequentiallyConsistent)
            core.collectClaims()
            guard !core.hasEvents, !core.shell.readerWasWoken else {
                core.shell.readerWasWoken = false
                readerAwakes(core)
                return false
            }
            core.shell.isReaderParked = true
            core.readerRests()
            return true
        }
    }

    /// The reader no longer sleeps, or is being woken. Under the lock.
    func readerAwakes(_ core: SchedulerCore) {
        core.shell.isReaderParked = false
        readerSleepsFlag.store(false, ordering: .relaxed)
    }
}
