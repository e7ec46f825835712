import Testing

@testable import Scheduling

@Suite struct ResourceTests {
    private func bench(_ totals: [String: Int]) -> MachineBench {
        let bench = MachineBench(sharedWidth: 16)
        for (name, total) in totals { bench.feed { $0.resourceTotalChanged(name, to: total) } }
        return bench
    }

    private func put(
        _ name: String,
        into queue: QueueID,
        needs: [(name: String, amount: Int)],
        priority: OperationPriority = .normal,
        _ bench: MachineBench
    ) throws {
        bench.make(name) { $0.priority = priority }
        try bench.put(name, into: queue) { $0.resources = needs }
    }

    @Test func `the available amount limits how many execute at once`() throws {
        let bench = bench(["gpu": 2])
        let queue = bench.queue()
        for name in ["a", "b", "c"] { try put(name, into: queue, needs: [("gpu", 1)], bench) }
        #expect(bench.takeAll() == ["a", "b"])
        bench.end("a")
        #expect(bench.takeAll() == ["c"])
    }

    @Test func `all are taken together, or none`() throws {
        let bench = bench(["x": 1, "y": 1])
        let queue = bench.queue()
        try put("x", into: queue, needs: [("x", 1)], bench)
        try put("both", into: queue, needs: [("x", 1), ("y", 1)], bench)
        #expect(bench.takeAll() == ["x"])
        let left = bench.machine.resources.available
        #expect(left.reduce(0, +) == 1)
        bench.end("x")
        #expect(bench.takeAll() == ["both"])
    }

    @Test func `two that need the same two never wait for each other`() throws {
        let bench = bench(["x": 1, "y": 1])
        let queue = bench.queue()
        try put("a", into: queue, needs: [("x", 1), ("y", 1)], bench)
        try put("b", into: queue, needs: [("y", 1), ("x", 1)], bench)
        #expect(bench.runAll() == ["a", "b"])
    }

    @Test func `first come, first served: a small need does not pass a large one that came earlier`() throws {
        let bench = bench(["gpu": 2])
        let queue = bench.queue()
        let other = bench.queue("other")
        try put("one", into: queue, needs: [("gpu", 1)], bench)
        try put("two", into: queue, needs: [("gpu", 2)], bench)
        try put("late", into: other, needs: [("gpu", 1)], bench)
        #expect(bench.takeAll() == ["one"])
        bench.end("one")
        #expect(bench.takeAll() == ["two"])
        bench.end("two")
        #expect(bench.takeAll() == ["late"])
    }

    @Test func `a higher priority is served first`() throws {
        let bench = bench(["gpu": 1])
        let queue = bench.queue()
        try put("busy", into: queue, needs: [("gpu", 1)], bench)
        bench.take()
        try put("a", into: queue, needs: [("gpu", 1)], bench)
        try put("b", into: bench.queue("other"), needs: [("gpu", 1)], priority: .high, bench)
        bench.end("busy")
        #expect(bench.takeAll() == ["b"])
    }

    @Test func `an operation without needs passes waiting ones`() throws {
        let bench = bench(["gpu": 1])
        let queue = bench.queue(width: 2)
        try put("a", into: queue, needs: [("gpu", 1)], bench)
        try put("b", into: queue, needs: [("gpu", 1)], bench)
        try bench.add("c", to: queue)
        #expect(bench.takeAll() == ["a", "c"])
    }

    /// The operations behind the one that left were not rechecked, and waited for ever.
    @Test(arguments: ["cancelled", "suspended", "narrowed", "deferred", "wired"])
    func `when the first in line leaves the next is served`(how: String) throws {
        let bench = bench(["gpu": 2])
        let first = bench.queue("first")
        let second = bench.queue("second")
        try put("busy", into: first, needs: [("gpu", 1)], bench)
        bench.take()
        try put("large", into: first, needs: [("gpu", 2)], bench)
        try put("small", into: second, needs: [("gpu", 1)], bench)
        #expect(bench.take() == nil)
        switch how {
        case "cancelled": bench.cancel("large")
        case "suspended": bench.feed { $0.suspensionChanged(first, to: true) }
        case "narrowed": bench.feed { $0.widthChanged(first, to: 1) }
        case "deferred": bench.feed { $0.priorityChanged(bench.id("large"), to: .low) }
        default:
            bench.make("gate") { $0.isGate = true }
            try bench.wire("large", after: "gate")
        }
        #expect(bench.take() == "small")
    }

