internal import Synchronization

/// A queue of operations with a width, priorities, suspension and barriers: Foundation's `OperationQueue`, without its
/// traps.
///
/// Usable from any thread. Dropping the last reference does not stop the operations in it.
public final class ScheduledQueue: Sendable {
    /// The scheduler it belongs to.
    public let scheduler: Scheduler
    /// Its name in diagnoses.
    public let name: String
    /// Its identity.
    public let id: QueueID
    /// Whether the queue has no limit. Then a worker that polls finds everything that a new operation makes
    /// startable.
    private let hasNoLimit: Atomic<Bool>

    /// Makes a queue.
    ///
    /// - Parameter width: How many operations may execute at once; -1, the default, for no limit; 0: nothing starts.
    public init(
        _ scheduler: Scheduler,
        name: String = "queue",
        width: Int = -1,
        qualityOfService: OperationQualityOfService = .default
    ) {
        precondition(width >= -1, "a queue's width is -1 for no limit, 0 or more, not \(width)")
        self.scheduler = scheduler
        self.name = name
        hasNoLimit = Atomic(width < 0)
        id = scheduler.feed { $0.queueCreated(width: width, qualityOfService: qualityOfService) }
    }

    deinit {
        let id = id
        scheduler.feed { $0.queueDropped(id) }
    }

    /// How many operations may execute at once; -1 for no limit.
    ///
    /// Lowering it interrupts nothing.
    public var width: Int {
        get { scheduler.visit { $0.width(of: id) } }
        set {
            precondition(newValue >= -1, "a queue's width is -1 for no limit, 0 or more, not \(newValue)")
            scheduler.feed { core in
                core.widthChanged(id, to: newValue)
                hasNoLimit.store(newValue < 0, ordering: .relaxed)
            }
        }
    }

    /// While true, nothing more starts; executing operations continue.
    public var isSuspended: Bool {
        get { scheduler.visit { $0.isSuspended(id) } }
        set { scheduler.feed { $0.suspensionChanged(id, to: newValue) } }
    }

    /// Whether the first failure cancels the operations that have not started.
    public func setFailFast(_ failFast: Bool) {
        scheduler.feed { $0.failFastChanged(id, to: failFast) }
    }

    /// How many operations in it have not finished.
    public var operationCount: Int {
        scheduler.feed { $0.operationCount(in: id) }
    }

    /// Adds an operation.
    ///
    /// Resources are taken together before it starts and given back at its end.
    ///
    /// - Throws: ``SchedulingError`` if it is in a queue already, executes or has finished, or needs resources that do
    ///   not exist.
    public func add(
        _ operation: ScheduledOperation,
        after seconds: Double? = nil,
        resources: [String: Int] = [:]
    ) throws(SchedulingError) {
        try check(operation)
        try scheduler.feedChecked { core throws(SchedulingFailure) in
            var addition = AdditionSpec(operation.known(to: core))
            addition.delay = seconds.map(SchedulerClock.nanoseconds)
            if !resources.isEmpty { addition.resources = resources.map { ($0.key, $0.value) } }
            try core.operationAdded(addition, to: id)
            operation.added(to: core)
        }
    }

    /// Adds operations: all or none.
    ///
    /// The order of starts is decided once all are in.
    public func add(_ operations: [ScheduledOperation]) throws(SchedulingError) {
        for operation in operations { try check(operation) }
        try scheduler.feedChecked { core throws(SchedulingFailure) in
            try core.operationsAdded(operations.map { $0.known(to: core) }, to: id)
            for operation in operations { operation.added(to: core) }
        }
    }

    /// Adds an operation that runs after all added before it, and before all added after it.
    public func addBarrier(_ operation: ScheduledOperation) throws(SchedulingError) {
        try check(operation)
        try scheduler.feedChecked { core throws(SchedulingFailure) in
            var addition = AdditionSpec(operation.known(to: core))
            addition.isBarrier = true
            try core.operationAdded(addition, to: id)
            operation.added(to: core)
        }
    }

    private func check(_ operation: ScheduledOperation) throws(SchedulingError) {
        if operation.scheduler !== scheduler { throw SchedulingError(stranger: operation.name, queue: name) }
    }

    /// Adds a closure as an operation of its own. In a queue without a limit, this usually takes no lock.
    @discardableResult
    public func add(_ body: @escaping @Sendable () throws -> Void) -> ScheduledOperation {
        let operation = ScheduledOperation(scheduler, body: body)
        if hasNoLimit.load(ordering: .relaxed), AdditionList.takes(id) {
            scheduler.addNew(operation, to: id)
            return operation
        }
        do {
            try add(operation)
        } catch {
            preconditionFailure("a new operation was refused: \(error)")
        }
        return operation
    }

    /// Adds an operation around an inner queue; it finishes when all operations inside have finished.
    ///
    /// - Parameter width: How many of those inside may execute at once.
    /// - Returns: The group.
    @discardableResult
    public func addGroup(
        name: String = "group",
        width: Int = -1,
        _ operations: [ScheduledOperation]
    ) throws(SchedulingError) -> ScheduledOperation {
        let inner = ScheduledQueue(scheduler, name: name, width: width)
        let group = ScheduledOperation(group: scheduler, name: name)
        scheduler.feed { $0.groupCreated(group.known(to: $0), inner: inner.id) }
        try inner.add(operations)
        try add(group)
        return group
    }

    /// Cancels all operations in it.
    public func cancelAllOperations() {
        scheduler.feed { $0.allCancelled(in: id) }
    }

    /// Waits until all operations in it have finished, including those added meanwhile.
    ///
    /// Blocks the calling thread.
    ///
    /// - Returns: False if `timeout` seconds passed before.
    @discardableResult
    public func waitUntilAllOperationsAreFinished(timeout: Double? = nil) -> Bool {
        let deadline = timeout.map { SchedulerClock.systemNow + SchedulerClock.nanoseconds($0) }
        let parker = Parker()
        let isEmpty = scheduler.visit { core in
            guard core.operationCount(in: id) > 0 else { return true }
            core.shell.drainWaiters[id.index, default: []].append(parker)
            return false
        }
        if isEmpty { return true }
        if scheduler.wait(for: parker, until: deadline) { return true }
        return scheduler.visit { core in
            core.shell.drainWaiters[id.index]?.removeAll { $0 === parker }
            return core.operationCount(in: id) == 0
        }
    }
}

extension Scheduler {
    /// Sets how much there is of a resource that operations take before they start.
    public func setResource(_ name: String, _ total: Int) {
        feed { $0.resourceTotalChanged(name, to: max(0, total)) }
    }

    /// Feeds the machine an input that it may refuse, and throws a refusal as an error with a description.
    func feedChecked(_ body: (SchedulerCore) throws(SchedulingFailure) -> Void) throws(SchedulingError) {
        let refusal = feed { core -> SchedulingFailure? in
            do throws(SchedulingFailure) {
                try body(core)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { throw SchedulingError(refusal) { self.name(of: $0) } }
    }

    /// The name of an operation whose handle is known.
    private func name(of id: OperationID) -> String {
        feed { core in
            guard core.state(of: id) != nil else { return nil }
            return (core.body(id) as? ScheduledOperation)?.name ?? core.shell.names[id.slot]
        } ?? "operation"
    }
}
