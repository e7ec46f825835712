internal import Scheduling

/// The awaited works that only read: a plan starts nothing else.
extension Operations {
    /// Marks operations that a plan runs, if the run is one: works that only read, and depend on nothing else that has
    /// not ended.
    ///
    /// - Returns: Whether it runs them.
    func markReads(_ ids: [OperationID]) -> Bool {
        guard configuration.plansOnly, !configuration.listsDeclarations, !ids.isEmpty else { return false }
        let known = Set(ids)
        let canRead = ids.allSatisfy { id in
            guard let view = liveView(id), view.pointee.work >= 0,
                case let work = runtime.works.definition(Int(view.pointee.work)), work.onlyReads,
                !work.isAsync
            else { return false }
            return dependencies(of: view).allSatisfy { other in
                known.contains(other)
                    || liveView(other).map {
                        $0.pointee.isFinished || $0.pointee.flags.contains(.isReadByPlan)
                    }
                        ?? true
            }
        }
        if canRead { for id in ids { liveView(id)?.pointee.flags.insert(.isReadByPlan) } }
        return canRead
    }

    /// Whether a plan may wait for these operations: it runs them, or they have ended.
    func planAwaits(_ ids: [OperationID]) -> Bool {
        ids.allSatisfy { id in
            liveView(id).map { $0.pointee.isFinished || $0.pointee.flags.contains(.isReadByPlan) } ?? true
        }
    }

    /// Runs everything in the queue of what a plan reads, on the script thread: a plan has no workers.
    func runReads(in queue: ScriptQueue) {
        while let (id, body) = scheduler.feed({ core in
            core.takeNext(.worker, from: queue.id).map { ($0, core.body($0)) }
        }) {
            var failure: (any Error)?
            do {
                try body?.execute()
            } catch {
                failure = error
            }
            scheduler.feed { $0.bodyEnded(id, failure) }
        }
    }
}
