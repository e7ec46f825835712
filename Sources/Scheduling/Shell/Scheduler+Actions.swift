/// The machine's actions, which are carried out outside the lock.
extension Scheduler {
    /// Cancels the body of an operation that executes.
    func cancelBody(_ id: OperationID) {
        // The operation may have ended since, and its slot may belong to another one.
        let body = feed { core in core.lane(ofExecuting: id) == nil ? nil : core.body(id) }
        body?.cancelExecution()
    }

    /// Runs a body as a Swift task and reports its end.
    func runAsTask(_ body: (any OperationBody)?, _ id: OperationID) {
        if ordersRealEnds { visit { realBodyBegins(id, isTask: true, $0) } }
        Task {
            var failure: (any Error)?
            do {
                try await body?.executeAsTask()
            } catch {
                failure = error
            }
            if self.ordersRealEnds {
                self.realBodyEnded(id, failure)
            } else {
                self.visit { $0.bodyEnded(id, failure) }
            }
        }
    }
}
