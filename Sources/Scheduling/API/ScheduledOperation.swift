/// A unit of work with dependencies, a priority, a state and an outcome: Foundation's `Operation`, without its traps.
///
/// Create it, add its dependencies, and add it to a ``ScheduledQueue``. Usable from any thread. Dropping the
/// last reference to one that is in a queue does not stop it.
public final class ScheduledOperation: Sendable {
    /// The scheduler it belongs to.
    public let scheduler: Scheduler
    // nonisolated(unsafe) because it is accessed only under the scheduler's lock, in `deinit`, and, before the
    // operation is shared, by the thread that adds it.
    /// Its identity in the machine, to which the operation is made known only when needed. While the
    /// operation is in the scheduler's list of additions, this field holds its queue and the operation before
    /// it (``AdditionLink``).
    nonisolated(unsafe) var knownID = OperationID.none
    let end: OperationEnd
    // nonisolated(unsafe) because it changes only at the end, when nothing executes the operation.
    /// Its body; nil at the end, and if the body is of a less common kind.
    private nonisolated(unsafe) var body: PlainBody?
    /// Its name in errors and diagnoses.
    public let name: String

    /// Holds the closure: Swift wraps a closure that passes through generic code in another one.
    fileprivate struct PlainBody: Sendable {
        let run: @Sendable () throws -> Void
    }

    // The fields that every operation uses come first, in one cache line if possible. The object has 72 bytes with
    // what Swift adds: the largest object for which malloc takes no more than 80.

    private init(
        _ scheduler: consuming Scheduler,
        name: consuming String,
        lane: ExecutionLane,
        body: consuming PlainBody?,
        oddBody: OperationEnd.OddBody? = nil
    ) {
        self.scheduler = consume scheduler
        self.name = consume name
        self.body = consume body
        end = OperationEnd(lane: lane)
        if let oddBody { end.beforeEnd { $0.body = oddBody } }
    }

    /// Its place in the scheduler's list of additions, while it is in the list.
    var additionLink: AdditionLink {
        get { AdditionLink(knownID) }
        set { knownID = newValue.packed }
    }

    /// It is no longer in the list.
    func leaveAdditionList() { knownID = .none }

    /// Its identity.
    public var id: OperationID { scheduler.feed { known(to: $0) } }

    /// Its identity, under the lock; makes it known to the machine if it was not.
    @inline(__always)
    func known(to core: SchedulerCore) -> OperationID {
        knownID == .none ? introduce(to: core) : knownID
    }

    private func introduce(to core: SchedulerCore) -> OperationID {
        knownID = core.operationCreated(lane: end.lane)
        if name != Self.defaultName { core.shell.names[knownID.slot] = name }
        if end.hasCompletionBlock { core.completionBlockSet(knownID) }
        return knownID
    }

    /// It is in a queue: from now on the scheduler retains it, and reads its name from it.
    @inline(__always)
    func added(to core: SchedulerCore) {
        core.setBody(self, for: knownID)
        if !core.shell.names.isEmpty { core.shell.names[knownID.slot] = nil }
    }

    static let defaultName = "operation"

    /// An operation that runs `body` on a worker thread.
    public convenience init(
        _ scheduler: consuming Scheduler,
        name: consuming String = "operation",
        qualityOfService: OperationQualityOfService = .default,
        body: consuming @escaping @Sendable () throws -> Void
    ) {
        self.init(
            consume scheduler,
            name: consume name,
            lane: ExecutionLane(qualityOfService: qualityOfService),
            body: PlainBody(run: consume body)
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
            lane: ExecutionLane(qualityOfService: qualityOfService),
            body: nil,
            oddBody: .withContext(body)
        )
    }

    /// An operation whose body is a Swift task: it holds no thread while it is suspended.
    public convenience init(
        async scheduler: Scheduler,
        name: String = "operation",
        body: @escaping @Sendable () async throws -> Void
    ) {
        if case .simulated = scheduler.executor {
            preconditionFailure(
                "a simulation cannot run '\(name)': async closures run on threads of Swift's own"
            )
        }
        self.init(scheduler, name: name, lane: .task, body: nil, oddBody: .async(body))
    }

    /// An operation without a body, around an inner queue.
    convenience init(group scheduler: Scheduler, name: String) {
        self.init(scheduler, name: name, lane: .group, body: nil)
    }

    deinit {
        // Unknown to the machine, or finished: its slot is free already.
        if knownID == .none || end.outcome != nil { return }
        let id = knownID
        scheduler.feed { $0.handleReleased(id) }
    }

    // MARK: State

    /// The stage that it has reached.
    public var state: OperationState {
        if end.isTold { return .finished }
        return scheduler.feed { $0.state(of: known(to: $0)) } ?? .finished
    }

    /// How it ended; nil until then. Its completion block may not have been called yet.
    public var outcome: OperationOutcome? { end.outcome }

    /// The error that its body threw, if it failed.
    public var error: (any Error)? { end.error }

    /// Whether it was cancelled before its end.
    public var isCancelled: Bool {
        if let outcome = end.outcome { return outcome == .cancelled }
        return scheduler.feed { $0.isCancelled(known(to: $0)) }
    }

