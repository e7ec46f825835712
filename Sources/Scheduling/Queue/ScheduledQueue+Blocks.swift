extension ScheduledQueue {
    /// Adds closures, each as an operation of its own, all together: the order of starts is decided once all are in.
    ///
    /// Nobody gets a handle of any. Where the queue has no limit and is not suspended, none is made: nothing but the closures
    /// themselves has to be kept, and each is let go of as soon as it has run. What one throws is seen by the queue alone, as the failure
    /// of an operation.
    ///
    /// ```swift
    /// queue.add(blocks: files.map { file in { try load(file) } })
    /// queue.waitUntilAllOperationsAreFinished()
    /// ```
    ///
    /// - Parameter blocks: What they do, on worker threads. Swift wraps a closure that cannot throw in another one on its way into
    ///   the array; written as `{ () throws in … }` it is not.
    public func add(blocks: consuming [@Sendable () throws -> Void]) {
        if blocks.isEmpty { return }
        let members = StretchMembers(StretchBlocks(blocks), of: scheduler)
        if members.count >= SchedulerCore.shortestStretch,
            scheduler.visit({ $0.addStretch(blocks: members, to: id) })
        {
            return
        }
        do {
            try add((0..<members.count).map { members.takeHandle($0, isExecuting: false) })
        } catch {
            preconditionFailure("new operations were refused: \(error)")
        }
    }
}
