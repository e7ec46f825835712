import Testing

@testable import Scheduling

@Suite struct DependencyTests {
    /// The condition, the end of the other operation, and the outcome of the dependent: nil if it runs.
    static let rule: [(DependencyCondition, OperationOutcome, OperationOutcome?)] = [
        (.notFailed, .succeeded, nil), (.notFailed, .failed, .skipped), (.notFailed, .cancelled, nil),
        (.notFailed, .skipped, .skipped), (.notFailed, .skippedQuietly, nil),
        (.succeeded, .succeeded, nil), (.succeeded, .failed, .skipped), (.succeeded, .cancelled, .skipped),
        (.succeeded, .skipped, .skipped), (.succeeded, .skippedQuietly, .skipped),
        (.finished, .succeeded, nil), (.finished, .failed, nil), (.finished, .cancelled, nil),
        (.finished, .skipped, nil), (.finished, .skippedQuietly, nil),
        (.failed, .succeeded, .skippedQuietly), (.failed, .failed, nil),
        (.failed, .cancelled, .skippedQuietly),
        (.failed, .skipped, nil), (.failed, .skippedQuietly, .skippedQuietly),
    ]

    /// Lets an operation named "other" end in a certain way.
    private func finish(_ outcome: OperationOutcome, in queue: QueueID, _ bench: MachineBench) throws {
        switch outcome {
        case .succeeded, .failed:
            try bench.put(["other"], into: queue)
            bench.take()
            bench.end("other", failed: outcome == .failed)
        case .cancelled:
            try bench.put(["other"], into: queue)
            bench.cancel("other")
        case .skipped, .skippedQuietly:
            bench.make("before")
            try bench.wire("other", after: "before", when: outcome == .skipped ? .notFailed : .failed)
            try bench.put(["before", "other"], into: queue)
            bench.take()
            bench.end("before", failed: outcome == .skipped)
        }
    }

    @Test(arguments: rule.indices)
    func `the rule of dependencies`(row: Int) throws {
        let (condition, outcome, expected) = Self.rule[row]
        // Wired before the other has ended, and after.
        for wiresLate in [false, true] {
            let bench = MachineBench()
            let queue = bench.queue()
            bench.make("other")
            bench.make("a")
            if !wiresLate {
                try bench.wire("a", after: "other", when: condition)
                try bench.put(["a"], into: queue)
                #expect(bench.state("a") == .pending)
            }
            try finish(outcome, in: queue, bench)
            #expect(bench.outcome("other") == outcome)
            if wiresLate {
                try bench.wire("a", after: "other", when: condition)
                try bench.put(["a"], into: queue)
            }
            #expect(bench.outcome("a") == expected)
            #expect(bench.take() == (expected == nil ? "a" : nil))
        }
    }

