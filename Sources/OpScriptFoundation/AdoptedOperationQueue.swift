internal import Foundation
internal import OpScript
internal import Scheduling
internal import Synchronization

/// A Foundation queue that scripts reach by name.
final class AdoptedOperationQueue: AdoptedQueue {
    private let queue: OperationQueue
    /// By attempt, from its addition until it leaves.
    private let operations = Mutex<[ObjectIdentifier: NativeOperation]>([:])

    init(_ queue: OperationQueue) {
        self.queue = queue
    }

    // MARK: What scripts put into it

    func added(_ ticket: ExternalTicket) {
        let operation = NativeOperation(ticket)
        operations.withLock { $0[ObjectIdentifier(ticket)] = operation }
        queue.addOperation(operation)
    }

    func becameReady(_ ticket: ExternalTicket) { operation(ticket)?.becomeReady() }

    func priorityChanged(_ ticket: ExternalTicket, to priority: OperationPriority) {
        operation(ticket)?.queuePriority = Operation.QueuePriority(priority)
    }

    func cancelled(_ ticket: ExternalTicket) { operation(ticket)?.cancelFromScript() }

    func left(_ ticket: ExternalTicket) {
        operations.withLock { $0.removeValue(forKey: ObjectIdentifier(ticket)) }?.leave()
    }

    private func operation(_ ticket: ExternalTicket) -> NativeOperation? {
        operations.withLock { $0[ObjectIdentifier(ticket)] }
    }

    // MARK: Its properties

    var maxConcurrentOperationCount: Int { queue.maxConcurrentOperationCount }

    func setMaxConcurrentOperationCount(_ count: Int) throws(ScriptError) {
        try refuseMain("maxConcurrentOperationCount")
        queue.maxConcurrentOperationCount = count
    }

    var isSuspended: Bool { queue.isSuspended }

    func setSuspended(_ isSuspended: Bool) throws(ScriptError) {
        try refuseMain("isSuspended")
        queue.isSuspended = isSuspended
    }

    /// Foundation would ignore it without a word.
    private func refuseMain(_ property: String) throws(ScriptError) {
        guard queue === OperationQueue.main else { return }
        throw ScriptError(.misuse, "'\(property)' of the host's main queue cannot be changed")
    }
}
