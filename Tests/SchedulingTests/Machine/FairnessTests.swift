import Testing

@testable import Scheduling

@Suite struct FairnessTests {
    @Test func `queues of one class take turns`() throws {
        let bench = MachineBench(sharedWidth: 1)
        try bench.add("abc", to: bench.queue("first"))
        try bench.add("xyz", to: bench.queue("second"))
        #expect(bench.runAll() == ["a", "x", "b", "y", "c", "z"])
    }

    @Test func `queues with and without a width take turns`() throws {
        let bench = MachineBench(sharedWidth: 1)
        try bench.add("abcdefgh", to: bench.queue("shared"))
        try bench.add("ABCDEFGH", to: bench.queue("limited", width: 4))
        let order = bench.runAll().prefix(8)
        #expect(order.count { $0 < "a" } == 4)
    }

    @Test func `the higher class goes first, yet one start in sixteen goes to the lower`() throws {
        for width in [-1, 4] {
            let bench = MachineBench(sharedWidth: 1)
            let low = bench.queue("low", width: width, quality: .background)
            let high = bench.queue("high", width: width, quality: .userInitiated)
            for index in 0..<64 {
                bench.make("low\(index)")
                bench.make("high\(index)")
            }
            try bench.put((0..<64).map { "low\($0)" }, into: low)
            try bench.put((0..<64).map { "high\($0)" }, into: high)
            let order = bench.runAll().prefix(48)
            #expect(order.count { $0.hasPrefix("low") } == 3)
        }
    }

    // MARK: Lanes

