import Testing

@testable import Scheduling

/// Dispatch queues that run under others.
@Suite struct TargetTests {
    @Test func `a serial target lets one at a time start, in the order of addition`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target")
        let one = bench.dispatchQueue("one", target: target)
        let two = bench.dispatchQueue("two", isSerial: false, target: target)
        try bench.add("a", to: two)
        try bench.add("b", to: one)
        try bench.add("c", to: target)
        try bench.add("d", to: two, lane: .reader)
        try bench.add("e", to: one)
        #expect(bench.takeAll() == ["a"])
        #expect(bench.takeForReader().isEmpty)
        for (ended, next) in [("a", "b"), ("b", "c")] {
            bench.end(ended)
            #expect(bench.takeAll() == [next])
        }
        bench.end("c")
        #expect(bench.takeAll().isEmpty)
        #expect(bench.takeForReader() == ["d"])
        bench.end("d")
        #expect(bench.takeAll() == ["e"])
    }

    @Test func `the highest serial queue counts, however deep`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let top = bench.dispatchQueue("top")
        let middle = bench.dispatchQueue("middle", isSerial: false, target: top)
        let left = bench.dispatchQueue("left", target: middle)
        let right = bench.dispatchQueue("right", target: middle)
        try bench.add("a", to: left)
        try bench.add("b", to: right)
        #expect(bench.takeAll() == ["a"])
        bench.end("a")
        #expect(bench.takeAll() == ["b"])
    }

    @Test func `a concurrent target delays no queue`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target", isSerial: false)
        let one = bench.dispatchQueue("one", target: target)
        let two = bench.dispatchQueue("two", target: target)
        try bench.add("ab", to: one)
        try bench.add("c", to: two)
        #expect(bench.takeAll() == ["a", "c"])
    }

    @Test func `a barrier of a concurrent target runs alone among all below it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target", isSerial: false)
        let one = bench.dispatchQueue("one", target: target)
        try bench.add("a", to: one)
        #expect(bench.takeAll() == ["a"])
        bench.make("B")
        try bench.put("B", into: target) { $0.isBarrier = true }
        try bench.add("c", to: one)
        #expect(bench.takeAll().isEmpty)
        bench.end("a")
        #expect(bench.takeAll() == ["B"])
        bench.end("B")
        #expect(bench.takeAll() == ["c"])
    }

    @Test func `suspending a target holds the queues below it`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target", isSerial: false)
        let one = bench.dispatchQueue("one", target: target)
        bench.feed { $0.suspensionChanged(target, to: true) }
        try bench.add("a", to: one)
        #expect(bench.takeAll().isEmpty)
        #expect(bench.machine.suspension(of: one) == target)
        bench.feed { $0.suspensionChanged(one, to: true) }
        bench.feed { $0.suspensionChanged(target, to: false) }
        #expect(bench.takeAll().isEmpty)
        #expect(bench.machine.suspension(of: one) == one)
        bench.feed { $0.suspensionChanged(one, to: false) }
        #expect(bench.takeAll() == ["a"])
    }

    @Test func `suspending the one whose turn it is lets the next go`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target")
        let one = bench.dispatchQueue("one", target: target)
        let two = bench.dispatchQueue("two", target: target)
        try bench.add("a", to: one)
        try bench.add("b", to: two)
        bench.feed { $0.suspensionChanged(one, to: true) }
        #expect(bench.takeAll() == ["b"])
        bench.end("b")
        bench.feed { $0.suspensionChanged(one, to: false) }
        #expect(bench.takeAll() == ["a"])
    }

    @Test func `cancelling the one whose turn it is lets the next go`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target")
        let one = bench.dispatchQueue("one", target: target)
        let two = bench.dispatchQueue("two", target: target)
        try bench.add("x", to: one)
        #expect(bench.takeAll() == ["x"])
        try bench.add("a", to: one)
        try bench.add("b", to: two)
        bench.cancel("a")
        bench.end("x")
        #expect(bench.takeAll() == ["b"])
    }

    @Test func `a new target counts for waiting operations, and executing ones continue`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target")
        let one = bench.dispatchQueue("one", isSerial: false)
        try bench.add("ab", to: one)
        #expect(bench.take() == "a")
        try bench.add("t", to: target)
        bench.feed { $0.targetChanged(one, to: target) }
        #expect(bench.takeAll().isEmpty)
        bench.end("a")
        #expect(bench.takeAll() == ["b"])
        bench.feed { $0.targetChanged(one, to: nil) }
        #expect(bench.takeAll() == ["t"])
    }

    @Test func `below the main queue closures run on the script thread`() throws {
        let bench = MachineBench()
        let main = bench.feed { $0.queueCreated(isMain: true) }
        let one = bench.dispatchQueue("one", target: main)
        try bench.add("a", to: one)
        try bench.add("m", to: main)
        #expect(bench.takeAll().isEmpty)
        #expect(bench.takeForReader() == ["a"])
        bench.end("a")
        #expect(bench.takeForReader() == ["m"])
    }

    @Test func `the obstacle of an operation is found in another queue`() throws {
        let bench = MachineBench()
        let target = bench.dispatchQueue("target")
        let one = bench.dispatchQueue("one", target: target)
        let two = bench.dispatchQueue("two", target: target)
        try bench.add("a", to: one, lane: .reader)
        try bench.add("b", to: two)
        #expect(bench.takeForReader() == ["a"])
        #expect(bench.machine.obstacle(of: bench.id("b")) == .noSlot(target, by: [bench.id("a")]))
        let moves = bench.machine.movesElsewhere
        #expect(!moves)
    }

    @Test func `a dropped queue leaves its target`() throws {
        let bench = MachineBench(sharedWidth: 8)
        let target = bench.dispatchQueue("target")
        let children = (0..<5).map { bench.dispatchQueue("\($0)", target: target) }
        for place in [1, 4, 0] { bench.feed { $0.queueDropped(children[place]) } }
        try bench.add("a", to: children[2])
        try bench.add("b", to: children[3])
        #expect(bench.runAll() == ["a", "b"])
    }

    @Test func `the cost of a start does not depend on the number of queues below`() throws {
        var machine = SchedulerMachine(sharedWidth: 8, seed: 1)
        let target = machine.dispatchQueueCreated(isSerial: true)
        let count = 5000
        let queues = (0..<count).map { _ in machine.dispatchQueueCreated(isSerial: true) }
        for queue in queues { machine.targetChanged(queue, to: target) }
        // Last made, first used; each of them twice, and some are suspended meanwhile.
        var added: [(id: OperationID, place: Int)] = []
        for _ in 0..<2 {
            for place in queues.indices.reversed() {
                let id = machine.operationCreated(OperationSpec())
                try machine.operationAdded(AdditionSpec(id), to: queues[place])
                added.append((id, place))
            }
        }
        func takeAll(_ machine: inout SchedulerMachine) -> [OperationID] {
            var order: [OperationID] = []
            while let next = machine.takeNext(.worker) {
                order.append(next)
                machine.bodyEnded(next, failed: false)
            }
            return order
        }
        for queue in queues.prefix(10) { machine.suspensionChanged(queue, to: true) }
        #expect(takeAll(&machine) == added.filter { $0.place >= 10 }.map(\.id))
        for queue in queues.prefix(10) { machine.suspensionChanged(queue, to: false) }
        #expect(takeAll(&machine) == added.filter { $0.place < 10 }.map(\.id))
        // With a check of all queues at each start, these would be some 50 million.
        #expect(machine.lineLookCount < 40 * count)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `random trees of queues keep their promises, and lose nothing`(seed: UInt64) throws {
        var run = RandomTree(seed: seed)
        for _ in 0..<200 { try run.step() }
        run.finish()
    }
}

/// Random inputs for a tree of dispatch queues.
private struct RandomTree {
    private struct Node {
        let queue: QueueID
        let isSerial: Bool
        var target: Int?
        var isSuspended = false
        var pending: [String] = []
    }

    private let bench: MachineBench
    private var random: RandomSequence
    private var nodes: [Node] = []
    private var executing: [(name: String, node: Int)] = []
    private var count = 0
    private var unfinished: Set<String> = []

    init(seed: UInt64) {
        bench = MachineBench(sharedWidth: 3, seed: seed)
        random = RandomSequence(seed: seed)
        for index in 0..<7 {
            let isSerial = random.next() & 1 == 0
            let queue = bench.dispatchQueue("q\(index)", isSerial: isSerial)
            nodes.append(Node(queue: queue, isSerial: isSerial))
        }
    }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private func isBelow(_ node: Int, _ other: Int) -> Bool {
        var next: Int? = node
        while let index = next {
            if index == other { return true }
            next = nodes[index].target
        }
        return false
    }

    mutating func step() throws {
        let node = pick(nodes.count)
        switch pick(12) {
        case 0...4: try add(to: node)
        case 5: suspend(node, !nodes[node].isSuspended)
        case 6:
            // At a new target, more operations may already execute than it would have let start.
            guard executing.isEmpty else { return end() }
            let target = pick(nodes.count)
            guard !isBelow(target, node) else { return }
            nodes[node].target = target
            bench.feed { $0.targetChanged(nodes[node].queue, to: nodes[target].queue) }
        case 7:
            guard let name = nodes[node].pending.last else { return }
            bench.cancel(name)
            if bench.outcome(name) != nil { forget(name, node) }
        case 8...9: start()
        default: end()
        }
    }

    private mutating func add(to node: Int) throws {
        let name = "\(count)"
        count += 1
        bench.make(name, lane: pick(3) == 0 ? .reader : .worker)
        let isBarrier = pick(5) == 0
        try bench.put(name, into: nodes[node].queue) { $0.isBarrier = isBarrier }
        nodes[node].pending.append(name)
        unfinished.insert(name)
    }

    private mutating func suspend(_ node: Int, _ isSuspended: Bool) {
        nodes[node].isSuspended = isSuspended
        bench.feed { $0.suspensionChanged(nodes[node].queue, to: isSuspended) }
        for node in nodes.indices {
            for name in nodes[node].pending where bench.outcome(name) != nil { forget(name, node) }
        }
    }

    private mutating func forget(_ name: String, _ node: Int) {
        nodes[node].pending.removeAll { $0 == name }
        unfinished.remove(name)
    }

    @discardableResult
    private mutating func start() -> Bool {
        let started = bench.takeForReader() + (bench.take().map { [$0] } ?? [])
        for name in started {
            guard let node = nodes.firstIndex(where: { $0.pending.contains(name) }) else {
                Issue.record("\(name) started twice")
                continue
            }
            if nodes[node].isSerial {
                let first = nodes[node].pending.first {
                    bench.state($0) != .pending || !bench.isCancelled($0)
                }
                #expect(first == name, "out of turn")
            }
            nodes[node].pending.removeAll { $0 == name }
            executing.append((name, node))
            var next: Int? = node
            while let index = next {
                #expect(!nodes[index].isSuspended || index != node, "suspended")
                if nodes[index].isSerial {
                    #expect(executing.count { isBelow($0.node, index) } == 1, "not one at a time")
                }
                next = nodes[index].target
            }
        }
        return !started.isEmpty
    }

    private mutating func end() {
        guard !executing.isEmpty else { return }
        let (name, _) = executing.remove(at: pick(executing.count))
        bench.end(name)
        unfinished.remove(name)
    }

    mutating func finish() {
        for node in nodes.indices where nodes[node].isSuspended { suspend(node, false) }
        while true {
            while start() {}
            if executing.isEmpty { break }
            end()
        }
        #expect(unfinished.isEmpty, "some never started")
    }
}
