import Testing

@testable import Scheduling

@Suite struct CycleTests {
    @Test func `an operation does not depend on itself`() {
        let bench = MachineBench()
        bench.make("a")
        let refusal = bench.refusal {
            try $0.dependencyAdded(bench.id("a"), on: bench.id("a"), when: .notFailed)
        }
        #expect(refusal == .dependsOnItself)
    }

    @Test func `a cycle is refused with its path`() throws {
        let bench = MachineBench()
        for name in ["a", "b", "c", "d"] { bench.make(name) }
        try bench.wire("b", after: "a")
        try bench.wire("c", after: "d")
        try bench.wire("c", after: "b")
        let refusal = bench.refusal {
            try $0.dependencyAdded(bench.id("a"), on: bench.id("c"), when: .notFailed)
        }
        #expect(refusal == .cycle(["a", "c", "b"].map(bench.id)))
    }

    @Test func `a diamond is not a cycle`() throws {
        let bench = MachineBench()
        for name in ["a", "b", "c", "d"] { bench.make(name) }
        try bench.wire("b", after: "a")
        try bench.wire("c", after: "a")
        try bench.wire("d", after: "b")
        try bench.wire("d", after: "c")
        try bench.wire("d", after: "a")
        try bench.put(["d", "c", "b", "a"], into: bench.queue())
        #expect(bench.runAll() == ["a", "c", "b", "d"])
    }

