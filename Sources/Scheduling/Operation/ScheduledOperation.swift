internal import Synchronization

/// A unit of work with dependencies, a priority, a state and an outcome: Foundation's `Operation`, without its traps.
///
/// Make it, wire it, add it to a ``ScheduledQueue``. Usable from any thread. Dropping the last reference to one that is in a
/// queue does not stop it.
public final class ScheduledOperation: Sendable {
    /// The scheduler it belongs to.
    public let scheduler: Scheduler
    /// Its name in errors and diagnoses.
    public let name: String
    /// Its identity.
    public let id: OperationID
    private let body: Body
    private let end = Mutex(End())

    private enum Body: Sendable {
        case plain(@Sendable () throws -> Void)
        case withContext(@Sendable (OperationContext) throws -> Void)
        case async(@Sendable () async throws -> Void)
    }

    /// Guarded by `end`.
    private struct End {
        var outcome: OperationOutcome?
        var error: (any Error)?
        var context: OperationContext?
        var task: Task<Void, any Error>?
        var isCancelled = false
        var completionBlock: (@Sendable (ScheduledOperation) -> Void)?
        var parkers: [Parker] = []
        var continuations: [CheckedContinuation<Void, Never>] = []
    }

    private init(
        _ scheduler: Scheduler,
        name: String,
        qualityOfService: OperationQualityOfService,
        isAsync: Bool,
        body: Body
    ) {
        self.scheduler = scheduler
        self.name = name
        self.body = body
        var spec = OperationSpec()
        spec.lane = isAsync ? .task : ExecutionLane(qualityOfService: qualityOfService)
        spec.hasHandle = true
        id = scheduler.feed { core in
            let id = core.machine.operationCreated(spec)
            if name != "operation" { core.names[id.slot] = name }
            return id
        }
    }

    /// An operation that runs `body` on a worker thread.
    public convenience init(
        _ scheduler: Scheduler,
        name: String = "operation",
        qualityOfService: OperationQualityOfService = .default,
        body: @escaping @Sendable () throws -> Void
    ) {
        self.init(
            scheduler,
            name: name,
            qualityOfService: qualityOfService,
            isAsync: false,
            body: .plain(body)
        )
    }

    /// An operation whose body sees whether it was cancelled.
    public convenience init(
        _ scheduler: Scheduler,
        name: String = "operation",
        qualityOfService: OperationQualityOfService = .default,
        body: @escaping @Sendable (OperationContext) throws -> Void
    ) {
        self.init(
            scheduler,
            name: name,
            qualityOfService: qualityOfService,
            isAsync: false,
            body: .withContext(body)
        )
    }

    /// An operation whose body is a Swift task: it holds no thread while it is suspended.
    public convenience init(
        async scheduler: Scheduler,
        name: String = "operation",
        body: @escaping @Sendable () async throws -> Void
    ) {
        self.init(scheduler, name: name, qualityOfService: .default, isAsync: true, body: .async(body))
    }

    deinit {
        // Finished, its slot is free already.
        if end.withLock({ $0.outcome != nil }) { return }
        let id = id
        scheduler.feed { core in
            if !core.failures.isEmpty { core.failures[id.slot] = nil }
            if !core.names.isEmpty { core.names[id.slot] = nil }
            core.machine.operationReleased(id)
        }
    }

    // MARK: State

    /// Where it stands.
    public var state: OperationState {
        if end.withLock({ $0.outcome != nil }) { return .finished }
        return scheduler.feed { $0.machine.state(of: id) } ?? .finished
    }

    /// How it ended; nil until then.
    public var outcome: OperationOutcome? { end.withLock { $0.outcome } }

    /// What its body threw, when it failed.
    public var error: (any Error)? { end.withLock { $0.error } }

    /// Whether it was cancelled before its end.
    public var isCancelled: Bool {
        if let outcome = end.withLock({ $0.outcome }) { return outcome == .cancelled }
        return scheduler.feed { $0.machine.isCancelled(id) }
    }

    /// Whether all its dependencies are released; stays true while it executes and after.
    public var isReady: Bool { scheduler.feed { $0.machine.isReady(id) } }

    // MARK: Before it is added

    /// The order of starts inside a queue.
    ///
    /// May be changed until it starts.
    public func setPriority(_ priority: OperationPriority) {
        scheduler.feed { $0.machine.priorityChanged(id, to: priority) }
    }

