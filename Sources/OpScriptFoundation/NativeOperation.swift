internal import Foundation
internal import Scheduling
internal import Synchronization

/// The native view of an operation that a script put into an adopted `OperationQueue`.
///
/// It waits in the queue from the moment at which the script adds it, and is ready when the script's
/// operation is ready. Foundation starts it, in the order and at the time that the queue's rules determine.
/// Its end is that of the script's operation.
final class NativeOperation: Operation, @unchecked Sendable {
    // @unchecked as the superclass is; the new state is constant or behind `state`.

    private struct State {
        var hasStarted = false
        var hasLeft = false
        var isFinished = false
    }

    private let ticket: ExternalTicket
    /// It is in no queue; this operation is not ready before it has finished.
    private let readiness = Operation()
    private let state = Mutex(State())

    init(_ ticket: ExternalTicket) {
        self.ticket = ticket
        super.init()
        name = ticket.name
        // Always set, since Foundation lets the quality of service decide the order if the priority was never
        // set.
        queuePriority = Operation.QueuePriority(ticket.priority)
        if let quality = ticket.qualityOfService { qualityOfService = QualityOfService(quality) }
        addDependency(readiness)
    }

    /// The operation waits only for its turn.
    func becomeReady() { readiness.start() }

    /// The script's operation has ended, or waits again. This operation ends as soon as the queue has started
    /// it.
    func leave() {
        let hasStarted = state.withLock { state in
            state.hasLeft = true
            return state.hasStarted
        }
        if hasStarted { finish() } else { super.cancel() }
    }

    /// The engine ends: the operation ends without having run, unless the queue has started it already.
    func abandon() {
        let hasStarted = state.withLock { state in
            if !state.hasStarted { state.hasLeft = true }
            return state.hasStarted
        }
        if !hasStarted { super.cancel() }
    }

    /// The script cancelled it.
    func cancelFromScript() { super.cancel() }

    private func finish() {
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
    }

    // MARK: For Foundation

    override var isAsynchronous: Bool { true }

    override var isExecuting: Bool { state.withLock { $0.hasStarted && !$0.isFinished } }

    override var isFinished: Bool { state.withLock { $0.isFinished } }

    override func start() {
        let hasLeft = state.withLock { state in
            state.hasStarted = true
            return state.hasLeft
        }
        if hasLeft { return finish() }
        didChangeValue(forKey: "isExecuting")
        ticket.run()
    }

    override func cancel() {
        super.cancel()
        ticket.cancel()
    }
}

extension Operation.QueuePriority {
    init(_ priority: OperationPriority) {
        self =
            switch priority {
            case .veryLow: .veryLow
            case .low: .low
            case .normal: .normal
            case .high: .high
            case .veryHigh: .veryHigh
            }
    }
}

extension QualityOfService {
    init(_ quality: OperationQualityOfService) {
        self =
            switch quality {
            case .background: .background
            case .utility: .utility
            case .default: .default
            case .userInitiated: .userInitiated
            case .userInteractive: .userInteractive
            }
    }
}