    @Test func `a finished operation closes no cycle`() throws {
        let bench = MachineBench()
        let queue = bench.queue()
        for name in ["a", "b"] { bench.make(name) }
        try bench.put(["a"], into: queue)
        bench.take()
        bench.end("a")
        try bench.wire("b", after: "a")
        #expect(
            bench.refusal { try $0.dependencyAdded(bench.id("a"), on: bench.id("b"), when: .notFailed) }
                == .alreadyFinished(bench.id("a"))
        )
    }

    @Test func `an operation inside a group cannot wait for the group`() throws {
        let bench = MachineBench()
        let inner = bench.group("group")
        bench.make("a")
        try bench.put(["a"], into: inner)
        let refusal = bench.refusal {
            try $0.dependencyAdded(bench.id("a"), on: bench.id("group"), when: .notFailed)
        }
        #expect(refusal == .cycle(["a", "group"].map(bench.id)))
    }

    @Test func `an operation inside a group cannot wait for one that waits for the group`() throws {
        let bench = MachineBench()
        let inner = bench.group("group")
        for name in ["inside", "after", "later"] { bench.make(name) }
        try bench.put(["inside"], into: inner)
        try bench.wire("after", after: "group")
        try bench.wire("later", after: "after")
        let refusal = bench.refusal {
            try $0.dependencyAdded(bench.id("inside"), on: bench.id("later"), when: .notFailed)
        }
        #expect(refusal == .cycle(["inside", "later", "after", "group"].map(bench.id)))
    }

    /// Only dependencies were searched for cycles: a group took in an operation that waited for it, and both
    /// waited for ever.
    @Test func `a group refuses an operation that waits for it`() throws {
        let bench = MachineBench()
        let inner = bench.group("group")
        for name in ["x", "y", "free"] { bench.make(name) }
        try bench.wire("x", after: "group")
        try bench.wire("y", after: "x")
        let list = ["free", "y"].map { AdditionSpec(bench.id($0)) }
        #expect(
            bench.refusal { try $0.operationsAdded(list, to: inner) }
                == .cycle(["group", "y", "x"].map(bench.id))
        )
        #expect(bench.names(in: inner).isEmpty)
        let itself = bench.refusal { try $0.operationAdded(AdditionSpec(bench.id("group")), to: inner) }
        #expect(itself == .cycle([bench.id("group")]))
    }

    /// An operation inside starts with the group, so it waits for everything that the group waits for.
    @Test func `a group cannot wait for an operation inside it, in any form`() throws {
        let bench = MachineBench()
        let outer = bench.group("outer")
        let inner = bench.group("inner")
        for name in ["deep", "x", "y"] { bench.make(name) }
        try bench.put(["inner"], into: outer)
        try bench.put(["deep"], into: inner)
        func refusal(_ name: String, after other: String) -> SchedulingFailure? {
            bench.refusal { try $0.dependencyAdded(bench.id(name), on: bench.id(other), when: .notFailed) }
        }
        #expect(refusal("outer", after: "deep") == .cycle(["outer", "deep"].map(bench.id)))
        #expect(refusal("inner", after: "deep") == .cycle(["inner", "deep"].map(bench.id)))
        // x waits for an operation inside, so the group cannot wait for x.
        try bench.wire("x", after: "deep")
        try bench.wire("y", after: "x")
        #expect(refusal("outer", after: "y") == .cycle(["outer", "y", "x", "deep"].map(bench.id)))
        // And the other way round.
        let second = bench.group("second")
        for name in ["z", "part"] { bench.make(name) }
        try bench.put(["part"], into: second)
        try bench.wire("second", after: "z")
        #expect(refusal("z", after: "part") == .cycle(["z", "part", "second"].map(bench.id)))
    }

    @Test func `a group refuses an operation that it waits for`() throws {
        let bench = MachineBench()
        let outer = bench.group("outer")
        let inner = bench.group("inner")
        for name in ["a", "b", "free"] { bench.make(name) }
        try bench.wire("b", after: "a")
        try bench.wire("outer", after: "b")
        try bench.put(["inner"], into: outer)
        for queue in [outer, inner] {
            let refusal = bench.refusal { try $0.operationAdded(AdditionSpec(bench.id("a")), to: queue) }
            #expect(refusal?.isCycle(from: bench.id("a")) ?? false, "\(String(describing: refusal))")
        }
        try bench.put(["free"], into: inner)
        try bench.put(["b", "a", "outer"], into: bench.queue())
        #expect(bench.runAll() == ["a", "b", "free"])
    }

    @Test func `operations inside may wait for each other, and for dependencies of the group`() throws {
        let bench = MachineBench()
        let inner = bench.group("g")
        for name in ["before", "a", "b"] { bench.make(name) }
        try bench.wire("g", after: "before")
        try bench.wire("b", after: "a")
        try bench.put(["a", "b"], into: inner)
        try bench.wire("a", after: "before")
        try bench.put(["g", "before"], into: bench.queue())
        #expect(bench.runAll() == ["before", "a", "b"])
    }

    @Test func `groups do not contain each other`() throws {
        let bench = MachineBench()
        let outer = bench.group("outer")
        let inner = bench.group("inner")
        try bench.put(["inner"], into: outer)
        let refusal = bench.refusal { try $0.operationAdded(AdditionSpec(bench.id("outer")), to: inner) }
        #expect(refusal == .cycle(["inner", "outer"].map(bench.id)))
    }

    @Test func `wiring a long chain inside a group that others wait for is linear`() throws {
        var machine = SchedulerMachine(sharedWidth: 1, seed: 1)
        var spec = OperationSpec()
        spec.lane = .group
        let group = machine.operationCreated(spec)
        let inner = machine.queueCreated()
        machine.groupCreated(group, inner: inner)
        let after = machine.operationCreated(OperationSpec())
        try machine.dependencyAdded(after, on: group, when: .notFailed)
        let count = 20_000
        let ids = (0..<count).map { _ in machine.operationCreated(OperationSpec()) }
        try machine.operationsAdded(ids.map { AdditionSpec($0) }, to: inner)
        for index in 1..<count {
            try machine.dependencyAdded(ids[index], on: ids[index - 1], when: .notFailed)
        }
        let more = (0..<count).map { _ in machine.operationCreated(OperationSpec()) }
        for index in 0..<count {
            try machine.dependencyAdded(
                more[index],
                on: index == 0 ? ids[count - 1] : more[index - 1],
                when: .notFailed
            )
        }
        try machine.operationsAdded(more.map { AdditionSpec($0) }, to: inner)
        let inside = machine.operationCount(in: inner)
        #expect(inside == 2 * count)
        // Quadratic, this takes some ten thousand times as many steps as there are operations.
        #expect(machine.walkedCount < 10 * count)
    }
}

extension SchedulingFailure {
    /// Whether it is a cycle that begins with an operation.
    fileprivate func isCycle(from id: OperationID) -> Bool {
        if case .cycle(let path) = self { path.first == id } else { false }
    }
}
