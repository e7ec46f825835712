import Testing

@testable import Scheduling

@Suite struct QueueTests {
    // MARK: Order

    @Test func `ready operations start by priority, then in the order of addition`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue()
        let priorities: [(String, OperationPriority)] = [
            ("n1", .normal), ("l", .low), ("vl", .veryLow), ("n2", .normal), ("vh", .veryHigh), ("h", .high),
        ]
        for (name, priority) in priorities { bench.make(name) { $0.priority = priority } }
        try bench.put(priorities.map(\.0), into: queue)
        #expect(bench.runAll() == ["vh", "h", "n1", "n2", "l", "vl"])
    }

    @Test func `one that becomes ready late takes its place in the order of addition`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue(width: 1)
        bench.make("gate") { $0.isGate = true }
        for name in ["first", "a", "b", "c"] { bench.make(name) }
        try bench.wire("a", after: "gate")
        try bench.put(["first", "a", "b", "c"], into: queue)
        bench.take()
        try bench.feed { try $0.endedFromOutside(bench.id("gate"), failed: false) }
        bench.end("first")
        #expect(bench.runAll() == ["a", "b", "c"])
    }

    @Test func `a change of priority reorders ready operations, and none that has started`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("abcd", to: queue)
        bench.take()
        bench.feed { $0.priorityChanged(bench.id("c"), to: .high) }
        bench.feed { $0.priorityChanged(bench.id("b"), to: .veryLow) }
        bench.feed { $0.priorityChanged(bench.id("a"), to: .veryHigh) }
        bench.end("a")
        #expect(bench.runAll() == ["c", "d", "b"])
    }

    @Test func `a priority changed there and back leaves the order as it was`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("xabc", to: queue)
        bench.take()
        for _ in 0..<1000 {
            bench.feed { $0.priorityChanged(bench.id("b"), to: .high) }
            bench.feed { $0.priorityChanged(bench.id("b"), to: .normal) }
        }
        bench.end("x")
        #expect(bench.runAll() == ["a", "b", "c"])
    }

    @Test func `those that take longer start first, after those whose duration is not known`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue(width: 1)
        let durations: [(String, Int64?)] = [
            ("first", nil), ("second", 1_000_000_000), ("minute", 60_000_000_000), ("none", 0),
            ("unknown", nil),
            ("nearly", 59_990_000_000), ("other minute", 60_000_000_000), ("endless", .max),
        ]
        for (name, duration) in durations {
            bench.make(name)
            try bench.put(name, into: queue) { $0.expectedDuration = duration }
        }
        bench.make("urgent") { $0.priority = .high }
        try bench.put("urgent", into: queue) { $0.expectedDuration = 1 }
        #expect(
            bench.runAll() == [
                "urgent", "first", "unknown", "endless", "minute", "other minute", "nearly", "second", "none",
            ]
        )
    }

    @Test func `durations change nothing in a queue that is first in, first out`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.dispatchQueue()
        for (name, duration) in [("short", Int64(1)), ("long", 1_000_000)] {
            bench.make(name)
            try bench.put(name, into: queue) { $0.expectedDuration = duration }
        }
        #expect(bench.runAll() == ["short", "long"])
    }

    // MARK: Width

    @Test func `a width lets that many execute at once`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue(width: 3)
        try bench.add("abcde", to: queue)
        #expect(bench.takeAll() == ["a", "b", "c"])
        bench.end("b")
        #expect(bench.takeAll() == ["d"])
    }

    @Test func `a queue without a width shares the threads, and more when some block`() throws {
        let bench = MachineBench(sharedWidth: 2)
        let first = bench.queue("first")
        let second = bench.queue("second")
        try bench.add("abc", to: first)
        try bench.add("de", to: second)
        #expect(bench.takeAll() == ["a", "d"])
        #expect(bench.state("b") == .ready)
        let isShort = bench.machine.hasWorkBeyondShare
        #expect(isShort)
        bench.feed { $0.blockedCountChanged(.worker, to: 1) }
        #expect(bench.takeAll() == ["b"])
    }

    @Test func `a queue of width 0 starts nothing until it gets one`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 0)
        try bench.add("ab", to: queue)
        #expect(bench.take() == nil)
        bench.feed { $0.widthChanged(queue, to: 1) }
        #expect(bench.takeAll() == ["a"])
        bench.feed { $0.widthChanged(queue, to: 0) }
        bench.end("a")
        #expect(bench.take() == nil)
        bench.feed { $0.widthChanged(queue, to: -1) }
        #expect(bench.take() == "b")
    }

    @Test func `lowering a width interrupts nothing`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 3)
        try bench.add("abcde", to: queue)
        bench.takeAll()
        bench.feed { $0.widthChanged(queue, to: 1) }
        bench.end("a", "b")
        #expect(bench.take() == nil)
        bench.end("c")
        #expect(bench.takeAll() == ["d"])
    }

    /// The queue stayed among those without a width, and waited for a share of threads it did not need.
    @Test func `a queue that gets a width no longer waits for a share of threads`() throws {
        let bench = MachineBench(sharedWidth: 1)
        try bench.add("a", to: bench.queue("busy"))
        bench.take()
        let queue = bench.queue()
        try bench.add("b", to: queue)
        #expect(bench.take() == nil)
        bench.feed { $0.widthChanged(queue, to: 4) }
        #expect(bench.take() == "b")
    }

    // MARK: Suspension

    @Test func `a suspended queue starts nothing, and executing operations continue`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 2)
        try bench.add("abc", to: queue)
        bench.take()
        bench.feed { $0.suspensionChanged(queue, to: true) }
        #expect(bench.take() == nil)
        bench.end("a")
        #expect(bench.outcome("a") == .succeeded)
        #expect(bench.take() == nil)
        bench.feed { $0.suspensionChanged(queue, to: false) }
        #expect(bench.takeAll() == ["b", "c"])
    }

    @Test func `cancelled and skipped ones wait for a suspended queue, and for no slot`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        let other = bench.queue("other")
        for name in ["bad", "busy", "cancelled", "skipped"] { bench.make(name) }
        try bench.wire("skipped", after: "bad")
        try bench.put(["busy", "cancelled", "skipped"], into: queue)
        #expect(bench.take() == "busy")
        bench.feed { $0.suspensionChanged(queue, to: true) }
        try bench.put(["bad"], into: other)
        bench.take()
        bench.fail("bad")
        bench.cancel("cancelled")
        #expect(bench.isCancelled("cancelled"))
        #expect(bench.outcome("cancelled") == nil)
        #expect(bench.outcome("skipped") == nil)
        #expect(bench.state("skipped") == .pending)
        _ = bench.happened()
        bench.feed { $0.suspensionChanged(queue, to: false) }
        #expect(bench.happened() == ["end skipped skipped by bad", "end cancelled cancelled"])
    }

    // MARK: Cancelling

    @Test func `cancelled before its start it finishes without its dependencies and without a slot`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        bench.make("gate") { $0.isGate = true }
        bench.make("a")
        bench.make("busy")
        try bench.wire("a", after: "gate")
        try bench.put(["busy", "a"], into: queue)
        bench.take()
        bench.cancel("a")
        #expect(bench.outcome("a") == .cancelled)
        #expect(bench.isCancelled("a"))
    }

    @Test func `an executing body is notified, and its end no longer matters`() throws {
        for failed in [false, true] {
            let bench = MachineBench()
            try bench.add("a", to: bench.queue())
            bench.take()
            bench.cancel("a")
            bench.cancel("a")
            #expect(bench.state("a") == .executing)
            bench.end("a", failed: failed)
            #expect(bench.happened() == ["start a", "tell a", "end a cancelled"])
        }
    }

    @Test func `cancelling after the end changes nothing`() throws {
        let bench = MachineBench()
        try bench.add("a", to: bench.queue())
        bench.take()
        bench.end("a")
        bench.cancel("a")
        #expect(!bench.isCancelled("a"))
        #expect(bench.outcome("a") == .succeeded)
    }

    @Test func `outside a queue the flag is set, and it finishes when it is added or started`() throws {
        let bench = MachineBench()
        for name in ["a", "b"] {
            bench.make(name)
            bench.cancel(name)
            #expect(bench.state(name) == .pending)
        }
        try bench.put(["a"], into: bench.queue())
        try bench.feed { try $0.startedByHand(bench.id("b")) }
        #expect(bench.outcome("a") == .cancelled)
        #expect(bench.outcome("b") == .cancelled)
    }

    @Test func `cancelling all takes everything in the queue`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("abc", to: queue)
        bench.take()
        _ = bench.happened()
        bench.feed { $0.allCancelled(in: queue) }
        #expect(
            bench.happened() == [
                "cancelled a", "cancelled b", "cancelled c", "end b cancelled", "end c cancelled", "tell a",
            ]
        )
    }

    @Test func `fail fast cancels operations that have not started, unless the failure is allowed`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 2)
        bench.feed { $0.failFastChanged(queue, to: true) }
        bench.make("allowed") { $0.allowsFailure = true }
        try bench.put(["allowed"], into: queue)
        try bench.add("abcd", to: queue)
        bench.takeAll()
        bench.fail("allowed")
        #expect(bench.take() == "b")
        bench.fail("a")
        #expect(bench.outcome("c") == .cancelled)
        #expect(bench.outcome("d") == .cancelled)
        #expect(bench.state("b") == .executing)
        bench.end("b")
        #expect(bench.outcome("b") == .succeeded)
    }

    // MARK: Started by hand

    @Test func `a Lua body that is started by hand executes at once`() throws {
        let bench = MachineBench()
        bench.make("a", lane: .reader)
        try bench.feed { try $0.startedByHand(bench.id("a")) }
        #expect(bench.state("a") == .executing)
        bench.end("a")
        #expect(bench.outcome("a") == .succeeded)
    }

    @Test func `a closure that is started by hand goes to a worker, before waiting operations`() throws {
        let bench = MachineBench(sharedWidth: 1)
        try bench.add("ab", to: bench.queue())
        bench.take()
        bench.make("hand")
        try bench.feed { try $0.startedByHand(bench.id("hand")) }
        #expect(bench.queue(of: "hand") == nil)
        #expect(bench.take() == "hand")
        bench.end("hand")
    }

    @Test func `starting by hand is refused where it does not fit`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        let start = { (name: String) in bench.refusal { try $0.startedByHand(bench.id(name)) } }
        bench.make("gate") { $0.isGate = true }
        bench.make("waiting")
        try bench.wire("waiting", after: "gate")
        try bench.add("ab", to: queue)
        bench.take()
        #expect(start("gate") == .isGate(bench.id("gate")))
        #expect(start("waiting") == .notReady(bench.id("waiting")))
        #expect(start("a") == .alreadyExecuting(bench.id("a")))
        #expect(start("b") == .alreadyInQueue(bench.id("b")))
        bench.end("a")
        #expect(start("a") == .alreadyFinished(bench.id("a")))
    }

    @Test func `started by hand after a failed dependency it is skipped`() throws {
        let bench = MachineBench()
        for name in ["bad", "a"] { bench.make(name) }
        try bench.wire("a", after: "bad")
        try bench.put(["bad"], into: bench.queue())
        bench.take()
        bench.fail("bad")
        try bench.feed { try $0.startedByHand(bench.id("a")) }
        #expect(bench.outcome("a") == .skipped)
    }

    // MARK: Dropping

    @Test func `a dropped queue is forgotten when it is empty`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        try bench.add("a", to: queue)
        bench.feed { $0.queueDropped(queue) }
        #expect(bench.take() == "a")
        bench.end("a")
        #expect(bench.queue("next") == queue)
    }
}
