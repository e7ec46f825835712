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
    public func add(blocks: consuming [@Sendable () throws -> Void]) { addAll(blocks) { .throwing($0) } }

    /// Adds closures that cannot throw, in the same way.
    public func add(blocks: consuming [@Sendable () -> Void]) { addAll(blocks) { .plain($0) } }

    private func addAll<Closure>(_ closures: [Closure], _ block: (GenericClosure<Closure>) -> Block) {
        scheduler.feed { core in
            for closure in closures {
                let operation = core.operationCreated(lane: .worker)
                core.setBlock(block(GenericClosure(closure)), for: operation)
                core.newOperationAdded(operation, to: id)
            }
        }
    }
}
