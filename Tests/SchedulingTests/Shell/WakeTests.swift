import Testing

@testable import Scheduling

/// No order of steps leaves a worker asleep while an operation is ready that it could run.
@Suite struct WakeTests {
    /// Each order of the first steps, with little to run.
    @Test(arguments: [(1, 14), (2, 10)])
    func `in every order of few steps each needed worker is awake`(workers: Int, steps: Int) {
        var orders = AllOrders()
        var count = 0
        repeat {
            var run = SteppedRun(workers: workers, additions: 3, isSmall: true)
            for _ in 0..<steps where !run.step({ orders.choose($0) }) { break }
            run.finish()
            count += 1
        } while orders.next()
        #expect(count > 200)
    }

    /// Random orders, with all kinds of additions.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `in any order of many steps each needed worker is awake`(seed: UInt64) {
        var chance = RandomSequence(seed: seed)
        var run = SteppedRun(workers: Int(chance.next() % 3) + 1, additions: 60, isSmall: false)
        for _ in 0..<300 where !run.step({ Int(chance.next() % UInt64($0)) }) { break }
        run.finish()
    }

    /// A share of threads was left to a lane whose only operation had been cancelled. That lane found nothing
    /// and woke no worker, and the lane that had left it the share slept for ever.
    @Test func `a lane does not wait for another one`() throws {
        let threads = SteppedThreads()
        var configuration = Scheduler.Configuration()
        configuration.workers = 1
        configuration.threads = threads
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        let other = ScheduledQueue(scheduler)
        let cancelled = ScheduledOperation(scheduler) {}
        let ready = ScheduledOperation(scheduler, qualityOfService: .utility) {}

        try queue.add([cancelled])
        try other.add([ready])
        cancelled.cancel()
        #expect(threads.waitingToBegin == [.worker, .workerLow])
        let utility = threads.begin(.workerLow, on: scheduler)
        #expect(utility.isExecuting)
        utility.step()
        #expect(ready.outcome == .succeeded)
        #expect(!threads.begin(on: scheduler).isExecuting)
    }

    @Test func `a lane that gets no thread keeps no other one waiting`() throws {
        let threads = SteppedThreads()
        var configuration = Scheduler.Configuration()
        configuration.workers = 1
        configuration.threads = threads
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)

        threads.refuse(.worker)
        try queue.add([ScheduledOperation(scheduler) {}])
        try queue.add([ScheduledOperation(scheduler, qualityOfService: .utility) {}])
        let utility = threads.begin(.workerLow, on: scheduler)
        #expect(utility.isExecuting)
    }
}

/// All sequences of choices, one after the other; the last choice changes first.
private struct AllOrders {
    private var chosen: [Int] = []
    private var counts: [Int] = []
    private var place = 0

    mutating func choose(_ count: Int) -> Int {
        if place == chosen.count {
            chosen.append(0)
            counts.append(count)
        }
        defer { place += 1 }
        return chosen[place]
    }

    /// Begins another one. False if none is left.
    mutating func next() -> Bool {
        place = 0
        while let last = chosen.popLast(), let count = counts.popLast() {
            if last + 1 < count {
                chosen.append(last + 1)
                counts.append(count)
                return true
            }
        }
        return false
    }
}

/// A scheduler, the adding threads, and its workers, in one order of their steps.
private struct SteppedRun {
    private enum Step {
        case addsByReader
        case adds(Int)
        case addsBlocks
        case suspends
        case suspendsReader
        case cancels
        case readerIsBusy(Bool)
        case begins
        case goesOn(SteppedWorker)
        case leaves(SteppedWorker)
    }

    private let threads = SteppedThreads()
    private let reader: TestReader
    private let queues: [ScheduledQueue]
    private let ran = Counter()
    private let isSmall: Bool
    private var workers: [SteppedWorker] = []
    private var additions: Int
    private var ids: [OperationID] = []
    private var cancelled: Set<OperationID> = []
    private var expected = 0
    private var isReaderBusy = false
    private var isReaderSuspended = false

    init(workers: Int, additions: Int, isSmall: Bool) {
        reader = TestReader(workers: workers, threads: threads)
        queues = [
            ScheduledQueue(reader.scheduler),
            ScheduledQueue(reader.scheduler, qualityOfService: .background),
            ScheduledQueue(reader.scheduler, width: 1),
        ]
        self.additions = additions
        self.isSmall = isSmall
    }

