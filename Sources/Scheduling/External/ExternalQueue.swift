internal import Synchronization

/// A mailbox between the scheduler and an executor: messages that are pushed under the scheduler's lock are
/// delivered outside it, in order.
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

    /// Delivers all pushed messages to the executor. If another thread is delivering, that thread delivers
    /// these, too.
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

/// The shell's data about queues that other executors run.
struct ExternalTable {
    /// The queues. The key is the place in the list of queues.
    var queues: [UInt32: ExternalQueue] = [:]
    /// Attempts that were added and have not left.
    var tickets: [OperationID: ExternalTicket] = [:]
    /// The owner's specifications for operations in such queues.
    var labels: [OperationID: ExternalLabel] = [:]
}

extension Scheduler {
    /// Creates a queue whose operations the executor runs. It lives as long as the scheduler.
    package func adopt(_ executor: any ExternalExecutor) -> QueueID {
        feed { core in
            let queue = core.externalQueueCreated()
            core.shell.externals.queues[queue.index] = ExternalQueue(executor)
            return queue
        }
    }
}

extension SchedulerCore {
    /// The specification that an executor needs of an operation that is about to be added to its queue.
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
