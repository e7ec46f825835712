import Synchronization
import Testing

@testable import Scheduling

/// Closing a scheduler: it gives its threads back.
struct ClosingTests {
    private func threadCount(_ scheduler: Scheduler) -> Int {
        scheduler.look { core in core.shell.lanes.reduce(0) { $0 + $1.threadCount } }
    }

    private func close(_ scheduler: Scheduler) async {
        await withCheckedContinuation { continuation in scheduler.close { continuation.resume() } }
    }

    @Test(arguments: 1...20) func `once it is closed no thread is left`(round: Int) async throws {
        var configuration = Scheduler.Configuration()
        configuration.workers = 4
        // The threads are still there when it closes, unless as many of other schedulers stay as a process keeps.
        configuration.idleNanoseconds = 3_600_000_000_000
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler, width: -1)
        for _ in 1...round * 10 { try queue.add(ScheduledOperation(scheduler) {}) }
        queue.waitUntilAllOperationsAreFinished()
        await close(scheduler)
        // A thread that was requested and had not begun finds nothing to do, and ends, too.
        while threadCount(scheduler) > 0 { await Task.yield() }
    }

    @Test func `a thread that runs a body ends after it, and closing does not wait for it`() async throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler, width: -1)
        let hasBegun = Atomic<Bool>(false)
        let mayEnd = Atomic<Bool>(false)
        try queue.add(
            ScheduledOperation(scheduler) {
                hasBegun.store(true, ordering: .releasing)
                while !mayEnd.load(ordering: .acquiring) {}
            }
        )
        while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
        await close(scheduler)
        #expect(threadCount(scheduler) >= 1)
        mayEnd.store(true, ordering: .releasing)
        while threadCount(scheduler) > 0 { await Task.yield() }
        // Operations that are added later still run.
        try queue.add(ScheduledOperation(scheduler) {})
        queue.waitUntilAllOperationsAreFinished()
    }
}
