internal import Foundation
internal import OpScript
internal import Scheduling
internal import Synchronization

/// A Foundation queue that scripts reach by name.
final class AdoptedOperationQueue: AdoptedQueue {
    private struct State {
        /// The native operation of each attempt, from the addition of the attempt until it leaves.
        var operations: [ObjectIdentifier: NativeOperation] = [:]
        var isClosed = false
    }

    private let queue: OperationQueue
    private let claims: QueueClaims
    private let state = Mutex(State())

    init(_ queue: OperationQueue) {
        self.queue = queue
        claims = .of(queue)
    }

    // MARK: Operations of scripts

    func added(_ ticket: ExternalTicket) {
        let operation = NativeOperation(ticket)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.operations[ObjectIdentifier(ticket)] = operation }
            return !state.isClosed
        }
        if isOpen { queue.addOperation(operation) }
    }

    func becameReady(_ ticket: ExternalTicket) { operation(ticket)?.becomeReady() }

    func priorityChanged(_ ticket: ExternalTicket, to priority: OperationPriority) {
        operation(ticket)?.queuePriority = Operation.QueuePriority(priority)
    }

    func cancelled(_ ticket: ExternalTicket) { operation(ticket)?.cancelFromScript() }

    func left(_ ticket: ExternalTicket) {
        state.withLock { $0.operations.removeValue(forKey: ObjectIdentifier(ticket)) }?.leave()
    }

    private func operation(_ ticket: ExternalTicket) -> NativeOperation? {
        state.withLock { $0.operations[ObjectIdentifier(ticket)] }
    }

    // MARK: Its properties

    var maxConcurrentOperationCount: Int { queue.maxConcurrentOperationCount }

    func setMaxConcurrentOperationCount(_ count: Int) throws(ScriptError) {
        try refuseMain("maxConcurrentOperationCount")
        try change { claims.setWidth(count, for: $0) }
    }

    var isSuspended: Bool { queue.isSuspended }

    func setSuspended(_ isSuspended: Bool) throws(ScriptError) {
        try refuseMain("isSuspended")
        try change { claims.setSuspended(isSuspended, for: $0) }
    }

    /// Changes the queue, unless the engine has ended.
    private func change(_ body: (ObjectIdentifier) -> Void) throws(ScriptError) {
        let isOpen = state.withLock { state in
            if !state.isClosed { body(ObjectIdentifier(self)) }
            return !state.isClosed
        }
        if !isOpen { throw ScriptError(.host, "the engine has ended") }
    }

    func close() {
        let operations = state.withLock { state in
            state.isClosed = true
            return Array(state.operations.values)
        }
        // This happens before the queue can start them.
        for operation in operations { operation.abandon() }
        claims.release(ObjectIdentifier(self))
    }

    /// Foundation would silently ignore it.
    private func refuseMain(_ property: String) throws(ScriptError) {
        guard queue === OperationQueue.main else { return }
        throw ScriptError(.misuse, "'\(property)' of the host's main queue cannot be changed")
    }
}
