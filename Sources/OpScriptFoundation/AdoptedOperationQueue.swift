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

    func added(_ turn: ExternalTurn) {
        let operation = NativeOperation(turn)
        operations.withLock { $0[ObjectIdentifier(turn)] = operation }
        queue.addOperation(operation)
    }

    func becameReady(_ turn: ExternalTurn) { operation(turn)?.becomeReady() }

    func priorityChanged(_ turn: ExternalTurn, to priority: OperationPriority) {
        operation(turn)?.queuePriority = Operation.QueuePriority(priority)
    }

    func cancelled(_ turn: ExternalTurn) { operation(turn)?.cancelFromScript() }

    func left(_ turn: ExternalTurn) {
        operations.withLock { $0.removeValue(forKey: ObjectIdentifier(turn)) }?.leave()
    }

    private func operation(_ turn: ExternalTurn) -> NativeOperation? {
        operations.withLock { $0[ObjectIdentifier(turn)] }
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
