import Testing

@testable import Scheduling

/// A reader in the middle of adding much, who takes events in exchange for identities.
@Suite struct ExchangeTests {
    @Test func `who exchanges while others are at the scheduler gets nothing and loses nothing`() {
        let scheduler = Scheduler()
        let ended = scheduler.visit { $0.machine.endedOperationCreated() }
        let events = PlainBuffer<SchedulerEvent>()
        let identities = PlainBuffer<OperationID>()
        events.append(SchedulerEvent(id: ended, kind: .finished, outcome: .succeeded, wasExecuting: true))
        identities.append(ended)
        var bodies: [any OperationBody] = []
        let isDone = scheduler.visit { _ in scheduler.exchange(events, identities, more: 2, letGo: &bodies) }
        #expect(!isDone && events.count == 1 && identities.count == 1 && identities[0] == ended)
        #expect(scheduler.exchange(events, identities, more: 2, letGo: &bodies))
        #expect(events.isEmpty && identities.count == 3 && identities[0] != ended)
        #expect(Set(identities.elements).count == 3)
    }
}