    @Test func `the decision is made once all have finished, and an error outweighs quiet`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let queue = bench.queue()
        for name in ["quiet", "bad", "good", "a"] { bench.make(name) }
        try bench.wire("a", after: "quiet", when: .failed)
        try bench.wire("a", after: "bad")
        try bench.wire("a", after: "good")
        try bench.put(["quiet", "bad", "good", "a"], into: queue)
        bench.takeAll()
        bench.end("quiet")
        bench.fail("bad")
        #expect(bench.state("a") == .pending)
        bench.end("good")
        #expect(bench.happened().last == "end a skipped by bad")
    }

    @Test func `a repeated dependency takes the later condition, and does not count twice`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.make("other")
        bench.make("a")
        try bench.wire("a", after: "other")
        try bench.wire("a", after: "other", when: .finished)
        try bench.put(["other", "a"], into: queue)
        bench.take()
        bench.fail("other")
        #expect(bench.take() == "a")
    }

    @Test func `a dependency without a check has its condition, and reports nothing twice`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        for name in ["other", "a"] { bench.make(name) }
        var dependency = Submission(bench.id("a"), dependsOn: bench.id("other"), when: .succeeded)
        dependency.isStrict = true
        dependency.isKnownToReader = true
        bench.addPlainDependency(dependency)
        #expect(bench.happened(withReadiness: true) == [] && !bench.isReady("a"))
        try bench.wire("a", after: "other", when: .finished)
        try bench.put(["other", "a"], into: queue)
        bench.cancel("other")
        #expect(bench.outcome("a") == .skipped)
    }

    @Test(arguments: [OperationOutcome.succeeded, .failed])
    func `the reader learns that a dependency has ended meanwhile`(outcome: OperationOutcome) throws {
        let bench = MachineBench()
        let queue = bench.queue()
        for name in ["other", "a"] { bench.make(name) }
        try finish(outcome, in: queue, bench)
        _ = bench.happened()
        var dependency = Submission(bench.id("a"), dependsOn: bench.id("other"), when: .notFailed)
        dependency.isKnownToReader = true
        bench.addPlainDependency(dependency)
        #expect(bench.happened(withReadiness: true) == ["ready a"])
        try bench.put(["a"], into: queue)
        #expect(outcome == .succeeded ? bench.take() == "a" : bench.outcome("a") == .skipped)
    }

    @Test func `an operation that became ready and waits again reports both to the reader`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        for name in ["first", "second", "a"] { bench.make(name) }
        try bench.wire("a", after: "first")
        try bench.put(["first"], into: queue)
        bench.take()
        bench.end("first")
        bench.addPlainDependency(Submission(bench.id("a"), dependsOn: bench.id("second"), when: .notFailed))
        #expect(
            bench.happened(withReadiness: true).filter { $0.hasSuffix(" a") } == [
                "notReady a", "ready a", "notReady a",
            ]
        )
    }

    @Test func `the dependency of an argument is not weakened`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.make("other")
        bench.make("a")
        try bench.wire("a", after: "other", when: .succeeded)
        try bench.feed {
            try $0.dependencyAdded(bench.id("a"), on: bench.id("other"), when: .finished, keepsStricter: true)
        }
        try bench.put(["other", "a"], into: queue)
        bench.cancel("other")
        #expect(bench.outcome("a") == .skipped)
    }

    /// The condition was replaced but not rechecked: the operation had passed already and ran.
    @Test func `a stricter condition on a finished operation stops a ready dependent`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 0)
        let fast = bench.queue("fast")
        for name in ["other", "gate", "a"] { bench.make(name) { $0.isGate = name == "gate" } }
        try bench.wire("a", after: "other", when: .succeeded)
        try bench.feed { try $0.dependencyAdded(bench.id("a"), on: bench.id("other"), when: .failed) }
        try bench.put(["other"], into: fast)
        bench.take()
        bench.fail("other")
        try bench.put(["a"], into: queue)
        #expect(bench.state("a") == .ready)
        try bench.wire("a", after: "other", when: .notFailed)
        #expect(bench.outcome("a") == .skipped)
    }

    @Test func `one that waits behind a barrier is skipped when a failed dependency is added`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        let fast = bench.queue("fast")
        for name in ["other", "barrier", "a"] { bench.make(name) }
        try bench.put(["other"], into: fast)
        bench.take()
        bench.fail("other")
        try bench.put("barrier", into: queue) { $0.isBarrier = true }
        try bench.put(["a"], into: queue)
        try bench.wire("a", after: "other")
        #expect(bench.outcome("a") == .skipped)
        #expect(bench.runAll() == ["barrier"])
    }

    @Test func `a dependency added in a queue takes readiness away`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        try bench.add("abc", to: queue)
        bench.take()
        _ = bench.happened()
        try bench.wire("b", after: "c")
        #expect(bench.happened(withReadiness: true) == ["notReady b"])
        bench.end("a")
        #expect(bench.runAll() == ["c", "b"])
    }

    @Test func `after its start an operation takes no dependencies`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        try bench.add("ab", to: queue)
        bench.take()
        let wire = {
            bench.refusal { try $0.dependencyAdded(bench.id("a"), on: bench.id("b"), when: .notFailed) }
        }
        #expect(wire() == .alreadyExecuting(bench.id("a")))
        bench.end("a")
        #expect(wire() == .alreadyFinished(bench.id("a")))
    }

    @Test func `removing the last unfinished dependency makes ready`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        for name in ["x", "y", "a"] { bench.make(name) }
        try bench.wire("a", after: "x")
        try bench.wire("a", after: "y")
        try bench.put(["a"], into: queue)
        #expect(bench.feed { $0.dependencyRemoved(bench.id("a"), on: bench.id("x")) })
        #expect(!bench.feed { $0.dependencyRemoved(bench.id("a"), on: bench.id("x")) })
        #expect(bench.dependencies(of: "a") == ["y"])
        #expect(bench.take() == nil)
        #expect(bench.feed { $0.dependencyRemoved(bench.id("a"), on: bench.id("y")) })
        #expect(bench.take() == "a")
    }

    @Test func `removing a failed dependency lets the operation run, even if that dependency was forgotten`()
        throws
    {
        let bench = MachineBench()
        let queue = bench.queue()
        for name in ["bad", "gate", "a"] { bench.make(name) { $0.isGate = name == "gate" } }
        try bench.wire("a", after: "bad")
        try bench.wire("a", after: "gate")
        try bench.put(["bad", "a"], into: queue)
        bench.take()
        bench.fail("bad")
        bench.feed { $0.operationReleased(bench.id("bad")) }
        #expect(bench.feed { $0.dependencyRemoved(bench.id("a"), on: bench.id("bad")) })
        try bench.feed { try $0.endedFromOutside(bench.id("gate"), failed: false) }
        #expect(bench.take() == "a")
    }

    @Test func `a removed dependency leaves nothing behind at the other operation`() throws {
        let bench = MachineBench()
        bench.make("gate") { $0.isGate = true }
        for index in 0..<50 {
            bench.make("op\(index)")
            try bench.wire("op\(index)", after: "gate")
            bench.feed { $0.operationReleased(bench.id("op\(index)")) }
        }
        #expect(bench.machine.store.liveCount == 1)
        let first = bench.machine.store.pointer(bench.id("gate").slot).pointee.firstDependent
        #expect(first == .max)
    }

    /// A gate stays alive, so that nothing else gives back the edges.
    @Test func `edges of a finished or cancelled operation are given back, and reused`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        bench.make("gate") { $0.isGate = true }
        for round in 0..<3 {
            let names = ["w", "x", "y", "z"].map { "\($0)\(round)" }
            for name in names { bench.make(name) }
            for name in names.dropLast() { try bench.wire(names[3], after: name) }
            if round == 1 { try bench.wire(names[3], after: "gate") }
            try bench.put(names, into: queue)
            if round == 1 { bench.cancel(names[3]) }
            bench.runAll()
            #expect(bench.outcome(names[3]) == (round == 1 ? .cancelled : .succeeded))
            for name in names { bench.feed { $0.operationReleased(bench.id(name)) } }
            #expect(bench.machine.edges.capacity == (round == 0 ? 3 : 4))
        }
        #expect(bench.machine.store.liveCount == 1)
        bench.feed { $0.operationReleased(bench.id("gate")) }
        // None is left, so the next ones are adjacent again.
        #expect(bench.machine.edges.capacity == 0)
    }

    @Test func `readiness is reported as it changes`() throws {
        let bench = MachineBench()
        for name in ["x", "a"] { bench.make(name) }
        try bench.wire("a", after: "x")
        bench.feed { _ = $0.dependencyRemoved(bench.id("a"), on: bench.id("x")) }
        #expect(bench.happened(withReadiness: true) == ["notReady a", "ready a"])
        #expect(bench.isReady("a"))
    }

    @Test func `cancelling in the middle lets the last operation run before the first`() throws {
        let bench = MachineBench()
        let queue = bench.queue(width: 1)
        for name in ["a", "x", "y"] { bench.make(name) }
        try bench.wire("x", after: "a")
        try bench.wire("y", after: "x")
        bench.make("blocker")
        try bench.put(["blocker", "y", "x", "a"], into: queue)
        bench.take()
        bench.cancel("x")
        bench.end("blocker")
        #expect(bench.runAll() == ["y", "a"])
    }

    @Test func `a long chain is skipped without recursion`() throws {
        var machine = SchedulerMachine(sharedWidth: 1, seed: 1)
        let queue = machine.queueCreated()
        let ids = (0..<100_000).map { _ in machine.operationCreated(OperationSpec()) }
        for index in 1..<ids.count {
            try machine.dependencyAdded(ids[index], on: ids[index - 1], when: .notFailed)
        }
        try machine.operationsAdded(ids.map { AdditionSpec($0) }, to: queue)
        let taken = machine.takeNext(.worker)
        let first = try #require(taken)
        machine.bodyEnded(first, failed: true)
        #expect(machine.unfinishedCount == 0)
        let last = machine.outcome(of: ids[ids.count - 1])
        #expect(last == .skipped)
    }
}