    /// A lane that had the next share, and had nothing to start, kept all others waiting.
    @Test func `lanes share nothing`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue("one for all")
        for lane in ExecutionLane.workers {
            try bench.put((0..<2).map { bench.make("\(lane)\($0)", lane: lane) }, into: queue)
        }
        for lane in ExecutionLane.workers {
            #expect(bench.take(lane) == "\(lane)0")
            #expect(bench.take(lane) == nil)
        }
        for lane in ExecutionLane.workers {
            bench.feed { $0.effects.lanesToWake = 0 }
            bench.end("\(lane)0")
            let mask = bench.machine.effects.lanesToWake
            #expect(mask & ~lane.bit == 0, "the end of a body wakes no other lane")
            #expect(bench.take(lane) == "\(lane)1")
        }
    }

    @Test func `a body that blocks gives its share to its own lane`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue()
        for lane in [ExecutionLane.worker, .workerLow] {
            try bench.put((0..<2).map { bench.make("\(lane)\($0)", lane: lane) }, into: queue)
            #expect(bench.take(lane) == "\(lane)0")
        }
        bench.feed { $0.blockedCountChanged(.workerLow, to: 1) }
        #expect(bench.take(.worker) == nil)
        #expect(bench.take(.workerLow) == "workerLow1")
    }

    @Test func `only the lane of niceness 0 leaves a core to the reader`() throws {
        let bench = MachineBench(sharedWidth: 2)
        bench.feed { $0.coreNeededElsewhere(true) }
        let queue = bench.queue()
        for lane in [ExecutionLane.worker, .workerLow] {
            try bench.put((0..<3).map { bench.make("\(lane)\($0)", lane: lane) }, into: queue)
        }
        #expect(bench.take(.worker) != nil)
        #expect(bench.take(.worker) == nil)
        #expect(bench.take(.workerLow) != nil)
        #expect(bench.take(.workerLow) != nil)
        #expect(bench.take(.workerLow) == nil)
    }

    @Test func `the nicer of class and thread priority chooses the lane`() {
        func lane(_ quality: OperationQualityOfService, _ priority: Double = 0.5) -> ExecutionLane {
            ExecutionLane(qualityOfService: quality, threadPriority: priority)
        }
        #expect(lane(.background) == .workerLowest)
        #expect(lane(.utility) == .workerLow)
        for quality in [OperationQualityOfService.default, .userInitiated, .userInteractive] {
            #expect(lane(quality) == .worker)
            #expect(lane(quality, 0.4) == .workerLow)
            #expect(lane(quality, 0.1) == .workerLowest)
            #expect(lane(quality, 0.9) == .workerHigh)
        }
        #expect(lane(.utility, 0.9) == .workerLow)
        #expect(lane(.background, 0.4) == .workerLowest)
        #expect(lane(.utility, 0) == .workerLowest)
        let unprivileged = ExecutionLane(qualityOfService: .default, threadPriority: 1, mayBeRaised: false)
        #expect(unprivileged == .worker)
    }

    @Test func `a simulation has one lane`() throws {
        var machine = SchedulerMachine(sharedWidth: 3, seed: 1, hasLanes: false)
        let queue = machine.queueCreated()
        for lane in ExecutionLane.workers {
            var spec = OperationSpec()
            spec.lane = lane
            let id = machine.operationCreated(spec)
            try machine.operationAdded(AdditionSpec(id), to: queue)
        }
        var started = 0
        while machine.takeNext(.worker) != nil { started += 1 }
        #expect(started == 3)
    }

    @Test func `a queue is served in its new class`() throws {
        let bench = MachineBench(sharedWidth: 1)
        let queue = bench.queue("late", quality: .background)
        try bench.add("a", to: queue)
        try bench.add("b", to: bench.queue("other"))
        bench.feed { $0.qualityOfServiceChanged(queue, to: .userInteractive) }
        #expect(bench.runAll() == ["a", "b"])
    }

    // MARK: A core for another thread

    @Test func `a thread that needs a core takes a share, and gives it back`() throws {
        let bench = MachineBench(sharedWidth: 2)
        bench.feed { $0.coreNeededElsewhere(true) }
        try bench.add("abc", to: bench.queue("first"))
        #expect(bench.takeAll() == ["a"])
        let isShort = bench.machine.hasWorkBeyondShare
        #expect(isShort)
        bench.feed { $0.effects.lanesToWake = 0 }
        bench.feed { $0.coreNeededElsewhere(false) }
        let mask = bench.machine.effects.lanesToWake
        #expect(mask & (1 << UInt16(ExecutionLane.worker.rawValue)) != 0)
        #expect(bench.takeAll() == ["b"])
        // Running bodies continue, and ended bodies are not replaced.
        bench.feed { $0.coreNeededElsewhere(true) }
        bench.end("a")
        #expect(bench.takeAll() == [])
        bench.end("b")
        #expect(bench.takeAll() == ["c"])
    }

    @Test func `the last share stays`() throws {
        let bench = MachineBench(sharedWidth: 1)
        bench.feed { $0.coreNeededElsewhere(true) }
        try bench.add("ab", to: bench.queue("first"))
        #expect(bench.runAll() == ["a", "b"])
    }

    @Test func `queues with a width do not depend on shares`() throws {
        let bench = MachineBench(sharedWidth: 2)
        bench.feed { $0.coreNeededElsewhere(true) }
        try bench.add("abcd", to: bench.queue("limited", width: 3))
        #expect(bench.takeAll() == ["a", "b", "c"])
    }

    // MARK: Jobs

    @Test func `the limit of jobs holds across queues, lanes and tasks`() throws {
        let bench = MachineBench(sharedWidth: 8)
        bench.machine.jobLimit = 2
        try bench.add("a", to: bench.queue("q1", width: 4))
        try bench.add("b", to: bench.queue("q2"), lane: .workerLow)
        try bench.add("c", to: bench.queue("q3"), lane: .task)
        #expect(bench.happened() == ["start c", "task c"])
        #expect(bench.take(.worker) == "a")
        #expect(bench.take(.workerLow) == nil)
        bench.end("c")
        #expect(bench.take(.workerLow) == "b")
        try bench.add("d", to: bench.queue("q4"), lane: .task)
        #expect(bench.state("d") == .ready)
        bench.end("a")
        #expect(bench.state("d") == .executing)
    }

    @Test func `Lua bodies and groups are no jobs`() throws {
        let bench = MachineBench()
        bench.machine.jobLimit = 1
        try bench.add("a", to: bench.queue())
        bench.take()
        let inner = bench.group("g")
        try bench.add("s", to: inner, lane: .reader)
        try bench.put(["g"], into: bench.queue("other"))
        #expect(bench.takeForReader() == ["s"])
    }

    // MARK: The script thread and the workers

    @Test func `the script thread receives as many tickets as it could use`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 2)
        try bench.add("abc", to: queue, lane: .reader)
        #expect(bench.readerTickets.count == 2)
        #expect(bench.takeForReader() == ["a", "b"])
        bench.end("a")
        #expect(bench.readerTickets.count == 1)
        #expect(bench.takeForReader() == ["c"])
    }

    @Test func `a ticket whose operation is gone starts nothing`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("a", to: queue, lane: .reader)
        bench.cancel("a")
        #expect(bench.readerTickets.count == 1)
        #expect(bench.takeForReader() == [])
        try bench.add("b", to: queue, lane: .reader)
        #expect(bench.takeForReader() == ["b"])
    }

    @Test func `priority decides when the ticket is used, not when it was issued`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("a", to: queue, lane: .reader)
        bench.make("b", lane: .reader) { $0.priority = .high }
        try bench.put(["b"], into: queue)
        #expect(bench.takeForReader() == ["b"])
    }

    @Test func `in a queue of width 1 a closure does not overtake a Lua body that came first`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("s", to: queue, lane: .reader)
        try bench.add("w", to: queue)
        #expect(bench.take() == nil)
        #expect(bench.takeForReader() == ["s"])
        bench.end("s")
        #expect(bench.take() == "w")
    }

    @Test func `in a queue of width 1 a Lua body does not overtake a closure that came first`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("w", to: queue)
        try bench.add("s", to: queue, lane: .reader)
        #expect(bench.takeForReader() == [])
        #expect(bench.take() == "w")
        bench.end("w")
        #expect(bench.takeForReader() == ["s"])
    }

    /// Too many slots were kept for others, and this was not rechecked: a slot stayed free.
    @Test func `no slot stays free while closures and Lua bodies wait in turn`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 2)
        try bench.add("u", to: queue)
        try bench.add("s", to: queue, lane: .reader)
        try bench.add("v", to: queue)
        bench.takeForReader()
        #expect(bench.takeAll() == ["u"])
        #expect(bench.takeForReader() == ["s"])
        bench.end("u")
        #expect(bench.take() == "v")
    }

    @Test func `closures in the main queue run on the script thread, one at a time`() throws {
        let bench = MachineBench()
        let main = bench.machine.queueCreated(isMain: true)
        try bench.add("ab", to: main)
        #expect(bench.take() == nil)
        #expect(bench.takeForReader() == ["a"])
        bench.end("a")
        #expect(bench.takeForReader() == ["b"])
    }
}
