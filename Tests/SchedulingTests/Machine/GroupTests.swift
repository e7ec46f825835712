import Testing

@testable import Scheduling

@Suite struct GroupTests {
    @Test func `an empty group ends when it starts`() throws {
        let bench = MachineBench()
        bench.group("g")
        try bench.put(["g"], into: bench.queue())
        #expect(bench.happened() == ["start g", "end g succeeded"])
    }

    @Test func `operations inside start with the group, and the group ends after them`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        try bench.add("ab", to: inner)
        #expect(bench.take() == nil)
        bench.make("after")
        try bench.wire("after", after: "g")
        try bench.put(["after", "g"], into: bench.queue())
        #expect(bench.takeAll() == ["a", "b"])
        bench.end("a")
        #expect(bench.state("g") == .executing)
        bench.end("b")
        #expect(bench.outcome("g") == .succeeded)
        #expect(bench.take() == "after")
    }

    @Test func `operations inside take no slot of the outer queue, and respect the inner width`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue(width: 1)
        let inner = bench.group("g", width: 2)
        try bench.add("abc", to: inner)
        try bench.put(["g"], into: queue)
        try bench.add("x", to: queue)
        #expect(bench.takeAll() == ["a", "b"])
        bench.end("a", "b")
        bench.take()
        bench.end("c")
        #expect(bench.take() == "x")
    }

    @Test func `a body moves to another lane until it starts`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        try bench.add("abc", to: inner)
        bench.feed { $0.bodyMoved(bench.id("b"), to: .workerLow) }
        try bench.put(["g"], into: bench.queue())
        bench.feed { $0.bodyMoved(bench.id("c"), to: .workerLow) }
        #expect(bench.takeAll() == ["a"])
        bench.feed { $0.bodyMoved(bench.id("a"), to: .workerLow) }
        #expect(bench.takeAll(.workerLow) == ["b", "c"])
        bench.end("a", "b", "c")
        #expect(bench.outcome("g") == .succeeded)
    }

    @Test func `a group takes more in while it runs, and none after its end`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        try bench.add("a", to: inner)
        try bench.put(["g"], into: bench.queue())
        bench.take()
        try bench.add("b", to: inner)
        bench.end("a")
        #expect(bench.state("g") == .executing)
        bench.take()
        bench.end("b")
        #expect(bench.outcome("g") == .succeeded)
        bench.make("late")
        #expect(
            bench.refusal { try $0.operationAdded(AdditionSpec(bench.id("late")), to: inner) }
                == .alreadyFinished(bench.id("g"))
        )
    }

    @Test func `a failure inside makes the group fail, unless it is allowed`() throws {
        for allowed in [false, true] {
            let bench = MachineBench()
            let inner = bench.group("g")
            bench.make("a") { $0.allowsFailure = allowed }
            try bench.put(["a"], into: inner)
            try bench.add("b", to: inner)
            try bench.put(["g"], into: bench.queue())
            bench.takeAll()
            bench.fail("a")
            #expect(bench.state("g") == .executing)
            bench.end("b")
            #expect(bench.happened().last == (allowed ? "end g succeeded" : "end g failed by a"))
        }
    }

    @Test func `cancelled before its start a group cancels the operations inside`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        try bench.add("ab", to: inner)
        bench.make("gate") { $0.isGate = true }
        try bench.wire("g", after: "gate")
        try bench.put(["g"], into: bench.queue())
        bench.cancel("g")
        #expect(["g", "a", "b"].map(bench.outcome) == [.cancelled, .cancelled, .cancelled])
        #expect(bench.readerTickets.isEmpty)
    }

    @Test func `cancelled while it runs a group cancels the operations inside, and ends after them`() throws {
        let bench = MachineBench()
        let inner = bench.group("g", width: 1)
        try bench.add("ab", to: inner)
        try bench.put(["g"], into: bench.queue())
        bench.take()
        bench.cancel("g")
        #expect(bench.outcome("b") == .cancelled)
        #expect(bench.state("g") == .executing)
        try bench.add("xy", to: inner)
        for name in ["x", "y"] { #expect(bench.outcome(name) == .cancelled) }
        bench.end("a")
        #expect(bench.outcome("g") == .cancelled)
    }

    @Test func `a skipped group ends the operations inside`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        try bench.add("a", to: inner)
        bench.make("bad")
        try bench.wire("g", after: "bad")
        try bench.put(["bad", "g"], into: bench.queue())
        bench.take()
        bench.fail("bad")
        #expect(bench.outcome("g") == .skipped)
        #expect(bench.outcome("a") == .cancelled)
    }

    @Test func `one inside that is cancelled beforehand ends with the start of the group`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        try bench.add("a", to: inner)
        bench.cancel("a")
        #expect(bench.outcome("a") == nil)
        try bench.put(["g"], into: bench.queue())
        #expect(bench.happened() == ["start g", "end a cancelled", "end g succeeded"])
    }

    @Test func `a group whose time runs out cancels the operations inside and fails`() throws {
        let bench = MachineBench()
        bench.make("g", lane: .group) { $0.timeout = 10 }
        let inner = bench.queue("inside")
        bench.machine.groupCreated(bench.id("g"), inner: inner)
        try bench.add("a", to: inner)
        try bench.put(["g"], into: bench.queue())
        bench.take()
        bench.advance(by: 10)
        #expect(bench.isCancelled("a"))
        bench.end("a")
        #expect(bench.outcome("g") == .failed)
    }

    @Test func `groups nest`() throws {
        let bench = MachineBench()
        let outer = bench.group("outer")
        let inner = bench.group("inner")
        try bench.add("a", to: inner)
        try bench.put(["inner"], into: outer)
        try bench.add("b", to: outer)
        try bench.put(["outer"], into: bench.queue())
        #expect(bench.runAll(failing: ["a"]).sorted() == ["a", "b"])
        #expect(bench.outcome("inner") == .failed)
        #expect(bench.outcome("outer") == .failed)
    }

    /// Cancelling went down by recursion, and the stack ended.
    @Test func `groups that are nested fifty thousand deep start, are cancelled and end`() throws {
        var machine = SchedulerMachine(sharedWidth: 1, seed: 1)
        let queue = machine.queueCreated()
        var groups: [OperationID] = []
        for _ in 0..<50_000 {
            var spec = OperationSpec()
            spec.lane = .group
            let group = machine.operationCreated(spec)
            machine.groupCreated(group, inner: machine.queueCreated())
            groups.append(group)
        }
        let core = machine.operationCreated(OperationSpec())
        func inner(_ group: OperationID) -> QueueID {
            QueueID(index: machine.extras[Int(machine.store.pointer(group.slot).pointee.extras)].innerQueue)
        }
        let innermost = inner(groups[groups.count - 1])
        try machine.operationAdded(AdditionSpec(core), to: innermost)
        for index in (1..<groups.count).reversed() {
            let around = inner(groups[index - 1])
            try machine.operationAdded(AdditionSpec(groups[index]), to: around)
        }
        try machine.operationAdded(AdditionSpec(groups[0]), to: queue)
        machine.startPushed()
        let started = machine.takeNext(.worker)
        #expect(started == core)
        machine.cancelled(groups[0])
        machine.bodyEnded(core, failed: false)
        #expect(machine.unfinishedCount == 0)
        let outcome = machine.outcome(of: groups[0])
        #expect(outcome == .cancelled)
    }
}