    /// How long an attempt may execute, in seconds; then it is cancelled and fails.
    ///
    /// Set it before adding.
    public func setTimeout(seconds: Double) {
        configure { $0.timeout = SchedulerClock.nanoseconds(seconds) }
    }

    /// How often it is tried again after a failure.
    ///
    /// Set it before adding.
    public func setRetry(_ policy: RetryPolicy?) {
        configure { $0.retry = policy }
    }

    /// Starts only after `other` has finished.
    ///
    /// - Throws: ``SchedulingError`` for itself, for a cycle (with its path) and once it has started.
    public func addDependency(
        _ other: ScheduledOperation,
        when condition: DependencyCondition = .notFailed
    ) throws(SchedulingError) {
        precondition(other.scheduler === scheduler, "'\(other.name)' belongs to another scheduler")
        try scheduler.feedChecked { core throws(SchedulingFailure) in
            if core.machine.state(of: other.id) == nil, let outcome = other.outcome {
                try core.machine.dependencyAdded(id, onFinished: other.id, outcome, when: condition)
            } else {
                try core.machine.dependencyAdded(id, on: other.id, when: condition)
            }
        }
    }

    /// Undoes `addDependency`; it may become ready by it.
    public func removeDependency(_ other: ScheduledOperation) {
        scheduler.feed { _ = $0.machine.dependencyRemoved(id, on: other.id) }
    }

    /// Cancels it: not started, it never will; executing, its body is told.
    ///
    /// After its end: nothing.
    public func cancel() {
        scheduler.feed { _ = $0.machine.cancelled(id) }
    }

    private func configure(_ change: (inout OperationExtras) -> Void) {
        scheduler.feed { core in
            guard let record = core.machine.store.live(id) else { return }
            core.machine.withExtras(record, change)
        }
    }

    // MARK: Its end

    /// Called once when it has finished in whatever way, on the thread that ended it; at once if it has already.
    public func setCompletionBlock(_ block: @escaping @Sendable (ScheduledOperation) -> Void) {
        let runNow = end.withLock { end in
            if end.outcome != nil { return true }
            end.completionBlock = block
            return false
        }
        if runNow { block(self) }
    }

    /// Waits until it has finished.
    ///
    /// Blocks the calling thread.
    ///
    /// - Returns: False if `timeout` seconds went by before.
    @discardableResult
    public func waitUntilFinished(timeout: Double? = nil) -> Bool {
        let parker = end.withLock { end -> Parker? in
            if end.outcome != nil { return nil }
            let parker = Parker()
            end.parkers.append(parker)
            return parker
        }
        guard let parker else { return true }
        guard let timeout else {
            parker.park()
            return true
        }
        return parker.park(nanoseconds: SchedulerClock.nanoseconds(timeout))
    }

    /// Waits, as a task, until it has finished.
    public func finished() async {
        await withCheckedContinuation { continuation in
            let isOver = end.withLock { end in
                if end.outcome != nil { return true }
                end.continuations.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}

extension ScheduledOperation: OperationBody {
    package func execute() throws {
        switch body {
        case .plain(let body): try body()
        case .withContext(let body):
            let context = OperationContext()
            let isCancelled = end.withLock { end in
                end.context = context
                return end.isCancelled
            }
            if isCancelled { context.cancel() }
            try body(context)
        case .async: preconditionFailure("'\(name)' is async and cannot run on a worker")
        }
    }

    package func executeAsTask() async throws {
        guard case .async(let body) = body else { return try execute() }
        let task = end.withLock { end in
            let task = Task { try await body() }
            end.task = task
            if end.isCancelled { task.cancel() }
            return task
        }
        try await task.value
    }

    package func cancelExecution() {
        let (context, task) = end.withLock { end in
            end.isCancelled = true
            return (end.context, end.task)
        }
        context?.cancel()
        task?.cancel()
    }

    package func operationFinished(_ outcome: OperationOutcome, error: (any Error)?) {
        let end = end.withLock { end in
            let before = end
            end = End()
            end.outcome = outcome
            end.error = error
            return before
        }
        end.completionBlock?(self)
        for parker in end.parkers { parker.unpark() }
        for continuation in end.continuations { continuation.resume() }
    }
}

/// What the body of an operation sees while it executes.
public final class OperationContext: Sendable {
    private let flag = Atomic<Bool>(false)

    init() {}

    /// Whether the operation was cancelled or its time ran out: the body should return soon.
    public var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}
