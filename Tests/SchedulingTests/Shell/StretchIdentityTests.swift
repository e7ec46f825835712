import Synchronization
import Testing

@testable import Scheduling

/// Operations that a reader of events adds one by one, of which nobody asks: they are counted as those that are added together.
@Suite(.timeLimit(.minutes(20))) struct StretchIdentityTests {
    private struct Broken: Error {}

    @Test func `they are counted, not known, until somebody asks`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        let ids = reader.addHeld(40, gate)
        #expect(reader.scheduler.visit { $0.machine.stretch.isActive })
        #expect(reader.scheduler.feed { $0.machine.state(of: ids[0]) } == .executing)
        #expect(reader.scheduler.feed { $0.machine.state(of: ids[1]) } == .ready)
        #expect(reader.scheduler.feed { $0.machine.operations(in: reader.queue) } == ids)
        #expect(reader.scheduler.visit { !$0.machine.stretch.isActive })
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        #expect(reader.runner.ran == ids.map(\.slot))
        reader.expectEachOnce(ids)
    }

    @Test func `events tell what ended while a worker has more to run, and what it runs`() {
        let reader = TestReader(workers: 1)
        let begun = Gate()
        let gate = BusyGate()
        let first = reader.addBeforePart()
        var ids = [
            reader.add {},
            reader.add {
                begun.open()
                gate.pass()
            },
        ]
        for _ in 0..<60 { ids.append(reader.add {}) }
        first.gate.open()
        #expect(begun.pass())
        reader.takeEvents()
        #expect(reader.scheduler.visit { $0.machine.stretch.isActive })
        #expect(reader.ends.suffix(2) == [first.id, ids[0]])
        #expect(reader.starts.suffix(2) == ids[..<2])
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        reader.expectEachOnce(ids)
    }

    @Test func `a reader that sleeps is told of each end, whatever its worker does next`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        let scheduler = reader.scheduler
        let first = reader.addBeforePart()
        var ids = [
            reader.add {
                // Ends while the reader sleeps.
                let end = SchedulerClock.systemNow + 60_000_000_000
                while !scheduler.visit({ $0.shell.isReaderParked }), SchedulerClock.systemNow < end {}
            }
        ]
        // None of them ends, whoever runs it: that would wake the reader.
        for _ in 0..<60 { ids.append(reader.add { gate.pass() }) }
        first.gate.open()
        #expect(reader.waitForEnds(of: [ids[0]], seconds: 40))
        #expect(!reader.ends.contains(ids[1]))
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        reader.expectEachOnce(ids)
    }

    @Test func `after a question the next 64 are known at once, and counted from then on`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        var ids = reader.addHeld(4, gate)
        ids.append(reader.add {})
        // What comes in after the question counts among the 64.
        reader.scheduler.visit { _ in }
        #expect(reader.scheduler.feed { $0.machine.state(of: ids[4]) } == .ready)
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        var knownCount = 0
        for _ in 0..<70 {
            let gate = BusyGate()
            let held = reader.addHeld(1, gate)
            if reader.scheduler.visit({ !$0.machine.stretch.isActive }) { knownCount += 1 }
            gate.open()
            #expect(reader.waitForEnds(of: held))
        }
        #expect(knownCount == 64)
    }

    @Test func `a body that blocks holds back none of the others`() {
        let reader = TestReader(workers: 1)
        let others = Counter()
        let first = reader.addBeforePart()
        var ids = [reader.add {}, reader.add { #expect(others.wait(for: 60)) }]
        for _ in 0..<60 { ids.append(reader.add { others.add() }) }
        first.gate.open()
        #expect(reader.waitForEnds(of: ids))
        reader.expectEachOnce(ids)
    }

    @Test func `a failure is that of one operation`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        var ids = reader.addHeld(10, gate)
        ids.append(reader.add { throw Broken() })
        ids += (0..<10).map { _ in reader.add {} }
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        for id in ids { #expect(reader.outcomes[id] == (id == ids[10] ? .failed : .succeeded)) }
        reader.expectEachOnce(ids)
        #expect(reader.scheduler.feed { $0.failures[ids[10].slot] is Broken })
    }

    @Test func `one that is cancelled does not run, and the one that executes is told`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        let ids = reader.addHeld(20, gate)
        #expect(reader.scheduler.feed { $0.machine.cancelled(ids[7]) })
        #expect(reader.scheduler.feed { $0.machine.cancelled(ids[0]) })
        #expect(reader.runner.told == [ids[0].slot])
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        #expect(reader.runner.ran == ids.map(\.slot).filter { $0 != ids[7].slot })
        #expect(reader.outcomes[ids[0]] == .cancelled)
        #expect(reader.outcomes[ids[7]] == .cancelled)
    }

    @Test func `of one that executes without a worker the runner is told nothing`() throws {
        let reader = TestReader(workers: 1)
        let id = reader.make {}
        reader.add(id, lane: .script)
        #expect(reader.scheduler.feed { $0.machine.takeScriptOperation(reader.queue) } == id)
        #expect(reader.scheduler.feed { $0.machine.cancelled(id) })
        #expect(reader.scheduler.feed { $0.machine.isCancelled(id) })
        #expect(reader.runner.told.isEmpty)
        reader.scheduler.feed { $0.bodyEnded(id, nil) }
        #expect(reader.waitForEnds(of: [id]))
        #expect(reader.outcomes[id] == .cancelled)
    }

    @Test func `a higher priority goes first, and so does a queue's turn`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        let ids = reader.addHeld(20, gate)
        let high = reader.add(priority: .high) {}
        let other = reader.scheduler.feed { $0.machine.queueCreated() }
        let elsewhere = reader.add(to: other) {}
        gate.open()
        #expect(reader.waitForEnds(of: ids + [high, elsewhere]))
        let order = reader.runner.ran
        #expect(order.firstIndex(of: high.slot).map { $0 <= 2 } ?? false)
        #expect(order.firstIndex(of: elsewhere.slot).map { $0 <= 2 } ?? false)
        #expect(order.filter { ids.map(\.slot).contains($0) } == ids.map(\.slot))
    }

    @Test func `what somebody depends on, and what depends on something, is known`() throws {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        let before = reader.make {}
        let after = reader.make {}
        try reader.scheduler.feed { try $0.machine.dependencyAdded(after, on: before, when: .notFailed) }
        let ids = reader.addHeld(20, gate)
        #expect(reader.scheduler.visit { $0.machine.stretch.isActive })
        reader.add(after)
        reader.add(before)
        gate.open()
        #expect(reader.waitForEnds(of: ids + [before, after]))
        #expect(reader.runner.ran == (ids + [before, after]).map(\.slot))
    }

    @Test func `after a question some are known by themselves, then they are counted again`() {
        let reader = TestReader(workers: 1)
        let gate = BusyGate()
        var ids = reader.addHeld(20, gate)
        #expect(reader.scheduler.feed { $0.machine.unfinishedCount } == 20)
        for _ in 0..<10 { ids.append(reader.add {}) }
        #expect(reader.scheduler.visit { !$0.machine.stretch.isActive })
        gate.open()
        #expect(reader.waitForEnds(of: ids))
        for _ in 0..<100 {
            ids.append(reader.add {})
            #expect(reader.waitForEnds(of: ids))
        }
        let again = BusyGate()
        let more = reader.addHeld(20, again)
        #expect(reader.scheduler.visit { $0.machine.stretch.isActive })
        again.open()
        #expect(reader.waitForEnds(of: ids + more))
        reader.expectEachOnce(ids + more)
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `whatever is asked while they run, each runs once or is cancelled`(seed: UInt64) throws {
        var chance = RandomSequence(seed: seed)
        let reader = TestReader(workers: Int(chance.next() % 3) + 1)
        let scheduler = reader.scheduler
        let other = scheduler.feed { $0.machine.queueCreated() }
        var ids: [OperationID] = []
        for _ in 0..<3000 {
            let fails = chance.next() % 200 == 0
            let blocks = chance.next() % 300 == 0
            let id = reader.add(
                to: chance.next() % 500 == 0 ? other : nil,
                priority: chance.next() % 400 == 0 ? .low : .normal
            ) {
                if blocks { _ = Parker().park(nanoseconds: 200_000) }
                if fails { throw Broken() }
            }
            ids.append(id)
            guard chance.next() % 100 == 0, let one = ids.randomElement(using: &chance) else { continue }
            switch chance.next() % 6 {
            case 0: scheduler.feed { _ = $0.machine.cancelled(one) }
            case 1: scheduler.feed { $0.machine.priorityChanged(one, to: .high) }
            case 2:
                scheduler.feed { $0.machine.suspensionChanged(reader.queue, to: true) }
                scheduler.feed { $0.machine.suspensionChanged(reader.queue, to: false) }
            case 3: reader.takeEvents()
            case 4: scheduler.parkReader(until: SchedulerClock.systemNow + 50_000)
            default: _ = reader.waitForEnds(of: ids)
            }
        }
        #expect(reader.waitForEnds(of: ids))
        reader.expectEachOnce(ids)
        let runs = reader.runner.ran
        #expect(Set(runs).count == runs.count)
        for id in ids where reader.outcomes[id] != .cancelled { #expect(Set(runs).contains(id.slot)) }
        #expect(scheduler.feed { $0.machine.checkInvariants() }.isEmpty)
        #expect(scheduler.feed { $0.machine.unfinishedCount } == 0)
    }
}
