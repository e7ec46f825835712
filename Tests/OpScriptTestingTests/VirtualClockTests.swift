import OpScriptTesting
import Scheduling
import Synchronization
import Testing

/// Swift code that uses `Scheduling`, on virtual time.
@Suite struct VirtualClockTests {
    @Test func `a retry after an hour takes no time`() throws {
        let clock = VirtualClock()
        let scheduler = Scheduler(clock.configuration(seed: 7))
        let executor = SimulatedExecutor(scheduler)
        let queue = ScheduledQueue(scheduler, width: 1)
        let attempts = Mutex(0)
        let operation = ScheduledOperation(scheduler) {
            let number = attempts.withLock {
                $0 += 1
                return $0
            }
            if number < 3 { throw Busy() }
        }
        operation.setRetry(RetryPolicy(attempts: 3, delay: SchedulerClock.nanoseconds(3600)))
        try queue.add(operation)
        executor.run()
        #expect(attempts.withLock { $0 } == 3)
        #expect(operation.outcome == .succeeded)
        #expect(clock.now == .seconds(7200))
    }

    @Test func `one seed is one order`() throws {
        let orders = try (UInt64(0)..<20).map { try (order(seed: $0), order(seed: $0)) }
        #expect(orders.allSatisfy { $0.0 == $0.1 })
        #expect(Set(orders.map(\.0)).count > 1)
    }

    @Test func `it moves forward only`() {
        let clock = VirtualClock()
        #expect(clock.now == .zero)
        clock.advance(by: .milliseconds(1500))
        clock.advance(to: .seconds(1))
        clock.advance(by: .seconds(-1))
        #expect(clock.now == .milliseconds(1500))
        clock.advance(to: .seconds(Int64.max))
        #expect(clock.now == .nanoseconds(Int64.max))
    }

    /// The order in which four simultaneous operations end.
    private func order(seed: UInt64) throws -> [Int] {
        let scheduler = Scheduler(VirtualClock().configuration(seed: seed))
        let queue = ScheduledQueue(scheduler, width: 4)
        let ended = Mutex<[Int]>([])
        for number in 0..<4 {
            try queue.add(ScheduledOperation(scheduler) { ended.withLock { $0.append(number) } })
        }
        SimulatedExecutor(scheduler).run()
        return ended.withLock { $0 }
    }
}

private struct Busy: Error {}
