internal import Foundation
internal import Scheduling
internal import Synchronization

/// What native code sees of an operation that a script put into an adopted `OperationQueue`.
///
/// It waits in the queue from the moment at which the script adds it; ready it is when the script's operation is.
/// Foundation starts it, in the order and at the time that the queue's rules give. Its end is that of the script's
/// operation.
final class NativeOperation: Operation, @unchecked Sendable {
    // @unchecked as the superclass is; what is new here is constant or behind `state`.

    private struct State {
        var hasStarted = false
        var hasLeft = false
        var isFinished = false
    }

    private let ticket: ExternalTicket
    /// In no queue; as long as it has not finished, this operation is not ready.
    private let readiness = Operation()
    private let state = Mutex(State())

    init(_ ticket: ExternalTicket) {
        self.ticket = ticket
        super.init()
        name = ticket.name
        // Always said: Foundation lets the quality of service decide the order where the priority was never set.
        queuePriority = Operation.QueuePriority(ticket.priority)
        if let quality = ticket.qualityOfService { qualityOfService = QualityOfService(quality) }
        addDependency(readiness)
    }

    /// Nothing but its turn holds the operation back.
    func becomeReady() { readiness.start() }

    /// The script's operation has ended, or waits again: this one ends as soon as the queue has started it.
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
