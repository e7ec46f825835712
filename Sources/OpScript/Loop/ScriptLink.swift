internal import Logging
internal import OpScriptRecord
internal import Scheduling
internal import Synchronization

/// The state that other threads share with the script thread: requests, the request to stop, and handles that
/// Swift keeps.
///
/// Handles hold the link, and not the engine: the link outlives the engine and then refuses all requests.
final class ScriptLink: Sendable {
    /// The audiences of events that have subscribers.
    let demand: EventDemand
    /// The subscribers that receive the events of operations.
    let events: BatchHub<EventBatch>
    /// The subscribers that receive operations that have ended.
    let operations = BatchHub<[RecordedOperation]>()
    let adoptedQueues = AdoptedQueueTable()
    let frameWaiters = FrameWaiters()
    /// The values that no text shows.
    let secrets = Secrets()
    /// The host's logger of operations.
    let logger: Logger?
    private let tracksStatus: Bool
    private let state = Mutex(State())
    private let postFlag = Atomic<Bool>(false)
    private let cancelFlag = Atomic<Bool>(false)
    private let stopFlag = Atomic<Bool>(false)
    private let closingFlag = Atomic<Bool>(false)
    private let holdCount = Atomic<Int>(0)
    private let pauseFlag = Atomic<Bool>(false)
    private let drainFlag = Atomic<Bool>(false)

    /// Guarded by `state`.
    private struct State {
        var posts: [Post] = []
        var runs: [RunRequest] = []
        var currentRun: RunRequest?
        var scheduler: Scheduler?
        /// The time of a manual clock, and whether the script thread has a request to look at it.
        var manualTime: Int64 = 0
        var isTimePosted = false
        weak var runner: (any ScriptRunner)?
        var status = StatusSnapshot()
        var isStopped = false
        var stopHandler: (@Sendable () -> Void)?
        var cancelHandler: (@Sendable () -> Void)?
        var interruptHandler: (@Sendable () -> Void)?
        var isClosed = false
        var closeHandlers: [@Sendable () -> Void] = []
    }

    /// A task for the script thread, which it refuses after its end.
    struct Post: Sendable {
        let body: @Sendable (ScriptRuntime) -> Void
        var refuse: @Sendable (ScriptError) -> Void = { _ in }
    }

    /// Counts limited resources.
    let meter: LimitMeter
    /// Which engine of the process this is, from 1.
    let number = ScriptLink.count.wrappingAdd(1, ordering: .relaxed).newValue
    private static let count = Atomic<Int>(0)

    init(_ configuration: ScriptEngine.Configuration) {
        let demand = EventDemand()
        self.demand = demand
        events = BatchHub(limit: 100_000) { demand.set($0 ? .life : [], of: demand) }
        logger = configuration.logger
        tracksStatus = configuration.tracksStatus
        meter = LimitMeter(configuration)
        let values = configuration.secrets.map { Array($0.utf8) }
        // Values of the host that are too short are left out, as those of variables.
        for value in values + SecretVariables.values(matching: configuration.redactedVariables) {
            try? secrets.add(value)
        }
    }

    /// The place where the runtime lives; nil after the engine's end.
    var runner: (any ScriptRunner)? { state.withLock { $0.runner } }

    func attach(_ runner: any ScriptRunner) { state.withLock { $0.runner = runner } }

    /// Whether the host's time was used up in the middle of a piece of the script.
    var isPaused: Bool { pauseFlag.load(ordering: .acquiring) }

    func setPaused(_ isPaused: Bool) { pauseFlag.store(isPaused, ordering: .releasing) }

    func attach(_ scheduler: Scheduler) { state.withLock { $0.scheduler = scheduler } }

    /// Makes the script thread call `body` in its turn. False, without any effect, after the engine's end.
    @discardableResult
    func post(
        refuse: @escaping @Sendable (ScriptError) -> Void = { _ in },
        _ body: @escaping @Sendable (ScriptRuntime) -> Void
    ) -> Bool {
        let accepted = state.withLock { state -> (Scheduler?, Bool) in
            guard !state.isStopped else { return (nil, false) }
            state.posts.append(Post(body: body, refuse: refuse))
            postFlag.store(true, ordering: .releasing)
            return (state.scheduler, true)
        }
        accepted.0?.wakeReader()
        return accepted.1
    }

    @inline(__always)
    var hasPosts: Bool { postFlag.load(ordering: .acquiring) }

    func takePosts() -> [Post] {
        postFlag.store(false, ordering: .releasing)
        return state.withLock { state in
            let posts = state.posts
            state.posts = []
            return posts
        }
    }

