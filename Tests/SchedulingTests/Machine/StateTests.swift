import Testing

@testable import Scheduling

@Suite struct StateTests {
    @Test func `an operation goes from pending over ready and executing to finished`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        bench.make("a")
        #expect(bench.state("a") == .pending)
        try bench.put(["a"], into: queue)
        #expect(bench.state("a") == .ready)
        #expect(bench.take() == "a")
        #expect(bench.state("a") == .executing)
        #expect(bench.outcome("a") == nil)
        bench.end("a")
        #expect(bench.state("a") == .finished)
        #expect(bench.outcome("a") == .succeeded)
        #expect(bench.happened() == ["start a", "end a succeeded"])
        #expect(bench.machine.unfinishedCount == 0)
    }

    @Test func `a body that fails makes the operation fail`() throws {
        let bench = MachineBench()
        try bench.add("a", to: bench.queue())
        bench.take()
        bench.fail("a")
        #expect(bench.outcome("a") == .failed)
    }

    @Test func `a second end changes nothing`() throws {
        let bench = MachineBench()
        try bench.add("a", to: bench.queue())
        bench.take()
        bench.end("a")
        bench.fail("a")
        try bench.feed { try $0.endedFromOutside(bench.id("a"), failed: true) }
        #expect(bench.outcome("a") == .succeeded)
        #expect(bench.happened() == ["start a", "end a succeeded"])
    }

    @Test func `an operation that is in a queue, executes or has finished is not added again`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("a", to: queue)
        let again = { bench.refusal { try $0.operationAdded(AdditionSpec(bench.id("a")), to: queue) } }
        #expect(again() == .alreadyInQueue(bench.id("a")))
        bench.take()
        #expect(again() == .alreadyExecuting(bench.id("a")))
        bench.end("a")
        #expect(again() == .alreadyFinished(bench.id("a")))
    }

    @Test func `one bad operation in a list keeps all out`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("a", to: queue)
        bench.make("b")
        bench.make("c")
        let list = ["b", "a", "c"].map { AdditionSpec(bench.id($0)) }
        #expect(bench.refusal { try $0.operationsAdded(list, to: queue) } == .alreadyInQueue(bench.id("a")))
        let twice = ["b", "c", "b"].map { AdditionSpec(bench.id($0)) }
        #expect(bench.refusal { try $0.operationsAdded(twice, to: queue) } == .repeatedInList(bench.id("b")))
        #expect(bench.names(in: queue) == ["a"])
        try bench.put(["b", "c"], into: queue)
        #expect(bench.names(in: queue) == ["a", "b", "c"])
    }

    @Test func `a gate is in no queue and ends from outside`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.make("gate") { $0.isGate = true }
        bench.make("a")
        try bench.wire("a", after: "gate")
        try bench.put(["a"], into: queue)
        #expect(
            bench.refusal { try $0.operationAdded(AdditionSpec(bench.id("gate")), to: queue) }
                == .isGate(bench.id("gate"))
        )
        #expect(bench.take() == nil)
        try bench.feed { try $0.endedFromOutside(bench.id("gate"), failed: false) }
        #expect(bench.take() == "a")
    }

    @Test func `a gate that fails or is cancelled counts like any other operation`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        for (gate, operation) in [("fails", "a"), ("cancelled", "b")] {
            bench.make(gate) { $0.isGate = true }
            bench.make(operation)
            try bench.wire(operation, after: gate)
            try bench.put([operation], into: queue)
        }
        try bench.feed { try $0.endedFromOutside(bench.id("fails"), failed: true) }
        bench.cancel("cancelled")
        #expect(bench.outcome("a") == .skipped)
        #expect(bench.outcome("cancelled") == .cancelled)
        #expect(bench.take() == "b")
    }

    @Test func `ending an operation that has not started is refused, unless it was cancelled`() throws {
        let bench = MachineBench()
        bench.make("a")
        #expect(
            bench.refusal { try $0.endedFromOutside(bench.id("a"), failed: false) }
                == .notStarted(bench.id("a"))
        )
        bench.cancel("a")
        #expect(bench.refusal { try $0.endedFromOutside(bench.id("a"), failed: false) } == nil)
        #expect(bench.state("a") == .pending)
    }

    @Test func `an operation that outlives its body ends from outside`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        try bench.add("a", to: queue, lane: .reader)
        #expect(bench.takeForReader() == ["a"])
        try bench.feed { try $0.endedFromOutside(bench.id("a"), failed: true) }
        #expect(bench.outcome("a") == .failed)
    }

    @Test func `a reused slot does not represent its former operation`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        try bench.add("a", to: queue)
        let first = bench.id("a")
        bench.take()
        bench.end("a")
        bench.feed { $0.operationReleased(first) }
        bench.make("b")
        let second = bench.id("b")
        #expect(second.slot == first.slot)
        #expect(second.generation != first.generation)
        let states = [bench.machine.state(of: first), bench.machine.state(of: second)]
        #expect(states == [nil, .pending])
        bench.feed { _ = $0.cancelled(first) }
        #expect(!bench.isCancelled("b"))
    }

    /// A slot's count of ready entries began anew with each use, so that an entry left behind by a cancelled operation
    /// passed for the new one: it started through a queue in which it was not.
    @Test func `an entry left in a ready list does not start the next operation of its slot`() throws {
        let bench = MachineBench()
        let first = bench.queue("first", width: 1)
        let second = bench.queue("second", width: 1)
        try bench.add("abc", to: first)
        #expect(bench.take() == "a")
        bench.cancel("b")
        bench.feed { $0.operationReleased(bench.id("b")) }
        bench.make("x")
        try bench.put(["x"], into: second)
        #expect(bench.take() == "x")
        #expect(bench.queue(of: "x") == second)
        bench.end("a")
        #expect(bench.take() == "c")
    }

    @Test func `a released operation is forgotten at its end, not before`() throws {
        let bench = MachineBench()
        try bench.add("a", to: bench.queue())
        bench.feed { $0.operationReleased(bench.id("a")) }
        #expect(bench.take() == "a")
        #expect(bench.machine.store.liveCount == 1)
        bench.end("a")
        #expect(bench.machine.store.liveCount == 0)
    }

    @Test func `a chain that was made and dropped is forgotten, from both ends`() throws {
        for reversed in [false, true] {
            let bench = MachineBench()
            let names = (0..<100).map { "op\($0)" }
            for name in names { bench.make(name) }
            for index in 1..<100 { try bench.wire(names[index], after: names[index - 1]) }
            for name in reversed ? names.reversed() : names {
                bench.feed { $0.operationReleased(bench.id(name)) }
            }
            #expect(bench.machine.store.liveCount == 0)
        }
    }

    @Test func `an operation that has finished gives its slot to the next one, and its identity is stale`()
        throws
    {
        let bench = MachineBench()
        let queue = bench.queue()
        try bench.add("a", to: queue)
        bench.make("b")
        try bench.feed { try $0.dependencyAdded(bench.id("b"), on: bench.id("a"), when: .succeeded) }
        bench.take()
        bench.end("a")
        let former = bench.id("a")
        var next = OperationID.none
        bench.feed {
            $0.operationReleased(former)
            next = $0.reportingOperationCreated()
        }
        #expect(next.slot == former.slot && next.generation != former.generation)
        #expect(bench.machine.state(of: former) == nil)
        #expect(bench.machine.state(of: next) == .pending)
        // A dependent of the former operation does not wait for this one.
        try bench.put(["b"], into: queue)
        #expect(bench.take() == "b")
        bench.feed { $0.operationReleased(next) }
        #expect(bench.machine.state(of: next) == nil)
    }

    @Test
    func `a released operation is forgotten at its end, and the next one has another slot`() throws {
        let bench = MachineBench()
        try bench.add("a", to: bench.queue())
        bench.take()
        let former = bench.id("a")
        var next = OperationID.none
        bench.feed {
            $0.operationReleased(former)
            next = $0.reportingOperationCreated()
        }
        #expect(next.slot != former.slot)
        #expect(bench.machine.state(of: former) == .executing)
        bench.end("a")
        #expect(bench.machine.state(of: former) == nil)
    }
}
