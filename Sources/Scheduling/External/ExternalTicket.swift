/// One attempt of an operation in a queue of an ``ExternalExecutor``, from its addition until it leaves.
package final class ExternalTicket: Sendable {
    /// The operation.
    package let id: OperationID
    /// Its name, for inspecting the native queue.
    package let name: String
    /// Its priority when it was added.
    package let priority: OperationPriority
    /// Its own quality of service; nil for that of the queue.
    package let qualityOfService: OperationQualityOfService?
    private let scheduler: Scheduler

    init(
        _ scheduler: Scheduler,
        _ id: OperationID,
        _ label: ExternalLabel,
        _ priority: OperationPriority
    ) {
        self.scheduler = scheduler
        self.id = id
        name = label.name
        qualityOfService = label.qualityOfService
        self.priority = priority
    }

    /// Runs the operation, whose turn has come. A closure runs before this returns; anything else continues
    /// elsewhere.
    ///
    /// Either way, ``ExternalExecutor/left(_:)`` reports its end. Does nothing if it has left already.
    package func run() {
        let (lane, body) = scheduler.feed { core -> (ExecutionLane?, (any OperationBody)?) in
            guard let ticket = core.shell.externals.tickets[id], ticket === self else { return (nil, nil) }
            return (core.externalTicketCame(id), core.body(id))
        }
        guard let lane else { return }
        switch lane {
        case .reader, .group: break
        case .task: scheduler.runAsTask(body, id)
        case .worker, .workerHigh, .workerLow, .workerLowest:
            var failure: (any Error)?
            do {
                try body?.execute()
            } catch {
                failure = error
            }
            scheduler.feed { $0.bodyEnded(id, failure) }
        }
    }

    /// Cancels the operation, on behalf of the executor of the queue.
    package func cancel() {
        scheduler.feed { core in
            guard let ticket = core.shell.externals.tickets[id], ticket === self else { return }
            core.cancelledFromQueue(id)
        }
    }
}

/// The properties of an operation that only an executor needs.
package struct ExternalLabel: Sendable {
    package var name: String
    package var qualityOfService: OperationQualityOfService?

    package init(name: String, qualityOfService: OperationQualityOfService?) {
        self.name = name
        self.qualityOfService = qualityOfService
    }
}
