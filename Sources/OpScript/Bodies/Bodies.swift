internal import LuaVM
internal import Scheduling

/// Runs Lua bodies and callbacks, each as a task in a coroutine of the host, and handles their ends.
///
/// Owns the tasks. Called by the loop's turns.
final class Bodies: RuntimePart {
    let virtualTime: VirtualTime
    let queues: Queues
    let operations: Operations
    let observers: Observers
    let waits: Waits

    /// The task that runs; its caller holds it meanwhile.
    var running: Unmanaged<ScriptTask>?
    var current: ScriptTask? { running?.takeUnretainedValue() }
    /// The operation whose completion block was called last in a series of them.
    var served: OperationID?
    /// Whether Lua has run since its output was flushed.
    var ranSinceFlush = false
    /// The task that was stopped in the middle of its code, because the host's time was used up. Nothing else of the
    /// script runs before it waits or ends.
    var pausedTask: ScriptTask?
    /// The tasks that were to run in the same turn, after it.
    var heldUpEntries: [(ScriptTask, TaskEntry)] = []
    /// How long that task has run since its last wait, in nanoseconds.
    var timeOfSlice: Int64 = 0
    let idleTasks = IdleTasks()
    let taskAnchors: TaskAnchors
    /// Interrupts running Lua code from other threads.
    let watch: LuaWatch
    /// Watches how long Lua and the run take, if there is a limit of time.
    let timeWatch: TimeWatch?

    init(
        _ foundation: RuntimeFoundation,
        virtualTime: VirtualTime,
        queues: Queues,
        operations: Operations,
        observers: Observers,
        waits: Waits
    ) {
        self.virtualTime = virtualTime
        self.queues = queues
        self.operations = operations
        self.observers = observers
        self.waits = waits
        taskAnchors = TaskAnchors(table: foundation.vm.makeTable())
        let watch = LuaWatch(foundation.vm)
        self.watch = watch
        let link = foundation.link
        timeWatch = TimeWatch(watch, foundation.configuration) { [weak link] reason, run in
            link?.post { $0.run.timeIsUp(reason, run) }
        }
        link.setStopHandler { watch.stop() }
        link.setCancelHandler { [weak timeWatch] in timeWatch?.graceBegins() }
        link.setInterruptHandler { [weak timeWatch] in timeWatch?.interrupt() }
        super.init(foundation)
    }
}