    /// Whether all its dependencies are released; stays true while it executes and after.
    public var isReady: Bool { scheduler.feed { $0.isReady(known(to: $0)) } }

    // MARK: Before it is added

    /// The order of starts inside a queue.
    ///
    /// May be changed until it starts.
    public func setPriority(_ priority: OperationPriority) {
        scheduler.feed { $0.priorityChanged(known(to: $0), to: priority) }
    }

    /// How long an attempt may execute, in seconds; then it is cancelled and fails.
    ///
    /// Set it before adding.
    public func setTimeout(seconds: Double) {
        scheduler.feed { $0.timeoutChanged(known(to: $0), to: SchedulerClock.nanoseconds(seconds)) }
    }

    /// How often it is tried again after a failure.
    ///
    /// Set it before adding.
    public func setRetry(_ policy: RetryPolicy?) {
        scheduler.feed { $0.retryChanged(known(to: $0), to: policy) }
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
            let id = known(to: core)
            // The outcome is noted under this lock, in the same critical section in which the machine forgets
            // the operation.
            if let outcome = other.end.outcome {
                try core.dependencyAdded(id, onFinished: other.knownID, outcome, when: condition)
            } else {
                try core.dependencyAdded(id, on: other.known(to: core), when: condition)
            }
        }
    }

    /// Undoes `addDependency`; the operation may become ready.
    public func removeDependency(_ other: ScheduledOperation) {
        scheduler.feed { $0.dependencyRemoved(known(to: $0), on: other.known(to: $0)) }
    }

    /// Cancels it. An operation that has not started never will; an executing body is notified.
    ///
    /// Has no effect after its end.
    public func cancel() {
        scheduler.feed { _ = $0.cancelled(known(to: $0)) }
    }

    // MARK: Its end

    /// Called once when it has finished with any outcome, on the thread that ended it; called at once if it
    /// has finished already.
    ///
    /// The block may take long, and may wait for other operations: they do not depend on that thread.
    public func setCompletionBlock(_ block: @escaping @Sendable (ScheduledOperation) -> Void) {
        guard end.beforeEnd({ $0.completionBlock = block }) else { return block(self) }
        // A claim reports its ends late, and from any thread, so an operation with a completion block leaves
        // the claim.
        scheduler.visit { core in
            core.completionBlockSet(known(to: core))
            if core.isClaimed(knownID) { core.takeBackClaims() }
        }
    }

    /// Waits until it has finished.
    ///
    /// Blocks the calling thread.
    /// - Returns: False if `timeout` seconds passed before.
    @discardableResult
    public func waitUntilFinished(timeout: Double? = nil) -> Bool {
        if end.isTold { return true }
        let parker = Parker()
        guard end.beforeEnd({ $0.parkers.append(parker) }) else { return true }
        // A claim reports its ends late, so an operation with a waiter leaves the claim.
        scheduler.feed { _ in }
        let deadline = timeout.map { SchedulerClock.systemNow + SchedulerClock.nanoseconds($0) }
        if scheduler.wait(for: parker, until: deadline) { return true }
        return !end.beforeEnd { $0.parkers.removeAll { $0 === parker } }
    }

    /// Waits, as a task, until it has finished.
    public func finished() async {
        await withCheckedContinuation { continuation in
            if !end.beforeEnd({ $0.continuations.append(continuation) }) { continuation.resume() }
        }
    }
}

extension ScheduledOperation: OperationBody {
    package func execute() throws {
        // Moved out and back: a copy would retain each object that the closure holds once more.
        guard let run = body.take()?.run else { return try executeWithContext() }
        defer { body = PlainBody(run: run) }
        try run()
    }

    @inline(never)
    private func executeWithContext() throws {
        guard case .withContext(let body) = end.oddBody else {
            preconditionFailure("'\(name)' has no body for a worker")
        }
        let context = OperationContext()
        end.beforeEnd { $0.context = context }
        if isAttemptCancelled { context.cancel() }
        try body(context)
    }

    package func executeAsTask() async throws {
        guard case .async(let body) = end.oddBody else { return try execute() }
        let task = Task { try await body() }
        end.beforeEnd { $0.task = task }
        if isAttemptCancelled { task.cancel() }
        try await task.value
    }

    /// Called some time after the cancellation. Another attempt may be executing by then, so the machine is
    /// queried again.
    package func cancelExecution() {
        var context: OperationContext?
        var task: Task<Void, any Error>?
        end.beforeEnd {
            context = $0.context
            task = $0.task
        }
        guard isAttemptCancelled else { return }
        context?.cancel()
        task?.cancel()
    }

    /// Whether the attempt that executes now was cancelled, or its time ran out.
    private var isAttemptCancelled: Bool { scheduler.feed { $0.isCancelled(known(to: $0)) } }

    package func operationDecided(_ outcome: OperationOutcome, error: (any Error)?) {
        end.decide(outcome, error)
    }

    package func operationFinished() {
        // Releases the objects that the closure holds, however long the handle lives.
        body = nil
        guard let rest = end.tell() else { return }
        rest.completionBlock?(self)
        for parker in rest.parkers { parker.unpark() }
        for continuation in rest.continuations { continuation.resume() }
    }
}
