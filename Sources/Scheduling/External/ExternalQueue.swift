internal import Synchronization

/// The way from the scheduler to an executor: what is pushed under the scheduler's lock is delivered outside it, in
/// order.
final class ExternalQueue: Sendable {
    enum Step {
        case added, ready, cancelled, left
        case priority(OperationPriority)
    }

    private struct State {
        var steps: [(ExternalTicket, Step)] = []
        var isDelivering = false
    }

    private let executor: any ExternalExecutor
    private let state = Mutex(State())

    init(_ executor: any ExternalExecutor) {
        self.executor = executor
    }

    /// Under the scheduler's lock.
    func push(_ step: Step, _ ticket: ExternalTicket) {
        state.withLock { $0.steps.append((ticket, step)) }
    }

    /// Delivers all that was pushed to the executor, unless another thread is delivering: then that one does.
    func deliver() {
        var isFirst = true
        while true {
            let steps = state.withLock { state -> [(ExternalTicket, Step)] in
                if isFirst, state.isDelivering { return [] }
                isFirst = false
                let steps = state.steps
                state.steps = []
                state.isDelivering = !steps.isEmpty
                return steps
            }
            if steps.isEmpty { return }
            for (ticket, step) in steps {
                switch step {
                case .added: executor.added(ticket)
                case .ready: executor.becameReady(ticket)
                case .priority(let priority): executor.priorityChanged(ticket, to: priority)
                case .cancelled: executor.cancelled(ticket)
                case .left: executor.left(ticket)
                }
            }
        }
    }
}

/// What the shell knows of queues that other executors run.
struct ExternalTable {
    /// By place in the list of queues.
    var queues: [UInt32: ExternalQueue] = [:]
    /// Attempts that were added and have not left.
    var tickets: [OperationID: ExternalTicket] = [:]
    /// What the owner specified for operations in such queues.
    var labels: [OperationID: ExternalLabel] = [:]
}

extension Scheduler {
    /// Makes a queue whose operations run where the executor says. It lives as long as the scheduler.
    package func adopt(_ executor: any ExternalExecutor) -> QueueID {
        feed { core in
            let queue = core.externalQueueCreated()
            core.shell.externals.queues[queue.index] = ExternalQueue(executor)
            return queue
        }
    }
}

extension SchedulerCore {
    /// What an executor has to know of an operation that is about to be added to its queue.
    package func setExternalLabel(_ label: ExternalLabel, for id: OperationID) {
        shell.externals.labels[id] = label
    }

    /// Pushes a step of the machine; returns the queue that has to deliver it.
    func note(
        _ step: SchedulerAction.ExternalStep,
        _ id: OperationID,
        _ queue: UInt32,
        _ scheduler: Scheduler
    )
        -> ExternalQueue?
    {
        guard let external = shell.externals.queues[queue] else { return nil }
        switch step {
        case .added(let priority):
            let label =
                shell.externals.labels[id] ?? ExternalLabel(name: "operation", qualityOfService: nil)
            let ticket = ExternalTicket(scheduler, id, label, priority)
            shell.externals.tickets[id] = ticket
            external.push(.added, ticket)
        case .ready:
            if let ticket = shell.externals.tickets[id] { external.push(.ready, ticket) }
        case .priority(let priority):
            if let ticket = shell.externals.tickets[id] { external.push(.priority(priority), ticket) }
        case .cancelled:
            if let ticket = shell.externals.tickets[id] { external.push(.cancelled, ticket) }
        case .left(let isForGood):
            if let ticket = shell.externals.tickets.removeValue(forKey: id) { external.push(.left, ticket) }
            if isForGood { shell.externals.labels[id] = nil }
        }
        return external
    }
}
