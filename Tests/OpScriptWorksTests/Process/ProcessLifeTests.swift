import Testing

@testable import OpScriptWorks

/// The life of a process without one, on times that are made up.
@Suite struct ProcessLifeTests {
    private let start = ContinuousClock.now
    private let grace = Duration.seconds(5)
    private var life = ProcessLife(grace: .seconds(5))

    @Test mutating func `one that ends by itself is let go of at once`() {
        #expect(life.started(at: start) == [])
        #expect(life.processEnded() == [.finish])
        #expect(!life.isCancelled)
        // Whatever is said later comes too late.
        #expect(life.cancelled(at: start) == [])
        #expect(life.timeReached(start + .seconds(100)) == [])
        #expect(life.processEnded() == [])
        #expect(!life.isCancelled)
    }

    @Test mutating func `one that is cancelled is asked once and its group is looked after`() {
        #expect(life.started(at: start) == [])
        #expect(life.cancelled(at: start) == [.ask, .alarm(start + grace)])
        #expect(life.cancelled(at: start + .seconds(1)) == [])
        #expect(life.processEnded() == [.lookAtGroup])
        #expect(life.groupIsEmpty() == [.finish])
        #expect(life.isCancelled)
        #expect(life.groupIsEmpty() == [])
    }

    @Test mutating func `one that was cancelled before its start has its grace from the start on`() {
        #expect(life.cancelled(at: start) == [])
        let later = start + .seconds(60)
        #expect(life.started(at: later) == [.ask, .alarm(later + grace)])
        #expect(life.started(at: later) == [])
    }

    @Test mutating func `one that stays is killed when the grace is over`() {
        _ = life.started(at: start)
        _ = life.cancelled(at: start)
        #expect(life.timeReached(start + .seconds(4)) == [.alarm(start + grace)])
        let over = start + grace
        #expect(life.timeReached(over) == [.kill, .alarm(over + ProcessLife.settling)])
        #expect(life.processEnded() == [.lookAtGroup])
        #expect(life.groupIsEmpty() == [.finish])
    }

    @Test mutating func `those that outlive it are killed when the grace is over`() {
        _ = life.started(at: start)
        _ = life.cancelled(at: start)
        #expect(life.processEnded() == [.lookAtGroup])
        let over = start + grace
        #expect(life.timeReached(over) == [.kill, .alarm(over + ProcessLife.settling)])
        // The kernel itself cannot end them: nobody waits for ever.
        #expect(life.timeReached(over + ProcessLife.settling) == [.finish])
        #expect(life.groupIsEmpty() == [])
    }

    @Test mutating func `the process itself is waited for however long it takes to die`() {
        _ = life.started(at: start)
        _ = life.cancelled(at: start)
        var now = start + grace
        _ = life.timeReached(now)
        for _ in 0..<3 {
            now += ProcessLife.settling
            #expect(life.timeReached(now) == [.alarm(now + ProcessLife.settling)])
        }
        #expect(life.processEnded() == [.lookAtGroup])
        #expect(life.timeReached(now + ProcessLife.settling) == [.finish])
    }

    @Test mutating func `without a cancellation there is no time`() {
        _ = life.started(at: start)
        #expect(life.timeReached(start + .seconds(100)) == [])
        #expect(life.groupIsEmpty() == [])
        #expect(life.processEnded() == [.finish])
    }
}