    @Test func `an unknown name and more than the total are refused`() throws {
        let bench = bench(["gpu": 2])
        let queue = bench.queue()
        bench.make("a")
        var addition = AdditionSpec(bench.id("a"))
        addition.resources = [("gpo", 1)]
        #expect(
            bench.refusal { try $0.operationAdded(addition, to: queue) }
                == .unknownResource(bench.id("a"), "gpo")
        )
        addition.resources = [("gpu", 3)]
        #expect(
            bench.refusal { try $0.operationAdded(addition, to: queue) }
                == .notEnoughResource(bench.id("a"), "gpu", needed: 3, total: 2)
        )
        #expect(bench.state("a") == .pending)
    }

    @Test func `a larger total lets more start, a smaller one interrupts nothing`() throws {
        let bench = bench(["gpu": 1])
        let queue = bench.queue()
        for name in ["a", "b", "c", "d"] { try put(name, into: queue, needs: [("gpu", 1)], bench) }
        bench.takeAll()
        bench.feed { $0.resourceTotalChanged("gpu", to: 3) }
        #expect(bench.takeAll() == ["b", "c"])
        bench.feed { $0.resourceTotalChanged("gpu", to: 1) }
        bench.end("a", "b")
        #expect(bench.take() == nil)
        bench.end("c")
        #expect(bench.take() == "d")
    }

    @Test func `an operation that can never be served any more delays no other`() throws {
        let bench = bench(["gpu": 2])
        let queue = bench.queue()
        try put("busy", into: queue, needs: [("gpu", 1)], bench)
        bench.take()
        try put("large", into: queue, needs: [("gpu", 2)], bench)
        try put("small", into: queue, needs: [("gpu", 1)], bench)
        bench.feed { $0.resourceTotalChanged("gpu", to: 1) }
        bench.end("busy")
        #expect(bench.takeAll() == ["small"])
    }

    @Test func `needs declared at creation count like needs given at the addition`() throws {
        let bench = bench(["gpu": 1])
        let queue = bench.queue()
        for name in ["a", "b"] { bench.make(name) { $0.resources = [("gpu", 1)] } }
        try bench.put(["a", "b"], into: queue)
        #expect(bench.takeAll() == ["a"])
    }

    @Test func `a Lua body waits for resources like a closure`() throws {
        let bench = bench(["gpu": 1])
        let queue = bench.queue()
        try put("a", into: queue, needs: [("gpu", 1)], bench)
        bench.make("b", lane: .reader)
        try bench.put("b", into: queue) { $0.resources = [("gpu", 1)] }
        #expect(bench.take() == "a")
        #expect(bench.takeForReader() == [])
        bench.end("a")
        #expect(bench.takeForReader() == ["b"])
    }

    // MARK: Terms

    /// A bench with a resource of two that a start keeps for ten nanoseconds.
    private func benchWithTerm() -> MachineBench {
        let bench = bench(["gpu": 1])
        bench.feed { $0.resourceTotalChanged("\0rate", to: 2, term: 10) }
        return bench
    }

    @Test func `a start keeps its part until the term has passed, however long the operation takes`() throws {
        let bench = benchWithTerm()
        let queue = bench.queue()
        for name in ["a", "b", "c", "d"] { try put(name, into: queue, needs: [("\0rate", 1)], bench) }
        #expect(bench.take() == "a")
        bench.end("a")
        bench.advance(by: 4)
        #expect(bench.takeAll() == ["b"])
        bench.advance(by: 6)
        #expect(bench.takeAll() == ["c"])
        bench.end("b")
        bench.end("c")
        bench.advance(by: 3)
        #expect(bench.take() == nil)
        bench.advance(by: 1)
        #expect(bench.takeAll() == ["d"])
    }

    @Test func `each attempt is a start`() throws {
        let bench = benchWithTerm()
        bench.make("a") { $0.retry = RetryPolicy(attempts: 3) }
        try bench.put("a", into: bench.queue()) { $0.resources = [("\0rate", 1)] }
        for _ in 0..<2 {
            #expect(bench.take() == "a")
            bench.fail("a")
        }
        #expect(bench.take() == nil)
        bench.advance(by: 10)
        #expect(bench.take() == "a")
    }

    @Test func `a term counts as a moment to wait for only if an operation waits for it`() throws {
        let bench = benchWithTerm()
        let queue = bench.queue()
        for name in ["a", "b"] { try put(name, into: queue, needs: [("\0rate", 1)], bench) }
        bench.takeAll()
        var effect = bench.machine.nextEffect
        #expect(effect == nil)
        try put("c", into: queue, needs: [("\0rate", 1)], bench)
        effect = bench.machine.nextEffect
        #expect(effect == 10)
        bench.feed { $0.suspensionChanged(queue, to: true) }
        effect = bench.machine.nextEffect
        #expect(effect == nil)
        bench.cancel("c")
        bench.feed { $0.suspensionChanged(queue, to: false) }
        // It lacks something else.
        try put("holder", into: bench.queue("other"), needs: [("gpu", 1)], bench)
        #expect(bench.take() == "holder")
        try put("d", into: queue, needs: [("gpu", 1), ("\0rate", 1)], bench)
        effect = bench.machine.nextEffect
        #expect(effect == nil)
        let all = bench.machine.nextDeadline
        #expect(all == 10)
    }

    @Test func `the reader gets as many tickets as there is room for`() throws {
        let bench = benchWithTerm()
        let queue = bench.queue()
        for name in ["a", "b", "c", "d", "e"] {
            bench.make(name, lane: .reader)
            try bench.put(name, into: queue) { $0.resources = [("\0rate", 1)] }
        }
        #expect(bench.readerTickets.count == 2)
        #expect(bench.takeForReader() == ["a", "b"])
        bench.advance(by: 10)
        #expect(bench.takeForReader() == ["c", "d"])
    }
}
