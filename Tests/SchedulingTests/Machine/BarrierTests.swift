import Testing

@testable import Scheduling

@Suite struct BarrierTests {
    private func addBarrier(_ name: String, to queue: QueueID, _ bench: MachineBench) throws {
        bench.make(name)
        try bench.put(name, into: queue) { $0.isBarrier = true }
    }

    @Test func `a barrier runs after all before it, and before all after it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        try bench.add("ab", to: queue)
        try addBarrier("B", to: queue, bench)
        try bench.add("cd", to: queue)
        #expect(bench.takeAll() == ["a", "b"])
        bench.end("b")
        #expect(bench.take() == nil)
        bench.end("a")
        #expect(bench.takeAll() == ["B"])
        bench.end("B")
        #expect(bench.takeAll() == ["c", "d"])
    }

    @Test func `priority does not carry an operation past a barrier`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        try addBarrier("B", to: queue, bench)
        bench.make("high") { $0.priority = .veryHigh }
        try bench.put(["high"], into: queue)
        #expect(bench.takeAll() == ["B"])
    }

    @Test func `on an empty queue a barrier starts, and later operations wait for it`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        try addBarrier("B", to: queue, bench)
        try bench.add("a", to: queue)
        #expect(bench.takeAll() == ["B"])
        try bench.add("b", to: queue)
        #expect(bench.take() == nil)
        bench.end("B")
        #expect(bench.takeAll() == ["a", "b"])
    }

    @Test func `on a suspended queue a barrier waits`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.feed { $0.suspensionChanged(queue, to: true) }
        try addBarrier("B", to: queue, bench)
        #expect(bench.take() == nil)
        bench.feed { $0.suspensionChanged(queue, to: false) }
        #expect(bench.take() == "B")
    }

    @Test func `several barriers keep their order`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        try addBarrier("B1", to: queue, bench)
        try addBarrier("B2", to: queue, bench)
        try bench.add("a", to: queue)
        try addBarrier("B3", to: queue, bench)
        #expect(bench.runAll() == ["B1", "B2", "a", "B3"])
    }

    @Test func `a cancelled barrier releases at once the operations that waited only for it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        try bench.add("a", to: queue)
        try addBarrier("B1", to: queue, bench)
        try bench.add("b", to: queue)
        try addBarrier("B2", to: queue, bench)
        try bench.add("c", to: queue)
        bench.take()
        bench.cancel("B2")
        #expect(bench.take() == nil)
        bench.cancel("B1")
        #expect(bench.takeAll() == ["b", "c"])
    }

    @Test func `after a cancelled barrier the next one waits for all before it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        try bench.add("a", to: queue)
        try addBarrier("B1", to: queue, bench)
        try bench.add("b", to: queue)
        try addBarrier("B2", to: queue, bench)
        bench.cancel("B1")
        #expect(bench.takeAll() == ["a", "b"])
        bench.end("b")
        #expect(bench.take() == nil)
        bench.end("a")
        #expect(bench.take() == "B2")
    }

    @Test func `cancelled ones before a barrier do not hold it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue(width: 1)
        try bench.add("ab", to: queue)
        try addBarrier("B", to: queue, bench)
        bench.take()
        bench.cancel("b")
        bench.end("a")
        #expect(bench.take() == "B")
    }

    @Test func `one held by a barrier can be cancelled, and wired`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        try addBarrier("B", to: queue, bench)
        try bench.add("abc", to: queue)
        bench.cancel("a")
        #expect(bench.outcome("a") == .cancelled)
        try bench.wire("b", after: "c")
        #expect(bench.runAll() == ["B", "c", "b"])
    }

    @Test func `a barrier waits for its dependencies, and all behind it wait with it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        bench.make("gate") { $0.isGate = true }
        bench.make("B")
        try bench.wire("B", after: "gate")
        try bench.put("B", into: queue) { $0.isBarrier = true }
        try bench.add("a", to: queue)
        #expect(bench.take() == nil)
        try bench.feed { try $0.endedFromOutside(bench.id("gate"), failed: true) }
        #expect(bench.outcome("B") == .skipped)
        #expect(bench.take() == "a")
    }

    @Test func `an operation that is tried again keeps a barrier waiting`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        bench.make("a") { $0.retry = RetryPolicy(attempts: 2, delay: 10) }
        try bench.put(["a"], into: queue)
        try addBarrier("B", to: queue, bench)
        bench.take()
        bench.fail("a")
        #expect(bench.take() == nil)
        bench.advance(by: 10)
        #expect(bench.take() == "a")
        bench.end("a")
        #expect(bench.take() == "B")
    }

    /// Each barrier that was passed moved all segments behind it: quadratic time.
    @Test func `a hundred thousand barriers pass in linear time`() throws {
        var machine = SchedulerMachine(sharedWidth: 1, seed: 1)
        let queue = machine.queueCreated()
        for _ in 0..<100_000 {
            var addition = AdditionSpec(machine.operationCreated(OperationSpec()))
            addition.isBarrier = true
            try machine.operationAdded(addition, to: queue)
        }
        while let id = machine.takeNext(.worker) { machine.bodyEnded(id, failed: false) }
        #expect(machine.unfinishedCount == 0)
    }
}
