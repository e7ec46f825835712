import Testing

@testable import OpScript

/// When a run has taken too long, without threads and clocks.
struct RunDeadlinesTests {
    private typealias Step = RunDeadlines.Step

    @Test func `a run meets its limit, and then its grace period`() {
        var deadlines = RunDeadlines(gracePeriod: 50)
        deadlines.runBegins(1000, limit: 100)
        #expect(deadlines.next == 1100 && deadlines.step(1099) == Step())
        #expect(deadlines.step(1100) == Step(met: .run, interrupts: true))
        #expect(deadlines.next == 1150 && deadlines.step(1149) == Step())
        #expect(deadlines.step(1150) == Step(met: .grace, interrupts: true))
        // Lua code that continues is interrupted again and again, and no limit is met twice.
        #expect(deadlines.next == 1150 + RunDeadlines.again)
        #expect(deadlines.step(deadlines.next) == Step(interrupts: true))
        deadlines.runEnds()
        #expect(deadlines.next == .max && deadlines.step(.max - 1) == Step())
    }

    @Test func `a run that was cancelled meets only its grace period`() {
        var deadlines = RunDeadlines(gracePeriod: 50)
        deadlines.runBegins(0, limit: 20)
        deadlines.graceBegins(10)
        deadlines.graceBegins(15)
        #expect(deadlines.step(20) == Step() && deadlines.next == 60)
        #expect(deadlines.step(60) == Step(met: .grace, interrupts: true))
    }

    @Test func `without a run, without a limit and without a grace period nothing is due`() {
        var deadlines = RunDeadlines(gracePeriod: 50)
        deadlines.graceBegins(0)
        #expect(deadlines.next == .max)
        deadlines.runBegins(0, limit: nil)
        #expect(deadlines.next == .max && deadlines.run == 1)
        var endless = RunDeadlines(gracePeriod: nil)
        endless.runBegins(0, limit: .max)
        endless.graceBegins(1)
        #expect(endless.next == .max)
    }

    @Test func `a slice is interrupted after its limit, and again, until it refuses`() {
        var clock = SliceClock()
        func step(_ slice: UInt64, _ now: Int64) -> SliceClock.Step {
            clock.step(slice, now, limit: 100, grace: 150)
        }
        // The first check only learns of the slice.
        #expect(step(1, 1_000) == .init())
        #expect(step(1, 1_099) == .init())
        #expect(step(1, 1_100) == .init(interrupts: true))
        #expect(step(1, 1_150) == .init())
        #expect(step(1, 1_200) == .init(interrupts: true))
        #expect(step(1, 1_250) == .init(refuses: true))
        // Another slice begins with nothing.
        #expect(step(3, 1_300) == .init())
        #expect(step(3, 1_399) == .init())
        #expect(clock.step(3, 9_000, limit: 100, grace: nil) == .init(interrupts: true))
        #expect(clock.step(3, 9_050, limit: 100, grace: nil) == .init())
    }
}
