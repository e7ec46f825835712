internal import Dispatch
public import Foundation
public import OpScript

/// A Foundation operation that the host passes to a script is an operation there.
///
/// The script sees its end, no matter which queue runs it. It can also add it to a queue, as long as the host
/// has not done that itself. Never add one that a script may have added: Foundation ends the process for an
/// operation that is started twice.
extension Operation: ForeignOperation {
    /// Its `name`.
    public var foreignName: String? { name }

    /// Observes its end by an operation that depends on it, since Foundation has no key-value observing on
    /// Linux.
    public func whenForeignFinished(_ body: @escaping @Sendable (ForeignOutcome) -> Void) {
        let watcher = BlockOperation { body(self.isCancelled ? .cancelled : .succeeded) }
        watcher.addDependency(self)
        OperationWatch.queue.addOperation(watcher)
    }

    /// The obstacle: it is in a queue, executes, or has finished. Only Foundation's internals show whether it
    /// is in a queue.
    public var foreignObstacle: String? {
        if isFinished { return "it has already finished" }
        if isExecuting { return "it already executes" }
        switch OperationInsides.isNew(self) {
        case true?: return nil
        case false?: return "it is in a queue of the host's already"
        case nil: return "this Foundation does not show whether it is in a queue already; add it in Swift"
        }
    }

    /// Runs it here. If it still has dependencies of its own, it runs as soon as these have finished, on a
    /// thread that Foundation chooses.
    public func runForeign() throws -> ForeignOutcome {
        if let obstacle = foreignObstacle {
            throw ScriptError(.misuse, "'\(name ?? "operation")' cannot run: \(obstacle)")
        }
        let end = DispatchSemaphore(value: 0)
        whenForeignFinished { _ in end.signal() }
        if isReady { start() } else { OperationWatch.queue.addOperation(self) }
        end.wait()
        return isCancelled ? .cancelled : .succeeded
    }

    /// Cancels it as `cancel()` does.
    public func cancelForeign() { cancel() }
}
