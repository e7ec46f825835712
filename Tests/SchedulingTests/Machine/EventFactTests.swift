import Testing

@testable import Scheduling

/// The facts of events, which only a machine that records has: the causes of starts.
@Suite struct EventFactTests {
    /// A machine's report about one operation: an event with its cause, and the operation whose end was the
    /// cause.
    private struct Told: Equatable, CustomStringConvertible {
        var kind: SchedulerEvent.Kind
        var cause: EventCause
        var by: String

        var description: String { "\(kind) because of \(cause) by \(by)" }
    }

    /// A machine whose log is on, with names for its operations.
    private final class Bench {
        var machine = SchedulerMachine(sharedWidth: 1, seed: 1)
        private var names: [OperationID: String] = [:]

        init() { machine.beginLog() }

        func add(
            _ name: String,
            to queue: QueueID,
            after others: [OperationID] = [],
            needing resources: [(name: String, amount: Int)] = [],
            isBarrier: Bool = false,
            delay: Int64? = nil
        ) throws -> OperationID {
            var spec = OperationSpec()
            spec.reports = true
            let id = machine.operationCreated(spec)
            names[id] = name
            for other in others { try machine.dependencyAdded(id, on: other, when: .notFailed) }
            var addition = AdditionSpec(id)
            addition.resources = resources
            addition.isBarrier = isBarrier
            addition.delay = delay
            try machine.operationAdded(addition, to: queue)
            return id
        }

        /// Starts each operation that may start, and ends it, until none is left.
        func run() {
            while let id = machine.takeNext(.worker) { machine.bodyEnded(id, failed: false) }
        }

        func told(of name: String, _ kind: SchedulerEvent.Kind) -> Told? {
            guard let log = machine.log, log.facts.count == machine.effects.events.count else { return nil }
            for place in 0..<log.facts.count {
                let event = machine.effects.events[place]
                guard event.kind == kind, names[machine.store.id(event.slot)] == name else { continue }
                let fact = log.facts[place]
                return Told(kind: kind, cause: fact.cause, by: names[fact.by] ?? "none")
            }
            return nil
        }
    }

    @Test func `without a log there are no facts`() {
        let machine = SchedulerMachine(sharedWidth: 1, seed: 1)
        #expect(machine.log == nil)
    }

    @Test func `a dependency makes ready, and an addition needs no cause`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated()
        let first = try bench.add("first", to: queue)
        _ = try bench.add("second", to: queue, after: [first])
        bench.run()
        #expect(bench.told(of: "first", .started) == Told(kind: .started, cause: .addition, by: "none"))
        #expect(bench.told(of: "second", .ready) == Told(kind: .ready, cause: .dependency, by: "first"))
        #expect(bench.told(of: "second", .started) == Told(kind: .started, cause: .addition, by: "none"))
    }

    @Test func `a slot of its queue lets the next operation start`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated(width: 1)
        _ = try bench.add("first", to: queue)
        _ = try bench.add("second", to: queue)
        bench.run()
        #expect(bench.told(of: "second", .started) == Told(kind: .started, cause: .slot, by: "first"))
    }

    @Test func `a share of the workers lets the next operation start`() throws {
        let bench = Bench()
        let (one, other) = (bench.machine.queueCreated(), bench.machine.queueCreated())
        _ = try bench.add("first", to: one)
        _ = try bench.add("second", to: other)
        bench.run()
        #expect(bench.told(of: "second", .started) == Told(kind: .started, cause: .worker, by: "first"))
    }

    @Test func `a resource that is given back lets the next operation start`() throws {
        let bench = Bench()
        bench.machine.resourceTotalChanged("memory", to: 1)
        let (one, other) = (bench.machine.queueCreated(width: 9), bench.machine.queueCreated(width: 9))
        _ = try bench.add("first", to: one, needing: [("memory", 1)])
        _ = try bench.add("second", to: other, needing: [("memory", 1)])
        bench.run()
        #expect(bench.told(of: "second", .started) == Told(kind: .started, cause: .resource, by: "first"))
    }

    @Test func `a barrier lets the operations behind it start`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated(width: 9)
        _ = try bench.add("barrier", to: queue, isBarrier: true)
        _ = try bench.add("behind", to: queue)
        bench.run()
        #expect(bench.told(of: "behind", .started) == Told(kind: .started, cause: .barrier, by: "barrier"))
    }

    @Test func `a delay makes ready`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated()
        _ = try bench.add("late", to: queue, delay: 10)
        bench.machine.armTimers(0)
        bench.machine.timeReached(10)
        #expect(bench.told(of: "late", .ready) == Told(kind: .ready, cause: .delay, by: "none"))
    }

    @Test func `a queue that is resumed lets its operations start`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated(width: 3)
        bench.machine.setSuspended(queue, to: true)
        _ = try bench.add("held", to: queue)
        bench.machine.setSuspended(queue, to: false)
        bench.run()
        #expect(bench.told(of: "held", .started) == Told(kind: .started, cause: .owner, by: "none"))
    }

    @Test func `a slot that was given back to a suspended queue is not forgotten`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated(width: 1)
        let first = try bench.add("first", to: queue)
        _ = try bench.add("second", to: queue)
        #expect(bench.machine.takeNext(.worker) == first)
        bench.machine.setSuspended(queue, to: true)
        bench.machine.bodyEnded(first, failed: false)
        bench.machine.setSuspended(queue, to: false)
        bench.run()
        #expect(bench.told(of: "second", .started) == Told(kind: .started, cause: .owner, by: "first"))
    }

    @Test func `in a claim the operation before is the cause`() throws {
        let bench = Bench()
        let queue = bench.machine.queueCreated()
        for name in ["a", "b", "c", "d"] { _ = try bench.add(name, to: queue) }
        let ids = UnsafeMutablePointer<OperationID>.allocate(capacity: 4)
        defer { ids.deallocate() }
        #expect(bench.machine.claim(.worker, atMost: 4, into: ids) == 4)
        bench.machine.claimAdvanced(from: ids[0], to: ids[1])
        #expect(bench.told(of: "b", .started) == Told(kind: .started, cause: .worker, by: "a"))
    }
}
