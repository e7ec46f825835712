internal import LuaVM
internal import Scheduling

/// The loop of the script thread: takes in events from elsewhere, performs turns, waits, and detects
/// deadlocks.
///
/// Owns its progress through the due items, and the limit of its time. Called by the run; nothing else runs
/// the script.
final class ScriptLoop: RuntimePart {
    let virtualTime: VirtualTime
    let queues: Queues
    let operations: Operations
    let waits: Waits
    let bodies: Bodies
    let timers: Timers
    let sources: EventSources

    var statusPublishedAt: Int64 = 0
    /// The due items that were taken from the agenda and are being performed.
    var dueItems: [Due] = []
    /// The value of `turns.taken` at which the next batch of due items may be taken.
    var endOfDue = 0
    /// How long it may sleep on its thread before it returns the reason for the wait, in nanoseconds.
    var patience = Int64.max
    var warnedOfMissingThreads = false
    /// Whether memory has a limit, which Lua shares with the values that Swift keeps.
    let countsMemory: Bool
    /// How much of the limit Swift used at the last check.
    var memoryOutside = 0

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
        countsMemory = foundation.link.meter.countsMemory
        super.init(foundation)
    }
}
