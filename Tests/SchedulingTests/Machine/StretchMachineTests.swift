import Testing

@testable import Scheduling

/// `#expect` copies what it looks into, which a machine cannot be.
private func same<T: Equatable>(_ found: T, _ expected: T, at place: SourceLocation = #_sourceLocation) {
    #expect(found == expected, sourceLocation: place)
}

/// Operations that the machine counts and does not know, without threads.
@Suite struct StretchMachineTests {
    private let bench = MachineBench(sharedWidth: 2)

    private func expectSound() {
        same(bench.machine.checkInvariants().isEmpty, true)
    }

    @Test func `a stretch is counted from its addition to its last end`() {
        let queue = bench.queue()
        same(bench.machine.takesStretch(in: queue), true)
        bench.machine.stretchAdded(5, to: queue)
        expectSound()
        same(bench.machine.operationCount(in: queue), 5)
        same(bench.machine.mayHaveWork(.worker), true)
        bench.machine.stretchRunnerCame(taking: 3)
        expectSound()
        same(bench.machine.movesElsewhere, true)
        bench.machine.stretchRunnerLeft()
        bench.machine.stretchMembersEnded(3)
        expectSound()
        same(bench.machine.progress(of: queue).finished, 3)
        same(bench.machine.progress(of: queue).added, 5)
        bench.machine.stretchRunnerCame(taking: 2)
        bench.machine.stretchRunnerLeft()
        bench.machine.stretchMembersEnded(2)
        expectSound()
        same(bench.machine.operationCount(in: queue), 0)
        same(bench.machine.queueWasEmptied, true)
        same(bench.machine.mayHaveWork(.worker), false)
        same(bench.machine.movesElsewhere, false)
    }

    @Test func `what has not ended is known in the order of addition, as what executes and what is ready`() {
        let queue = bench.queue()
        bench.machine.stretchAdded(4, to: queue)
        bench.machine.stretchRunnerCame(taking: 2)
        // The first has ended, the second executes.
        bench.machine.stretchRunnerLeft()
        let ids = (1..<4).map { bench.machine.stretchMemberKnown($0, isExecuting: $0 == 1) }
        bench.machine.stretchMembersEnded(1)
        bench.machine.stretchDissolved()
        expectSound()
        same(bench.machine.operations(in: queue), ids)
        same(ids.map { bench.machine.state(of: $0) }, [.executing, .ready, .ready])
        same(bench.machine.attempt(of: ids[0]), 1)
        same(bench.machine.takeNext(.worker), ids[1])
        same(bench.machine.takeNext(.worker), nil)
        bench.machine.bodyEnded(ids[0], failed: false)
        same(bench.machine.takeNext(.worker), ids[2])
        expectSound()
    }

    @Test func `what is known comes before what is added afterwards`() {
        let queue = bench.queue()
        bench.machine.stretchAdded(2, to: queue)
        let ids = (0..<2).map { bench.machine.stretchMemberKnown($0, isExecuting: false) }
        bench.machine.stretchDissolved()
        let later = bench.machine.operationCreated(lane: .worker)
        bench.machine.newOperationAdded(later, to: queue)
        same(bench.machine.operations(in: queue), ids + [later])
        same(bench.machine.takeNext(.worker), ids[0])
        same(bench.machine.takeNext(.worker), ids[1])
        expectSound()
    }

    @Test func `queues that ask for more than counting take none`() {
        let narrow = bench.queue("narrow", width: 3)
        let suspended = bench.queue("suspended")
        bench.machine.suspensionChanged(suspended, to: true)
        let serial = bench.dispatchQueue()
        let fenced = bench.queue("fenced")
        let gate = bench.machine.operationCreated(lane: .worker)
        var barrier = AdditionSpec(gate)
        barrier.isBarrier = true
        bench.feed { try? $0.operationAdded(barrier, to: fenced) }
        for queue in [narrow, suspended, serial, fenced, QueueID(index: 999)] {
            same(bench.machine.takesStretch(in: queue), false)
        }
        // The barrier is ready: the order of starts is to be decided one by one.
        let plain = bench.queue("plain")
        same(bench.machine.takesStretch(in: plain), false)
        same(bench.machine.takeNext(.worker), gate)
        same(bench.machine.takesStretch(in: plain), true)
        bench.machine.jobLimit = 4
        same(bench.machine.takesStretch(in: plain), false)
    }

    @Test func `one stretch at a time, in one queue`() {
        let queue = bench.queue("a")
        let other = bench.queue("b")
        bench.machine.stretchAdded(2, to: queue)
        same(bench.machine.takesStretch(in: queue), true)
        same(bench.machine.takesStretch(in: other), false)
        bench.machine.stretchAdded(3, to: queue)
        same(bench.machine.operationCount(in: queue), 5)
        expectSound()
    }

    @Test func `a worker has work only as long as there is a share of threads for it`() {
        let queue = bench.queue()
        bench.machine.stretchAdded(9, to: queue)
        bench.machine.stretchRunnerCame(taking: 2)
        same(bench.machine.mayHaveWork(.worker), true)
        same(bench.machine.hasWorkBeyondShare, false)
        bench.machine.stretchRunnerCame(taking: 2)
        same(bench.machine.mayHaveWork(.worker), false)
        same(bench.machine.hasWorkBeyondShare, true)
        // One of the two blocks.
        bench.machine.blockedCount = 1
        same(bench.machine.mayHaveWork(.worker), true)
        // Nobody asks the other lanes.
        same(bench.machine.mayHaveWork(.workerLow), false)
    }
}

@Suite struct StretchCursorTests {
    @Test func `a worker comes to each place once, up to the end`() {
        let cursor = StretchCursor()
        cursor.begin(3..<6)
        same(cursor.hasMore, true)
        same(cursor.advance(), 4)
        same(cursor.advance(), 5)
        same(cursor.hasMore, false)
        same(cursor.advance(), nil)
        same(cursor.next, 6)
    }

    @Test func `what is taken back the worker does not come to`() {
        let cursor = StretchCursor()
        cursor.begin(0..<8)
        same(cursor.advance(), 1)
        same(cursor.takeBack { $0 / 2 }, 5..<8)
        same(cursor.advance(), 2)
        same(cursor.takeBack { _ in 0 }, 3..<5)
        same(cursor.advance(), nil)
        same(cursor.takeBack { _ in 0 }.isEmpty, true)
    }

    @Test func `parts grow while they are short, and shrink when they are long`() {
        var part = StretchPart()
        for _ in 0..<20 { part.took(0) }
        #expect(part.size == 512)
        part.took(15_000)
        #expect(part.size == 512)
        for _ in 0..<20 { part.took(1_000_000) }
        #expect(part.size == 1)
    }
}
