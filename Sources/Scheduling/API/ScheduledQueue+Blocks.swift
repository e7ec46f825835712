extension ScheduledQueue {
    /// Adds closures, each as an operation of its own, all together: the order of starts is decided once all are in.
    ///
    /// No operation has a handle. Each closure is released as soon as it has run. If one throws, its operation fails,
    /// which only the queue sees.
    ///
    /// ```swift
    /// queue.add(blocks: files.map { file in { try load(file) } })
    /// queue.waitUntilAllOperationsAreFinished()
    /// ```
    ///
    /// - Parameter blocks: The closures; they run on worker threads.
    public func add(blocks: consuming [@Sendable () throws -> Void]) {
        let blocks = blocks
        scheduler.feed { core in
            for block in blocks { core.add(BlockBody(run: block), to: id) }
        }
    }

    /// Adds closures that cannot throw, in the same way.
    public func add(blocks: consuming [@Sendable () -> Void]) {
        let blocks = blocks
        scheduler.feed { core in
            for block in blocks { core.add(BlockBody(run: block), to: id) }
        }
    }
}

/// A closure that is an operation without a handle.
private final class BlockBody: OperationBody {
    // nonisolated(unsafe) because only the thread that executes the operation touches it, once.
    private nonisolated(unsafe) var run: (@Sendable () throws -> Void)?

    init(run: @escaping @Sendable () throws -> Void) { self.run = run }

    package func execute() throws { try run.take()?() }

    /// A block cannot see a cancellation.
    package func cancelExecution() {}
}

extension SchedulerCore {
    /// Adds an operation without a handle.
    fileprivate func add(_ body: BlockBody, to queue: QueueID) {
        let id = operationCreated(lane: .worker)
        setBody(body, for: id)
        newOperationAdded(id, to: queue)
    }
}
