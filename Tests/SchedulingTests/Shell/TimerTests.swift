import Testing

@testable import Scheduling

/// Timers on virtual time, with a simulated executor: the same each time, and no waiting.
@Suite struct TimerTests {
    private func setUp() -> (Scheduler, SimulatedExecutor, ScheduledQueue) {
        var configuration = Scheduler.Configuration()
        configuration.clock = .virtual()
        configuration.executor = .simulated(seed: 1)
        let scheduler = Scheduler(configuration)
        return (scheduler, SimulatedExecutor(scheduler), ScheduledQueue(scheduler))
    }

    @Test func `a one-shot timer fires once, one interval from now`() {
        let (scheduler, executor, queue) = setUp()
        let log = EventLog()
        let timer = ScheduledTimer(queue, interval: 2) { _ in log.note("\(scheduler.clock.now)") }
        #expect(timer.isValid)
        executor.run()
        #expect(log.all == ["2000000000"])
        #expect(!timer.isValid)
        #expect(timer.fireCount == 1)
    }

    @Test func `a repeating timer keeps to its grid until it is invalidated`() {
        let (scheduler, executor, queue) = setUp()
        let log = EventLog()
        _ = ScheduledTimer(queue, interval: 1, repeats: true) { timer in
            log.note("\(scheduler.clock.now / 1_000_000_000)")
            if timer.fireCount == 3 { timer.invalidate() }
        }
        executor.run()
        #expect(log.all == ["1", "2", "3"])
    }

    @Test func `a timer whose next fire exceeds the clock's range stops firing`() {
        let (_, executor, queue) = setUp()
        let timer = ScheduledTimer(queue, interval: .infinity, repeats: true) { _ in }
        executor.run()
        #expect(timer.fireCount == 2)
        #expect(timer.isValid)
        timer.invalidate()
    }

    @Test func `missed fires are skipped and counted, and the grid stays`() {
        let (scheduler, executor, queue) = setUp()
        let timer = ScheduledTimer(queue, interval: 1, repeats: true) { _ in }
        scheduler.advance(to: 3_500_000_000)
        #expect(timer.fireCount == 1)
        #expect(timer.missedCount == 2)
        #expect(scheduler.nextDeadline == 4_000_000_000)
        timer.invalidate()
        executor.run()
        #expect(scheduler.nextDeadline == nil)
    }

    @Test func `while the closure still runs further fires are skipped`() {
        let (scheduler, executor, queue) = setUp()
        let timer = ScheduledTimer(queue, interval: 1, repeats: true) { _ in }
        scheduler.advance(to: 1_000_000_000)
        // Submitted, not executed: the test does not step the simulation.
        scheduler.advance(to: 2_000_000_000)
        #expect(timer.fireCount == 1)
        #expect(timer.missedCount == 1)
        timer.invalidate()
        executor.run()
    }

    @Test func `equal times fire in the order of scheduling, earlier ones first`() {
        let (_, executor, queue) = setUp()
        queue.width = 1
        let log = EventLog()
        for (name, interval) in [("b", 2.0), ("c", 2.0), ("a", 1.0)] {
            _ = ScheduledTimer(queue, interval: interval) { _ in log.note(name) }
        }
        executor.run()
        #expect(log.all == ["a", "b", "c"])
    }

    @Test func `an invalidated timer does not fire, and releases its closure`() {
        let (_, executor, queue) = setUp()
        let log = EventLog()
        weak var weakLog: EventLog?
        let timer: ScheduledTimer
        do {
            let inner = EventLog()
            weakLog = inner
            timer = ScheduledTimer(queue, interval: 1) { _ in
                inner.note("fired")
                log.note("fired")
            }
        }
        timer.invalidate()
        timer.invalidate()
        #expect(weakLog == nil)
        executor.run()
        #expect(log.all == [])
        #expect(timer.fireCount == 0)
    }

    @Test func `a timer of the system's clock fires`() {
        let queue = ScheduledQueue(Scheduler())
        let fires = Counter()
        let timer = ScheduledTimer(queue, interval: 0.0005, repeats: true) { _ in fires.add() }
        #expect(fires.wait(for: 5))
        timer.invalidate()
        // A timer that fires right after it was made, again and again.
        for _ in 0..<200 {
            let once = Counter()
            let quick = ScheduledTimer(queue, interval: 0) { _ in once.add() }
            #expect(once.wait(for: 1))
            #expect(!quick.isValid)
        }
    }
}
