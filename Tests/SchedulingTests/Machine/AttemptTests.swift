import Testing

@testable import Scheduling

@Suite struct AttemptTests {
    // MARK: Delays

    @Test func `a delay holds an operation back from its addition on`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.make("a")
        bench.advance(by: 5)
        try bench.put("a", into: queue) { $0.delay = 10 }
        #expect(!bench.isReady("a"))
        bench.advance(by: 9)
        #expect(bench.take() == nil)
        bench.advance(by: 1)
        #expect(bench.take() == "a")
    }

    @Test func `a delay and dependencies must both be over`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.make("gate") { $0.isGate = true }
        bench.make("a")
        try bench.wire("a", after: "gate")
        try bench.put("a", into: queue) { $0.delay = 10 }
        bench.advance(by: 10)
        #expect(bench.take() == nil)
        try bench.feed { try $0.endedFromOutside(bench.id("gate"), failed: false) }
        #expect(bench.take() == "a")
    }

    @Test func `a cancelled one does not wait for its delay, and its timer is gone`() throws {
        let bench = MachineBench()
        bench.make("a")
        try bench.put("a", into: bench.queue()) { $0.delay = 10 }
        bench.cancel("a")
        #expect(bench.outcome("a") == .cancelled)
        #expect(bench.isReady("a"))
        let deadline = bench.machine.nextDeadline
        #expect(deadline == nil)
    }

    // MARK: Retry

    @Test func `a failed attempt is followed by the next, as many as there are`() throws {
        let bench = MachineBench()
        bench.make("a") { $0.retry = RetryPolicy(attempts: 3) }
        try bench.put(["a"], into: bench.queue())
        for attempt in 1...3 {
            #expect(bench.take() == "a")
            #expect(bench.attempt("a") == attempt)
            bench.fail("a")
        }
        #expect(
            bench.happened() == [
                "start a", "retrying a", "start a", "retrying a", "start a", "end a failed",
            ]
        )
    }

    @Test func `between attempts it is pending, holds nothing and takes no dependencies`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        bench.feed { $0.resourceTotalChanged("gpu", to: 1) }
        bench.make("a") { $0.retry = RetryPolicy(attempts: 2, delay: 10) }
        bench.make("b")
        try bench.put("a", into: queue) { $0.resources = [("gpu", 1)] }
        try bench.put("b", into: queue) { $0.resources = [("gpu", 1)] }
        bench.take()
        bench.fail("a")
        #expect(bench.state("a") == .pending)
        #expect(
            bench.refusal { try $0.dependencyAdded(bench.id("a"), on: bench.id("b"), when: .notFailed) }
                == .alreadyExecuting(bench.id("a"))
        )
        #expect(bench.take() == "b")
        bench.end("b")
        bench.advance(by: 10)
        #expect(bench.take() == "a")
        bench.end("a")
        #expect(bench.outcome("a") == .succeeded)
    }

    @Test func `cancelled between attempts it ends`() throws {
        let bench = MachineBench()
        bench.make("a") { $0.retry = RetryPolicy(attempts: 2, delay: 10) }
        try bench.put(["a"], into: bench.queue())
        bench.take()
        bench.fail("a")
        bench.cancel("a")
        #expect(bench.outcome("a") == .cancelled)
        bench.advance(by: 10)
        #expect(bench.take() == nil)
    }

    @Test func `a cancelled attempt is not tried again`() throws {
        let bench = MachineBench()
        bench.make("a") { $0.retry = RetryPolicy(attempts: 5) }
        try bench.put(["a"], into: bench.queue())
        bench.take()
        bench.cancel("a")
        bench.fail("a")
        #expect(bench.outcome("a") == .cancelled)
    }

    @Test(arguments: [
        (RetryPolicy.Backoff.constant, [10, 10, 10, 10, 10] as [Int64]),
        (.linear, [10, 20, 30, 35, 35]),
        (.exponential, [10, 20, 35, 35, 35]),
    ])
    func `delays grow by the policy, up to the longest`(backoff: RetryPolicy.Backoff, delays: [Int64]) {
        let policy = RetryPolicy(attempts: 6, delay: 10, backoff: backoff, maximumDelay: 35)
        #expect((1...5).map { policy.delay(afterAttempt: $0, chance: 0.5) } == delays)
    }

    @Test func `jitter stays within its share`() {
        let policy = RetryPolicy(attempts: 2, delay: 1000, jitter: 0.1)
        #expect(policy.delay(afterAttempt: 1, chance: 0) == 900)
        #expect(policy.delay(afterAttempt: 1, chance: 1) == 1100)
    }

    /// Zero times infinity is not a number, and converting that to an integer is a trap.
    @Test func `extreme policies give a delay`() {
        #expect(RetryPolicy(attempts: 100, backoff: .exponential).delay(afterAttempt: 99, chance: 1) == 0)
        let long = RetryPolicy(attempts: 100, delay: .max, backoff: .exponential, jitter: .infinity)
        #expect(long.delay(afterAttempt: 99, chance: 1) > 0)
        #expect(
            RetryPolicy(attempts: -3, delay: -1, maximumDelay: -1, jitter: .nan).delay(
                afterAttempt: 1,
                chance: 0
            ) == 0
        )
    }

    // MARK: Timeouts

    @Test func `when its time runs out the body is notified, and the operation fails when it returns`() throws
    {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        bench.make("a") { $0.timeout = 10 }
        try bench.put(["a"], into: queue)
        try bench.add("b", to: queue)
        bench.advance(by: 100)
        bench.take()
        bench.advance(by: 9)
        #expect(bench.happened() == ["start a"])
        bench.advance(by: 1)
        #expect(bench.happened() == ["tell a", "timedOut a"].reversed())
        #expect(bench.take() == nil)
        bench.end("a")
        #expect(bench.outcome("a") == .failed)
        #expect(bench.take() == "b")
    }

    @Test func `the time counts from the start, and a finished operation has no timer`() throws {
        let bench = MachineBench()
        bench.make("a") { $0.timeout = 10 }
        try bench.put(["a"], into: bench.queue())
        bench.advance(by: 100)
        bench.take()
        let deadline = bench.machine.nextDeadline
        #expect(deadline == 110)
        bench.end("a")
        let after = bench.machine.nextDeadline
        #expect(after == nil)
    }

    @Test func `an attempt that ran out of time is tried again, with its full time`() throws {
        let bench = MachineBench()
        bench.make("a") {
            $0.timeout = 10
            $0.retry = RetryPolicy(attempts: 2, delay: 5)
        }
        try bench.put(["a"], into: bench.queue())
        bench.take()
        bench.advance(by: 10)
        bench.end("a")
        bench.advance(by: 5)
        #expect(bench.take() == "a")
        #expect(!bench.isCancelled("a"))
        bench.advance(by: 9)
        bench.end("a")
        #expect(bench.outcome("a") == .succeeded)
    }

    /// The call was lost: the operation continued with its next attempt.
    @Test func `cancelled after its time ran out it is not tried again`() throws {
        let bench = MachineBench()
        bench.make("a") {
            $0.timeout = 10
            $0.retry = RetryPolicy(attempts: 2)
        }
        try bench.put(["a"], into: bench.queue())
        bench.take()
        bench.advance(by: 10)
        bench.cancel("a")
        bench.fail("a")
        #expect(bench.outcome("a") == .cancelled)
    }

    @Test func `the first decision stays: timeout before cancel, cancel before timeout`() throws {
        let bench = MachineBench()
        for name in ["a", "b"] { bench.make(name) { $0.timeout = 10 } }
        try bench.put(["a", "b"], into: bench.queue())
        bench.takeAll()
        bench.cancel("b")
        bench.advance(by: 10)
        bench.cancel("a")
        bench.end("a", "b")
        #expect(bench.outcome("a") == .failed)
        #expect(bench.outcome("b") == .cancelled)
    }
}
