import Testing

@testable import Scheduling

@Suite struct ClockTests {
    @Test func `a virtual clock stands still until it is advanced, and never decreases`() {
        let clock = SchedulerClock.virtual()
        #expect(clock.isVirtual)
        #expect(clock.now == 0)
        clock.advance(to: 10)
        clock.advance(to: 5)
        #expect(clock.now == 10)
    }

    @Test func `the system's clock advances`() {
        let clock = SchedulerClock.monotonic()
        #expect(!clock.isVirtual)
        let before = clock.now
        _ = Parker().park(nanoseconds: 1000)
        #expect(clock.now - before >= 1000)
    }

    @Test(arguments: [
        (0.0, 0 as Int64), (-1, 0), (.nan, 0), (-.infinity, 0), (1, 1_000_000_000), (1e-9, 1), (0.5e-9, 0),
        (.infinity, 4_600_000_000_000_000_000), (1e300, 4_600_000_000_000_000_000),
    ])
    func `all seconds become nanoseconds`(seconds: Double, nanoseconds: Int64) {
        #expect(SchedulerClock.nanoseconds(seconds) == nanoseconds)
    }

    @Test func `a wake that comes before the sleep is not lost`() {
        let parker = Parker()
        parker.unpark()
        parker.unpark()
        #expect(parker.park(nanoseconds: 0))
        #expect(parker.park(nanoseconds: 0))
        #expect(!parker.park(nanoseconds: 0))
        #expect(!parker.park(nanoseconds: 1000))
    }

    @Test func `a thread knows whether another is blocked`() {
        let number = Counter()
        let gate = Gate()
        #expect(
            SystemThread.start(name: "sleeper") {
                number.add(Int(SystemThread.currentID))
                gate.pass()
                number.add(1_000_000_000)
            }
        )
        #expect(number.wait(for: 1))
        let thread = Int32(number.count)
        var wasSeen = false
        for _ in 0..<10_000 where !wasSeen {
            wasSeen = SystemThread.isBlocked(thread)
            _ = Parker().park(nanoseconds: 100_000)
        }
        #expect(wasSeen)
        gate.open()
        #expect(number.wait(for: 1_000_000_000))
        #expect(!SystemThread.isBlocked(-1))
    }
}
