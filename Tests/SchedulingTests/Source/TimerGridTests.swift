import Testing

@testable import Scheduling

@Suite struct TimerGridTests {
    @Test func `late checks count all ticks and do not delay the next one`() {
        var grid = TimerGrid(now: 100, delay: 10, interval: 5)
        #expect(grid.takeTicks(109) == 0)
        #expect(grid.takeTicks(110) == 1)
        #expect(grid.next == 115)
        #expect(grid.takeTicks(131) == 4)
        #expect(grid.next == 135)
        #expect(grid.takeTicks(131) == 0)
    }

    @Test func `without an interval there is one tick`() {
        var grid = TimerGrid(now: 0, delay: 7, interval: 0)
        #expect(!grid.isOver)
        #expect(grid.takeTicks(1000) == 1)
        #expect(grid.isOver)
        #expect(grid.takeTicks(.max) == 0)
    }

    @Test func `a tick that is too far away never comes`() {
        var never = TimerGrid(now: 5, delay: .max, interval: 1)
        #expect(never.isOver)
        #expect(never.takeTicks(.max) == 0)
        var far = TimerGrid(now: 0, delay: 1, interval: .max)
        #expect(far.takeTicks(1) == 1)
        #expect(far.isOver)
    }
}
