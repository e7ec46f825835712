import Testing

@testable import OpScriptCLI

/// The effect of signals and the time limit on a run, on a clock that the test moves.
@Suite struct InterruptionMachineTests {
    @Test func `the first signal cancels, the second ends at once`() {
        var interruption = Interruption(start: 0, limit: nil)
        guard case .cancel = interruption.signalReceived(2, at: 1) else {
            Issue.record("the first signal did not cancel")
            return
        }
        #expect(interruption.status == 130)
        #expect(interruption.signalReceived(2, at: 2) == .end(130, "ended at once"))
    }

    @Test func `two of a kind within a moment count as one`() {
        var interruption = Interruption(start: 0, limit: nil)
        _ = interruption.signalReceived(15, at: 1)
        #expect(interruption.signalReceived(15, at: 1.04) == .nothing)
        #expect(interruption.signalReceived(15, at: 1.2) == .end(143, "ended at once"))
    }

    @Test func `the limit cancels, and ends the run if it is still there after the grace`() {
        var interruption = Interruption(start: 10, limit: 2)
        #expect(interruption.deadline == 12)
        #expect(interruption.deadlineReached(at: 11.9) == .nothing)
        #expect(
            interruption.deadlineReached(at: 12)
                == .cancel("the time limit of 2 s has run out: cancelling the run")
        )
        #expect(interruption.status == 124)
        #expect(interruption.deadline == 17)
        #expect(
            interruption.deadlineReached(at: 17)
                == .end(124, "still running 5 s later: ended at once")
        )
        #expect(interruption.deadline == nil)
    }

    @Test func `a signal takes precedence over the limit, in both orders`() {
        var limitFirst = Interruption(start: 0, limit: 1)
        _ = limitFirst.deadlineReached(at: 1)
        #expect(limitFirst.signalReceived(15, at: 2) == .end(143, "ended at once"))
        #expect(limitFirst.status == 143)

        var signalFirst = Interruption(start: 0, limit: 1)
        _ = signalFirst.signalReceived(15, at: 0.5)
        #expect(signalFirst.deadlineReached(at: 1) == .nothing)
        #expect(signalFirst.status == 143)
        #expect(
            signalFirst.deadlineReached(at: 6) == .end(143, "still running 5 s later: ended at once")
        )
    }

    @Test func `code that refuses to stop ends the command, but only after a cancellation`() {
        var interruption = Interruption(start: 0, limit: nil)
        #expect(interruption.interruptionRefused() == .nothing)
        _ = interruption.signalReceived(15, at: 1)
        #expect(interruption.interruptionRefused() == .end(143, "the script does not stop: ended at once"))
    }
}
