extension ScheduledQueue {
    /// Adds closures, each as an operation of its own, all together: the order of starts is decided once all are in.
    ///
    /// Nobody gets a handle of any. Where the queue has no limit and is not suspended none is made, mostly: nothing but the
    /// closures has to be kept, and each is let go of as soon as it has run. What one throws makes its operation fail, which only the
    /// queue sees.
    ///
    /// ```swift
    /// queue.add(blocks: files.map { file in { try load(file) } })
    /// queue.waitUntilAllOperationsAreFinished()
    /// ```
    ///
    /// - Parameter blocks: What they do, on worker threads.
    public func add(blocks: consuming [@Sendable () throws -> Void]) {
        if !blocks.isEmpty { add(StretchBlocks(blocks)) }
    }

    /// Adds closures that cannot throw, as the ones that can: by themselves, so that the language need not wrap each in another one.
    public func add(blocks: consuming [@Sendable () -> Void]) {
        if !blocks.isEmpty { add(StretchBlocks(blocks)) }
    }

    private func add(_ blocks: StretchBlocks) {
        let members = StretchMembers(blocks, of: scheduler)
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
