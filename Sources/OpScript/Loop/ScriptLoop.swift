internal import LuaVM
internal import Scheduling

/// The loop of the script thread: takes in what happened elsewhere, performs turns, waits, and looks for deadlocks.
///
/// Owns how far it has come with what is due, and how long it may go on. Called by the run; nothing else runs the
/// script.
final class ScriptLoop: RuntimePart {
    let virtualTime: VirtualTime
    let queues: Queues
    let operations: Operations
    let waits: Waits
    let bodies: Bodies
    let timers: Timers
    let sources: EventSources

    var statusPublishedAt: Int64 = 0
    /// What is due and has been taken from the agenda, while it is looked at.
    var dueItems: [Due] = []
    /// How many turns have to be taken before more of what is due.
    var endOfDue = 0
    /// Whether it may sleep on its thread; else it says what it waits for.
    var parks = true
    var warnedOfMissingThreads = false

    init(
        _ foundation: RuntimeFoundation,
        virtualTime: VirtualTime,
        queues: Queues,
        operations: Operations,
        waits: Waits,
        bodies: Bodies,
        timers: Timers,
        sources: EventSources
    ) {
        self.virtualTime = virtualTime
        self.queues = queues
        self.operations = operations
        self.waits = waits
        self.bodies = bodies
        self.timers = timers
        self.sources = sources
        super.init(foundation)
    }
}
