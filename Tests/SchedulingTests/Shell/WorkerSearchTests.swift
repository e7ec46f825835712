import Testing

@testable import Scheduling

/// How long a worker searches, and what it leaves alone meanwhile.
@Suite struct WorkerSearchTests {
    @Test func `one that nobody restrains looks at once, and all the time`() {
        let search = WorkerSearch()
        #expect(search.looksAtReader(after: 0))
        #expect(!search.isOver(after: 0))
    }

    @Test func `a restrained one leaves the reader alone for a while, and looks before it sleeps`() {
        let search = WorkerSearch(isRestrained: true)
        #expect(!search.looksAtReader(after: 0))
        let firstLook = (0...1_000_000).first { search.looksAtReader(after: $0) }
        let end = (0...1_000_000).first { search.isOver(after: $0) }
        #expect(firstLook != nil && end != nil)
        if let firstLook, let end { #expect(firstLook < end) }
    }

    @Test func `workers are restrained while a thread that is none of them needs a core`() {
        var machine = SchedulerMachine(sharedWidth: 2, seed: 1)
        var isNeeded = [machine.isCoreNeededElsewhere]
        for next in [true, false] {
            machine.coreNeededElsewhere(next)
            isNeeded.append(machine.isCoreNeededElsewhere)
        }
        #expect(isNeeded == [false, true, false])
    }

    @Test func `the reader's rest brings a restrained worker to all that was added`() {
        let reader = TestReader(workers: 2)
        var ids: [OperationID] = []
        // In between workers come and go, search and sleep, in any order.
        for _ in 0..<200 {
            reader.scheduler.visit { $0.machine.coreNeededElsewhere(true) }
            ids.append(reader.add {})
            if ids.count % 7 == 0 { #expect(reader.waitForEnds(of: ids.suffix(7))) }
        }
        #expect(reader.waitForEnds(of: ids))
        reader.expectEachOnce(ids)
    }

    @Test func `the service thread goes on watching while the reader adds much`() {
        let reader = TestReader(workers: 2)
        let scheduler = reader.scheduler
        scheduler.visit { $0.machine.coreNeededElsewhere(true) }
        let gate = BusyGate()
        _ = reader.addHeld(1, gate)
        let ran = Counter()
        _ = reader.add { ran.add() }
        let begins = eventually { scheduler.visit { $0.shell.isWatching } }
        gate.open()
        #expect(begins && ran.wait(for: 1))
        #expect(eventually { scheduler.visit { !$0.machine.hasWorkBeyondShare } })
        // A look from here on finds nobody who waits for a share of threads.
        let next = { scheduler.visit { $0.shell.serviceSleepsUntil } }
        for _ in 0..<2 {
            let before = next()
            #expect(eventually { next().map { $0 != before } ?? false })
        }
        #expect(scheduler.visit { $0.shell.isWatching })
        scheduler.visit { $0.machine.coreNeededElsewhere(false) }
        #expect(eventually { scheduler.visit { !$0.shell.isWatching } })
    }

    /// Looks again and again until something is so, for a minute at most.
    private func eventually(_ isSo: () -> Bool) -> Bool {
        let end = SchedulerClock.systemNow + 60_000_000_000
        while SchedulerClock.systemNow < end {
            if isSo() { return true }
        }
        return false
    }
}