    private var scheduler: Scheduler { reader.scheduler }

    /// The possible next steps.
    private var possible: [Step] {
        var steps: [Step] = []
        if additions > 0 {
            steps += [.addsByReader, .adds(0)]
            if !isSmall {
                steps += [.adds(1), .adds(2), .addsBlocks, .suspends, .readerIsBusy(!isReaderBusy)]
                steps += [.suspendsReader]
                if !ids.isEmpty { steps.append(.cancels) }
            }
        }
        if !threads.waitingToBegin.isEmpty { steps.append(.begins) }
        for worker in workers where !worker.isGone {
            if worker.isAsleep, !worker.isCalled {
                steps.append(.leaves(worker))
            } else {
                steps.append(.goesOn(worker))
            }
        }
        return steps
    }

    /// Takes one of the steps that are possible. False if there is none.
    mutating func step(_ choose: (Int) -> Int) -> Bool {
        let possible = possible
        if possible.isEmpty { return false }
        take(possible[choose(possible.count)])
        expectNobodyIsMissed()
        return true
    }

    private mutating func take(_ step: Step) {
        let ran = ran
        switch step {
        case .addsByReader:
            additions -= 1
            expected += 1
            ids.append(reader.add { ran.add() })
        case .adds(let queue):
            additions -= 1
            expected += 1
            queues[queue].add { ran.add() }
        case .addsBlocks:
            additions -= 1
            expected += 20
            queues[0].add(blocks: (0..<20).map { _ in { ran.add() } })
        case .suspends:
            queues[0].isSuspended.toggle()
        case .suspendsReader:
            suspendReader(!isReaderSuspended)
        case .cancels:
            cancelLast()
        case .readerIsBusy(let isBusy):
            isReaderBusy = isBusy
            scheduler.visit { $0.coreNeededElsewhere(isBusy) }
        case .begins:
            workers.append(threads.begin(on: scheduler))
        case .goesOn(let worker):
            worker.step()
        case .leaves(let worker):
            worker.leave()
        }
    }

    private mutating func suspendReader(_ isSuspended: Bool) {
        isReaderSuspended = isSuspended
        scheduler.feed { $0.suspensionChanged(reader.queue, to: isSuspended) }
    }

    /// Cancels what the reader added last: unless that has started, it does not run.
    private mutating func cancelLast() {
        guard let id = ids.last, !cancelled.contains(id) else { return }
        let isCancelled = scheduler.feed { core in
            core.cancelled(id) && core.state(of: id) != .executing
        }
        guard isCancelled else { return }
        cancelled.insert(id)
        expected -= 1
    }

    /// Either a worker is on its way to look for work, or there is none. Bodies may run for ever.
    private func expectNobodyIsMissed() {
        let isQuiet =
            threads.waitingToBegin.isEmpty
            && workers.allSatisfy { $0.isExecuting || $0.isGone || $0.isAsleep && !$0.isCalled }
        guard isQuiet else { return }
        #expect(!scheduler.hasAdditions, "no worker takes in the additions")
        scheduler.visit { core in
            for lane in ExecutionLane.allCases where lane.isWorker && core.mayHaveWork(lane) {
                let isMissed = core.claim(for: Worker(lane: lane))
                #expect(!isMissed, "something is ready on \(lane), and all of its workers sleep")
            }
        }
    }

    /// All continue until nothing is left to do: then everything has run.
    mutating func finish() {
        if queues[0].isSuspended { queues[0].isSuspended = false }
        if isReaderSuspended { suspendReader(false) }
        scheduler.visit { $0.coreNeededElsewhere(false) }
        while true {
            if !threads.waitingToBegin.isEmpty {
                take(.begins)
            } else if let worker = workers.first(where: { !$0.isGone && (!$0.isAsleep || $0.isCalled) }) {
                take(.goesOn(worker))
            } else {
                break
            }
            expectNobodyIsMissed()
        }
        #expect(ran.count == expected)
        reader.takeEvents()
        reader.expectEachOnce(ids)
        for id in cancelled {
            #expect(reader.outcomes[id] == .cancelled)
            #expect(!reader.log.ran.contains(id))
        }
    }
}
