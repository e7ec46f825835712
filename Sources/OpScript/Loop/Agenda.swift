internal import Scheduling

/// What the script thread has to do next: its turns, the events that it has fetched, and what is due at a time.
///
/// No part owns it: every part may append a turn or a time, and the loop takes them. Confined to the script thread.
final class Agenda {
    let turns = TurnQueue()
    /// The events that were fetched; those from `nextEvent` on have not been taken in yet.
    let events = PlainBuffer<SchedulerEvent>()
    var nextEvent = 0
    /// When those events were fetched: close enough to when they happened.
    var momentOfEvents: Int64 = 0
    /// Until when the script may continue, on the system's clock.
    var budgetEnd = Int64.max
    /// Whether a turn of one global queue may be given to another one.
    var choosesGlobalQueue = false
    private let dueTimesMemory = PlainMemory(TimerHeap<Due>())

    /// Sleeps, time limits of waits, timers.
    var dueTimes: TimerHeap<Due> {
        @inline(__always) _read { yield dueTimesMemory.value }
        @inline(__always) _modify { yield &dueTimesMemory.value }
    }
}
