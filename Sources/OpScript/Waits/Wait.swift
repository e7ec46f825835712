internal import LuaVM
internal import Scheduling

/// An object of the runtime that coroutines wait for.
protocol WaitSource: AnyObject {
    /// The waits for it.
    var waiters: WaiterQueue { get }
    /// Unfinished operations whose end could end the wait.
    var pendingOperations: [OperationID] { get }
    /// The reason why the wait can never end, if those operations are not the reason.
    var reason: String { get }
}

/// One coroutine that waits for something.
final class Wait {
    /// The thing that it waits for.
    enum Target {
        /// All of these operations, or any one.
        case operations([OperationID], any: Bool)
        case queue(ScriptQueue)
        case time
        /// A group, a semaphore, a work item.
        case source(any WaitSource)
        /// Another wait of the runtime, named for diagnoses.
        case something(String)
    }

    /// Its outcome.
    enum Outcome {
        case reached
        case timedOut
        case failed(ErrorValue)
    }

    let task: ScriptTask
    let target: Target
    /// The order in which waits began.
    let sequence: UInt64
    /// The place where it began, if the root of its task does not show that.
    let knownPlace: LuaPlace?
    var remaining = 1
    /// Whether it delivers the failure of an operation to the script.
    var takesFailures = true
    /// The first operation that finished, for `await.any`.
    var firstFinished: OperationID?
    var timer: TimerHandle?
    /// Set once it has ended; its turn may still be to come.
    var outcome: Outcome?
    /// Whether it is in the list of waits; set by the list, as are its neighbours below.
    var isListed = false
    /// Whether it began inside of `shield`, or in cleanup that is recognised when it begins: then no
    /// cancellation ends it.
    var beganShielded = false
    var previous: Unmanaged<Wait>?
    var next: Unmanaged<Wait>?
    init(task: ScriptTask, target: Target, sequence: UInt64, knownPlace: LuaPlace?) {
        self.task = task
        self.target = target
        self.sequence = sequence
        self.knownPlace = knownPlace
    }
}
