internal import Scheduling

/// The script thread's next tasks: its turns, the events that it has fetched, and the items that are due at a
/// time.
///
/// No part owns it: every part may append a turn or a time, and the loop takes them. Confined to the script thread.
final class Agenda {
    let turns = TurnQueue()
    /// The events that were fetched; those from `nextEvent` on have not been taken in yet.
    let events = PlainBuffer<SchedulerEvent>()
    /// Their facts, if the run is recorded.
    let facts = PlainBuffer<EventFact>()
    var nextEvent = 0
    /// How many events were fetched before those.
    private var formerEvents: UInt64 = 0

    /// How many events were taken in, since the beginning.
    var seenEvents: UInt64 { formerEvents + UInt64(nextEvent) }

    /// Other events are about to be fetched; all those before have been taken in.
    func fetchesEvents() {
        formerEvents += UInt64(events.count)
        nextEvent = 0
    }
    /// The fact of the event that is being taken in, with its operation; nil if there is none, or it was
    /// used.
    private let fact = PlainMemory<(id: OperationID, fact: EventFact)>((.none, EventFact()))
    /// When those events were fetched. It stands for the time at which they happened, which was shortly before.
    var momentOfEvents: Int64 = 0
    /// ``TurnQueue/end`` when an operation last became ready.
    var lastRelease = 0
    /// The moment until which the script may continue, on the system's clock.
    var budgetEnd = Int64.max
    /// Whether code that still runs at that moment is paused in the middle.
    var pausesAtBudgetEnd = false
    /// Whether there are several global queues, so that a turn of one serves the others as well.
    var choosesGlobalQueue = false
    /// An event of an operation is being taken in.
    func setFact(_ fact: EventFact, of id: OperationID) { self.fact.value = (id, fact) }

    /// The event has been taken in.
    func dropFact() { fact.value.id = .none }

    /// The fact of the event of an operation that is being taken in.
    func takeFact(of id: OperationID) -> EventFact? {
        guard fact.value.id == id else { return nil }
        fact.value.id = .none
        return fact.value.fact
    }

    private let dueTimesMemory = PlainMemory(TimerHeap<Due>())

    /// Sleeps, time limits of waits, timers.
    var dueTimes: TimerHeap<Due> {
        @inline(__always) _read { yield dueTimesMemory.value }
        @inline(__always) _modify { yield &dueTimesMemory.value }
    }
}
