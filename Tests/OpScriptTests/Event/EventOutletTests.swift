import Testing

@testable import OpScript

/// The outlet of events as a machine: no engine, no threads.
@Suite struct EventOutletTests {
    private let outlet = EventOutlet(EventDemand())
    private let log = Log()

    private final class Log {
        var lines: [String] = []
    }

    /// Notes each event with its own name.
    private final class Subscriber: EventSubscriber {
        let name: String
        let log: Log

        init(_ name: String, _ log: Log) {
            self.name = name
            self.log = log
        }

        override func receive(_ event: EngineEvent) {
            log.lines.append("\(name) \(event.identity) \(event.moment)")
        }

        override func handOut() { log.lines.append("\(name) hands out") }
    }

    private func fire(_ number: UInt64, at moment: Int64) {
        outlet.report(EngineEvent(kind: .fired(number), operation: nil, moment: moment))
    }

    private func identity(_ number: UInt64) -> UInt64 { 1 << 63 | number }

    @Test func `without a subscriber there is no demand`() {
        #expect(!outlet.demand.contains(.life))
        let subscriber = Subscriber("a", log)
        outlet.add(subscriber, to: [.life, .record])
        #expect(outlet.demand.contains(.life) && outlet.demand.contains(.record))
        #expect(!outlet.demand.contains(.submission))
        outlet.remove(subscriber)
        #expect(!outlet.demand.contains(.life) && !outlet.demand.contains(.record))
    }

    @Test func `the demand of one subscriber outlives that of another`() {
        let (one, other) = (Subscriber("a", log), Subscriber("b", log))
        outlet.add(one, to: [.life, .record])
        outlet.add(other, to: .life)
        outlet.remove(one)
        #expect(outlet.demand.contains(.life) && !outlet.demand.contains(.record))
    }

    @Test func `an event reaches the subscribers of its audience, in the order of their addition`() {
        outlet.add(Subscriber("a", log), to: .life)
        outlet.add(Subscriber("b", log), to: [.record, .submission, .bodies])
        outlet.add(Subscriber("c", log), to: [.life, .record])
        fire(1, at: 5)
        outlet.report(EngineEvent(kind: .failureHandled(at: 0), operation: nil, moment: 0))
        #expect(log.lines == ["a \(identity(1)) 5", "c \(identity(1)) 5", "b 0 0", "c 0 0"])
    }

    @Test func `a removed subscriber receives nothing, and one that is added twice receives each event once`()
    {
        let (one, other) = (Subscriber("a", log), Subscriber("b", log))
        outlet.add(one, to: .life)
        outlet.add(other, to: .life)
        outlet.add(other, to: .life)
        outlet.remove(one)
        outlet.remove(one)
        fire(2, at: 1)
        #expect(log.lines == ["b \(identity(2)) 1"])
    }

    @Test func `moments in the life of operations never decrease`() {
        outlet.add(Subscriber("a", log), to: [.life, .record])
        fire(1, at: 7)
        fire(1, at: 6)
        // Not of that audience: no matter for the others.
        outlet.report(EngineEvent(kind: .failureHandled(at: 0), operation: nil, moment: 9))
        fire(1, at: 8)
        #expect(log.lines.map { $0.split(separator: " ").last } == ["7", "7", "9", "8"])
    }

    @Test func `an idle subscriber makes no demand of its own`() {
        let subscriber = Subscriber("a", log)
        outlet.add(subscriber, to: .life, isIdle: true)
        #expect(!outlet.demand.contains(.life))
        outlet.demand.set(.life, of: log)
        #expect(outlet.demand.contains(.life))
        fire(3, at: 1)
        #expect(log.lines == ["a \(identity(3)) 1"])
    }

    @Test func `all subscribers hand out what they have gathered`() {
        outlet.add(Subscriber("a", log), to: .life)
        outlet.add(Subscriber("b", log), to: .bodies)
        outlet.handOut()
        #expect(log.lines == ["a hands out", "b hands out"])
    }

    @Test func `each kind of event has one audience`() {
        let life: [EngineEvent.Kind] = [.added, .ready, .started, .retrying, .cancelled, .ended, .fired(1)]
        #expect(life.allSatisfy { $0.audience == .life })
        #expect(EngineEvent.Kind.made.audience == .record)
        #expect(EngineEvent.Kind.submission(to: nil).audience == .submission)
        #expect(EngineEvent.Kind.refusal.audience == .submission)
    }
}
