import Testing

@testable import Scheduling

/// Failed attempts of which the reader decides whether another one follows.
@Suite struct JudgementTests {
    private func bench(attempts: Int = 3, delay: Int64 = 0, timeout: Int64 = 0) throws -> MachineBench {
        let bench = MachineBench()
        bench.feed { $0.resourceTotalChanged("gpu", to: 1) }
        bench.make("a") {
            $0.retry = RetryPolicy(attempts: attempts, delay: delay)
            $0.retry?.isJudged = true
            $0.timeout = timeout
        }
        try bench.put("a", into: bench.queue(width: 1)) { $0.resources = [("gpu", 1)] }
        #expect(bench.take() == "a")
        return bench
    }

    private func judge(_ bench: MachineBench, again: Bool, hasOtherError: Bool = false) {
        bench.feed { $0.attemptJudged(bench.id("a"), again: again, hasOtherError: hasOtherError) }
    }

    @Test func `until the decision it executes, with its slot and its resources and without a thread`() throws
    {
        let bench = try bench(delay: 10)
        bench.fail("a")
        #expect(bench.state("a") == .executing)
        #expect(bench.machine.resources.available == [0])
        #expect(bench.machine.closureExecutingCount == 0)
        judge(bench, again: true)
        #expect(bench.state("a") == .pending)
        #expect(bench.machine.resources.available == [1])
        bench.advance(by: 10)
        #expect(bench.take() == "a")
        bench.end("a")
        #expect(
            bench.happened() == ["start a", "attemptFailed a", "retrying a", "start a", "end a succeeded"]
        )
    }

    @Test
    func `the failure is final if the reader decides so, and after the last attempt without a decision`()
        throws
    {
        var bench = try bench()
        bench.fail("a")
        judge(bench, again: false)
        #expect(bench.outcome("a") == .failed)
        bench = try self.bench(attempts: 1)
        bench.fail("a")
        #expect(bench.outcome("a") == .failed)
    }

    @Test func `a second end, its time limit and a second decision have no effect`() throws {
        let bench = try bench(timeout: 10)
        bench.fail("a")
        bench.end("a")
        bench.advance(by: 20)
        #expect(bench.state("a") == .executing)
        #expect(!bench.isCancelled("a"))
        judge(bench, again: true)
        judge(bench, again: false)
        #expect(bench.state("a") == .ready)
        #expect(bench.take() == "a")
    }

    @Test func `a cancellation meanwhile counts more than the decision`() throws {
        let bench = try bench()
        bench.fail("a")
        bench.cancel("a")
        #expect(bench.state("a") == .executing)
        judge(bench, again: true)
        #expect(bench.outcome("a") == .cancelled)
    }

    @Test
    func `an attempt that ran out of time is decided about, too; another error can replace the time limit`()
        throws
    {
        let bench = try bench(timeout: 10)
        bench.advance(by: 10)
        bench.end("a")
        #expect(bench.state("a") == .executing)
        judge(bench, again: false, hasOtherError: true)
        #expect(bench.outcome("a") == .failed)
        let hasTimedOut = bench.machine.hasTimedOut(bench.id("a"))
        #expect(!hasTimedOut)
    }
}
