import Testing

@testable import Scheduling

/// How many operations that are only counted a worker is given at once.
@Suite struct PartTests {
    /// What the lock guards, without threads, with operations in a queue; and a worker whose bodies are short.
    private func makeCore(sharedWidth: Int, adding count: Int) -> (SchedulerCore, Worker) {
        let core = SchedulerCore(
            machine: SchedulerMachine(sharedWidth: sharedWidth, seed: 1),
            usesThreads: true
        )
        let queue = core.machine.queueCreated()
        let additions = AdditionRing()
        for _ in 0..<count {
            if additions.isFull { core.admit(additions) }
            additions.push(
                PlainAddition(
                    id: core.machine.reportingOperationCreated(),
                    queue: queue,
                    lane: .worker,
                    priority: .normal,
                    allowsFailure: false,
                    isCounted: true,
                    body: nil
                )
            )
        }
        core.admit(additions)
        let worker = Worker(lane: .worker)
        for _ in 0..<12 { worker.part.took(0) }
        return (core, worker)
    }

    /// What the worker is given, part after part, until there is no more.
    private func takeAll(_ core: SchedulerCore, _ worker: Worker) -> [Int] {
        var sizes: [Int] = []
        while core.assignPart(to: worker) != nil {
            var size = 1
            while worker.cursor.advance() != nil { size += 1 }
            sizes.append(size)
            var members: StretchMembers?
            #expect(core.partEnded(worker, with: .well, &members) == nil)
        }
        return sizes
    }

    @Test func `one that is alone takes much at once, but not so much that others wait long for the lock`() {
        let (core, worker) = makeCore(sharedWidth: 1, adding: 200)
        #expect(takeAll(core, worker) == [64, 64, 64, 8])
        #expect(core.machine.events.count == 400)
    }

    @Test func `one that may have others beside it leaves them something`() {
        let (core, worker) = makeCore(sharedWidth: 2, adding: 100)
        let sizes = takeAll(core, worker)
        #expect(sizes.first == 25 && sizes.last == 1)
        #expect(sizes.reduce(0, +) == 100)
    }

    @Test func `one is alone while the others' core is needed elsewhere`() {
        let (core, worker) = makeCore(sharedWidth: 2, adding: 100)
        core.machine.coreNeededElsewhere(true)
        #expect(takeAll(core, worker) == [64, 36])
    }
}
