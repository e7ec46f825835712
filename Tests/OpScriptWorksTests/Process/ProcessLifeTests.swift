import Testing

@testable import OpScriptWorks

/// The decisions about a process, without one, on artificial times.
@Suite struct ProcessLifeTests {
    private let start = ContinuousClock.now
    private let grace = Duration.seconds(5)
    private var life = ProcessLife(grace: .seconds(5))

    @Test mutating func `a process that ends on its own is released at once`() {
        #expect(life.started(at: start) == [])
        #expect(life.processEnded(at: start) == [.finish])
        #expect(!life.isCancelled)
        // All later inputs come too late.
        #expect(life.cancelled(at: start) == [])
        #expect(life.timeReached(start + .seconds(100)) == [])
        #expect(life.processEnded(at: start) == [])
        #expect(!life.isCancelled)
    }

    @Test mutating func `a cancelled process gets one request, and its group another one at its end`() {
        #expect(life.started(at: start) == [])
        #expect(life.cancelled(at: start) == [.ask, .alarm(start + grace)])
        #expect(life.cancelled(at: start + .seconds(1)) == [])
        #expect(life.processEnded(at: start) == [.ask, .lookAtGroup])
        #expect(life.groupIsEmpty() == [.finish])
        #expect(life.isCancelled)
        #expect(life.groupIsEmpty() == [])
    }

    @Test mutating func `a process that was cancelled before its start has its grace from the start on`() {
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
        #expect(life.processEnded(at: start) == [.lookAtGroup])
        #expect(life.groupIsEmpty() == [.finish])
    }

    @Test mutating func `those that outlive it are killed when the grace is over`() {
        _ = life.started(at: start)
        _ = life.cancelled(at: start)
        #expect(life.processEnded(at: start) == [.ask, .lookAtGroup])
        let over = start + grace
        #expect(life.timeReached(over) == [.kill, .alarm(over + ProcessLife.settling)])
        // The kernel itself cannot end them, and no wait lasts for ever.
        #expect(life.timeReached(over + ProcessLife.settling) == [.finish])
        #expect(life.groupIsEmpty() == [])
    }

    @Test mutating func `the process itself is awaited, even if its end takes long`() {
        _ = life.started(at: start)
        _ = life.cancelled(at: start)
        var now = start + grace
        _ = life.timeReached(now)
        for _ in 0..<3 {
            now += ProcessLife.settling
            #expect(life.timeReached(now) == [.alarm(now + ProcessLife.settling)])
        }
        #expect(life.processEnded(at: start) == [.lookAtGroup])
        #expect(life.timeReached(now + ProcessLife.settling) == [.finish])
    }

    @Test mutating func `without a cancellation there is no time`() {
        _ = life.started(at: start)
        #expect(life.timeReached(start + .seconds(100)) == [])
        #expect(life.groupIsEmpty() == [])
        #expect(life.processEnded(at: start) == [.finish])
    }

    @Test mutating func `output of others is awaited for a while after the end`() {
        _ = life.started(at: start)
        let over = start + ProcessLife.lingering
        #expect(life.processEnded(at: start, hasOutput: true) == [.alarm(over)])
        #expect(life.timeReached(start + .milliseconds(1)) == [.alarm(over)])
        #expect(life.outputEnded() == [.finish])
        #expect(life.timeReached(over) == [])
        #expect(!life.isCancelled)
    }

    @Test mutating func `output that does not end is awaited no longer`() {
        _ = life.started(at: start)
        _ = life.processEnded(at: start, hasOutput: true)
        #expect(life.timeReached(start + ProcessLife.lingering) == [.finish])
        #expect(life.outputEnded() == [])
    }

    @Test mutating func `a cancellation meanwhile ends the others`() {
        _ = life.started(at: start)
        _ = life.processEnded(at: start, hasOutput: true)
        #expect(life.cancelled(at: start) == [.ask, .alarm(start + grace), .lookAtGroup])
        #expect(life.outputEnded() == [])
        #expect(life.timeReached(start + grace) == [.kill, .alarm(start + grace + ProcessLife.settling)])
        #expect(life.groupIsEmpty() == [.finish])
    }
}
