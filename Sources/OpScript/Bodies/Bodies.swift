internal import LuaVM
internal import Scheduling

/// Runs Lua bodies and callbacks, each as a task in a coroutine of the host, and does what follows when they end.
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
    let idleTasks = IdleTasks()
    let taskAnchors: TaskAnchors
    /// Interrupts running Lua code from other threads.
    let watch: LuaWatch
    /// Watches how long Lua runs, if slices have a limit.
    let sliceWatch: SliceWatch?

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
        sliceWatch = foundation.configuration.sliceLimit.map { SliceWatch(watch, limit: $0) }
        foundation.link.setStopHandler { watch.stop() }
        super.init(foundation)
    }
}
