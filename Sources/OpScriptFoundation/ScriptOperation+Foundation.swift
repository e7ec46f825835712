public import Foundation
public import OpScript
internal import Synchronization

extension ScriptOperation {
    /// A Foundation operation that finishes when this one does, so that native code can depend on it.
    ///
    /// Cancelling it cancels the script's operation; if the script's operation ends as cancelled, this one is
    /// cancelled, too. It is in no queue, and must not be added to one or started. It finishes on any thread
    /// when the script's operation ends, or when the engine ends before that. Each call creates another one.
    public var foundationOperation: Operation {
        let end = EndOperation(self)
        whenFinished { outcome in end.scriptFinished(outcome) }
        return end
    }
}

/// Finishes when a script's operation does.
private final class EndOperation: Operation, @unchecked Sendable {
    // @unchecked as the superclass is; the new state is behind `operation`.
    private let operation: Mutex<ScriptOperation?>

    init(_ operation: ScriptOperation) {
        self.operation = Mutex(operation)
        super.init()
        name = operation.name
    }

    func scriptFinished(_ outcome: ScriptOperation.Outcome?) {
        // Released outside the lock.
        let done = operation.withLock { $0.take() }
        if outcome != .succeeded, outcome != .failed { super.cancel() }
        start()
        _ = consume done
    }

    override func cancel() {
        super.cancel()
        operation.withLock { $0 }?.cancel()
    }
}
