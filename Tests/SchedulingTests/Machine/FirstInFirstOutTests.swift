import Testing

@testable import Scheduling

/// Dispatch queues in the machine: the order of addition alone decides.
@Suite struct FirstInFirstOutTests {
    @Test func `a serial queue starts one after the other, independent of their priorities`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.dispatchQueue()
        bench.make("low") { $0.priority = .veryLow }
        bench.make("high") { $0.priority = .veryHigh }
        bench.make("script", lane: .reader) { $0.priority = .high }
        try bench.put(["low", "high", "script"], into: queue)
        #expect(bench.takeAll() == ["low"])
        #expect(bench.takeForReader().isEmpty)
        bench.end("low")
        #expect(bench.takeAll() == ["high"])
        bench.end("high")
        #expect(bench.takeForReader() == ["script"])
    }

    @Test func `a concurrent queue starts all, in the order of addition`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.dispatchQueue(isSerial: false)
        bench.make("low") { $0.priority = .veryLow }
        bench.make("high") { $0.priority = .veryHigh }
        try bench.put(["low", "high"], into: queue)
        #expect(bench.takeAll() == ["low", "high"])
    }

    @Test func `a priority that changes later has no effect`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.dispatchQueue(isSerial: false)
        try bench.add("ab", to: queue)
        bench.feed { $0.priorityChanged(bench.id("b"), to: .veryHigh) }
        #expect(bench.takeAll() == ["a", "b"])
    }

    @Test func `one that waits for a dependency holds a serial queue and not a concurrent one`() throws {
        for isSerial in [true, false] {
            let bench = MachineBench(sharedWidth: 8)
            let queue = bench.dispatchQueue(isSerial: isSerial)
            let other = bench.queue()
            bench.make("first")
            bench.make("a")
            try bench.wire("a", after: "first")
            try bench.put(["a"], into: queue)
            try bench.add("b", to: queue)
            #expect(bench.takeAll() == (isSerial ? [] : ["b"]))
            try bench.put(["first"], into: other)
            #expect(bench.takeAll() == ["first"])
            bench.end("first")
            #expect(bench.takeAll() == ["a"])
        }
    }

    @Test func `a cancelled one does not hold a serial queue`() throws {
        let bench = MachineBench()
        let queue = bench.dispatchQueue()
        try bench.add("abc", to: queue)
        #expect(bench.takeAll() == ["a"])
        bench.cancel("b")
        bench.end("a")
        #expect(bench.takeAll() == ["c"])
    }

    @Test func `a delayed one gets its place when its delay has passed`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.dispatchQueue()
        bench.make("late")
        try bench.put("late", into: queue) { $0.delay = 100 }
        try bench.add("ab", to: queue)
        #expect(bench.takeAll() == ["a"])
        bench.advance(by: 100)
        try bench.add("c", to: queue)
        #expect(bench.names(in: queue) == ["a", "b", "late", "c"])
        bench.end("a")
        #expect(bench.runAll() == ["b", "late", "c"])
    }

    @Test func `a barrier does not wait for a delayed one`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.dispatchQueue(isSerial: false)
        bench.make("late")
        try bench.put("late", into: queue) { $0.delay = 100 }
        bench.make("B")
        try bench.put("B", into: queue) { $0.isBarrier = true }
        #expect(bench.takeAll() == ["B"])
        bench.advance(by: 100)
        #expect(bench.takeAll().isEmpty)
        bench.end("B")
        #expect(bench.takeAll() == ["late"])
    }

    @Test func `a delayed one can be cancelled, also while the queue is suspended`() throws {
        let bench = MachineBench()
        let queue = bench.dispatchQueue()
        for name in ["x", "y"] {
            bench.make(name)
            try bench.put(name, into: queue) { $0.delay = 100 }
        }
        bench.cancel("x")
        #expect(bench.outcome("x") == .cancelled)
        bench.feed { $0.suspensionChanged(queue, to: true) }
        bench.cancel("y")
        bench.advance(by: 100)
        #expect(bench.outcome("y") == nil)
        bench.feed { $0.suspensionChanged(queue, to: false) }
        #expect(bench.outcome("y") == .cancelled)
    }
}