    // MARK: Runs

    /// Whether the engine ends as soon as it has nothing more to do, and takes no new requests.
    var isDraining: Bool { drainFlag.load(ordering: .acquiring) }

    /// Makes the engine end as soon as it has nothing more to do.
    func drain() {
        drainFlag.store(true, ordering: .releasing)
        // So that the script thread checks it.
        post { _ in }
    }

    /// Requests a run after all runs that were requested before. False after the engine's end.
    func request(_ run: RunRequest) -> Bool {
        let (isAccepted, isCancelled) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            if run.isCancelled { return (true, true) }
            state.runs.append(run)
            return (true, false)
        }
        guard isAccepted else { return false }
        if isCancelled {
            run.refuseCancelled()
            return true
        }
        // The post is refused only if the engine was stopped since the check above; then `closed` refuses the run.
        post { $0.run.beginNextRun() }
        return true
    }

    /// Takes the next run, which becomes the current one.
    func takeRun() -> RunRequest? {
        state.withLock { state in
            guard !state.runs.isEmpty else { return nil }
            let run = state.runs.removeFirst()
            state.currentRun = run
            cancelFlag.store(run.isCancelled, ordering: .releasing)
            return run
        }
    }

    func runEnded() {
        state.withLock { state in
            state.currentRun = nil
            cancelFlag.store(false, ordering: .releasing)
        }
    }

    var hasRuns: Bool { state.withLock { !$0.runs.isEmpty } }

    // MARK: Time

    /// Lets a manual clock pass; false after the engine's end.
    func advance(by nanoseconds: Int64) -> Bool {
        let mustPost = state.withLock { state in
            let (sum, overflow) = state.manualTime.addingReportingOverflow(nanoseconds)
            state.manualTime = overflow ? .max : sum
            defer { state.isTimePosted = true }
            return !state.isTimePosted
        }
        guard mustPost else { return !isStopped }
        return post { $0.scheduler.advance(to: $0.link.takeManualTime()) }
    }

    /// The time of a manual clock. The next change of it posts a request.
    private func takeManualTime() -> Int64 {
        state.withLock { state in
            state.isTimePosted = false
            return state.manualTime
        }
    }

    // MARK: Cancelling

    /// Cancels the runs that were requested until now. The current run is cancelled in its turn or at the script's next
    /// wait, even if that wait returns at once.
    func cancel(signal: Int32 = 2) {
        let runs = state.withLock { state -> [RunRequest] in
            state.runs + [state.currentRun].compactMap { $0 }
        }
        if runs.isEmpty {
            post { $0.run.cancelAsks() }
        } else {
            for run in runs { cancel(run, signal: signal) }
        }
    }

    /// Cancels one run, if it has not ended.
    func cancel(_ run: RunRequest, signal: Int32 = 2) {
        let (isCurrent, isWaiting) = state.withLock { state in
            run.markCancelled(signal)
            if state.currentRun === run {
                cancelFlag.store(true, ordering: .releasing)
                return (true, false)
            }
            let count = state.runs.count
            state.runs.removeAll { $0 === run }
            return (false, state.runs.count < count)
        }
        if isCurrent {
            state.withLock { $0.cancelHandler }?()
            post { $0.loop.cancelFromOutside(run) }
        }
        // A run that has not begun is refused at once: the runs before it may be waiting for its caller.
        if isWaiting { run.refuseCancelled() }
    }

    /// Whether another thread wants the run cancelled; read without the lock.
    var wantsCancel: Bool { cancelFlag.load(ordering: .acquiring) }

    func cancelIsTakenIn() { cancelFlag.store(false, ordering: .releasing) }

    // MARK: The end

    /// Whether the engine has to end: then the script thread abandons its work.
    var isStopped: Bool { stopFlag.load(ordering: .acquiring) }

    /// Sets the function that interrupts running Lua code when the engine has to end.
    func setStopHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.stopHandler = handler }
    }

    /// Sets the function that is called, on any thread, when the current run is cancelled.
    func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.cancelHandler = handler }
    }

    /// Sets the function that interrupts the Lua code which runs at the moment.
    func setInterruptHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.interruptHandler = handler }
    }

    /// Interrupts the Lua code that runs at the moment, if any does. From any thread.
    func interruptCode() { state.withLock { $0.interruptHandler }?() }

    /// Refuses everything from now on, and wakes the script thread. False if it was stopped before.
    @discardableResult
    func stop() -> Bool {
        let (isFirst, scheduler, handler) = state.withLock { state in
            let isFirst = !state.isStopped
            state.isStopped = true
            stopFlag.store(true, ordering: .releasing)
            postFlag.store(true, ordering: .releasing)
            return (isFirst, state.scheduler, state.stopHandler)
        }
        scheduler?.wakeReader()
        if isFirst {
            handler?()
            adoptedQueues.close()
        }
        return isFirst
    }

    /// Refuses all requests that were made until now, with the reason: nothing can serve them. Later requests may be
    /// served.
    func refuseAll(_ error: ScriptError) {
        let (posts, runs) = state.withLock { state in
            defer {
                state.posts = []
                state.runs = []
            }
            return (state.posts, state.runs)
        }
        for post in posts { post.refuse(error) }
        for run in runs { run.refuse(error) }
    }

    /// Notes that the Lua state is closed, and that threads may still have to end.
    func closingBegins() { closingFlag.store(true, ordering: .releasing) }

    /// Whether the Lua state is closed.
    var isClosing: Bool { closingFlag.load(ordering: .acquiring) }

    /// Whether everything is closed.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Notes that the runtime is closed, or never existed: refuses all pending requests.
    func closed() {
        let (posts, runs, handlers) = state.withLock { state in
            defer {
                state.posts = []
                state.runs = []
                state.scheduler = nil
                state.stopHandler = nil
                state.cancelHandler = nil
                state.interruptHandler = nil
                state.closeHandlers = []
                state.isClosed = true
            }
            return (state.posts, state.runs, state.closeHandlers)
        }
        for post in posts { post.refuse(.engineIsGone) }
        for run in runs { run.refuse(.engineIsGone) }
        events.end()
        operations.end()
        frameWaiters.end()
        for handler in handlers { handler() }
    }

    /// Calls `handler` once everything is closed; at once if it is closed already.
    func whenClosed(_ handler: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.closeHandlers.append(handler) }
            return state.isClosed
        }
        if isClosed { handler() }
    }

    // MARK: Handles that Swift keeps

    /// Notes that Swift keeps a function or an operation, and may act on it at any time.
    func hold() { holdCount.wrappingAdd(1, ordering: .relaxed) }

    /// Notes that Swift released a handle; the last handle may have been the last thing that could end a
    /// wait.
    func letGo() {
        if holdCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            // This does not take the scheduler's lock, since a handle may be released anywhere.
            state.withLock { $0.scheduler }?.nudgeReader()
        }
    }

    /// Whether Swift holds a function or an operation on which it could act.
    var isHeld: Bool { holdCount.load(ordering: .acquiring) > 0 }

    // MARK: Status

    func publish(_ status: StatusSnapshot) {
        // The old value may hold the last reference to a body whose arguments are handles of this link, so it
        // is released outside the lock.
        let old = state.withLock { state in
            defer { state.status = status }
            return state.status
        }
        withExtendedLifetime(old) {}
    }

    var status: ScriptStatus {
        let snapshot = state.withLock { $0.status }
        let now = SchedulerClock.systemNow
        var status = ScriptStatus()
        status.finished = snapshot.finished
        status.total = snapshot.total
        status.failed = snapshot.failed
        status.runningCount = snapshot.runningCount
        status.retryingCount = snapshot.retryingCount
        status.usage = snapshot.usage
        status.running = snapshot.running.map { running in
            let counts = running.body?.progressCounts
            return ScriptStatus.Running(
                name: running.name,
                seconds: Double(max(0, now - running.since)) / 1e9,
                fraction: counts.flatMap { $0.total > 0 ? Double($0.completed) / Double($0.total) : nil },
                text: (running.text ?? running.body?.progressText).map(secrets.hidden)
            )
        }
        status.isTracked = tracksStatus
        status.isGrowing = snapshot.isGrowing
        status.failures = snapshot.failures
        status.finishedWork = snapshot.done
        status.remainingWork = snapshot.rest
        return status
    }
}

/// How far a run had come when the script thread last published it.
struct StatusSnapshot {
    var finished = 0
    var total = 0
    var failed = 0
    var runningCount = 0
    var retryingCount = 0
    var usage = ScriptUsage()
    /// The operations that have executed longest, with the moments of their starts.
    var running: [Running] = []
    /// Whether the main chunk may still add operations.
    var isGrowing = false
    /// The failures so far.
    var failures: [ScriptReport.Failure] = []
    /// Seconds that operations have executed so far, and will; nil if that is not known.
    var done = 0.0
    var rest: Double?

    struct Running {
        var id: OperationID
        var name: String
        var since: Int64
        /// The object that reports its progress.
        var body: WorkBody?
        /// The text that the script has set.
        var text: String?
    }
}
