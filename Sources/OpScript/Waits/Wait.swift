internal import LuaVM
internal import Scheduling

/// Something of the runtime's own that coroutines wait for.
protocol WaitSource: AnyObject {
    /// Those who wait.
    var waiters: WaiterQueue { get }
    /// Unfinished operations whose end could end the wait.
    var pendingOperations: [OperationID] { get }
    /// Why the wait can never end, where it is not because of those operations.
    var reason: String { get }
}

/// One coroutine that waits for something.
final class Wait {
    /// What it waits for.
    enum Target {
        /// All of these operations, or any one.
        case operations([OperationID], any: Bool)
        case queue(ScriptQueue)
        case time
        /// A group, a semaphore, a work item.
        case source(any WaitSource)
        /// Another wait of the runtime's own, named for diagnoses.
        case something(String)
    }

    /// How it ended.
    enum Outcome {
        case reached
        case timedOut
        case failed(ErrorValue)
    }

    let task: ScriptTask
    let target: Target
    /// The order in which waits began.
    let sequence: UInt64
    /// Where it began, where that cannot be seen from the root of its task.
    let knownPlace: LuaPlace?
    var remaining = 1
    /// The first that finished, for `await.any`.
    var firstFinished: OperationID?
    var timer: TimerHandle?
    /// It has an outcome; its turn may still be to come.
    var outcome: Outcome?
    /// Its place among all waits; the list's.
    var isListed = false
    /// It began inside of `shield`: no cancellation ends it.
    var isShielded = false
    var previous: Unmanaged<Wait>?
    var next: Unmanaged<Wait>?
    init(task: ScriptTask, target: Target, sequence: UInt64, knownPlace: LuaPlace?) {
        self.task = task
        self.target = target
        self.sequence = sequence
        self.knownPlace = knownPlace
    }

    /// Where it began: looked for on the stack, which stands still while it waits.
    var place: LuaPlace { knownPlace ?? task.root.state.place(level: 1) }
}
