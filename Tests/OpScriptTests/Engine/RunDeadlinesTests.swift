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
}
