import Testing

@testable import Scheduling

@Suite(.timeLimit(.minutes(20))) struct BlockRandomTests {
    private struct Broken: Error {}

    /// Counts released objects.
    private final class Token: Sendable {
        private let gone: Counter
        init(_ gone: Counter) { self.gone = gone }
        deinit { gone.add() }
    }

    /// The result of a random sequence of additions and queries, with one thread that is held back meanwhile:
    /// the order of runs in each queue, and all answers.
    private func story(_ seed: UInt64, inBatches: Bool) throws -> [[Int]] {
        for _ in 0..<50 {
            if let story = try attempt(seed, inBatches: inBatches) { return story }
        }
        Issue.record("there was a second thread each time")
        return []
    }

    /// Nil if the thread was seen asleep, as may happen to one that computes, and another one took its share:
    /// then the order is random.
    private func attempt(_ seed: UInt64, inBatches: Bool) throws -> [[Int]]? {
        var chance = RandomSequence(seed: seed)
        var configuration = Scheduler.Configuration()
        configuration.workers = 1
        let scheduler = Scheduler(configuration)
        let stories = [Notes(), Notes()]
        let gone = Counter()
        let (gate, started) = (BusyGate(), Gate())
        let first = ScheduledQueue(scheduler)
        first.add {
            started.open()
            gate.pass()
        }
        #expect(started.pass())
        let queues = [ScheduledQueue(scheduler), ScheduledQueue(scheduler)]
        var count = 0
        for _ in 0..<30 {
            let place = chance.next() % 5 == 0 ? 1 : 0
            let (queue, notes) = (queues[place], stories[place])
            switch chance.next() % 12 {
            case 0: notes.add(-queue.operationCount)
            case 1: queue.isSuspended = chance.next() % 2 == 0
            case 2 where chance.next() % 3 == 0: queue.cancelAllOperations()
            case 3: queue.setFailFast(chance.next() % 2 == 0)
            // With a width of its own a queue would have threads of its own, too.
            case 4: queue.width = chance.next() % 2 == 0 ? 0 : -1
            case 5:
                let urgent = ScheduledOperation(scheduler) { [count] () throws in notes.add(1_000_000 + count)
                }
                urgent.setPriority(chance.next() % 2 == 0 ? .high : .low)
                try queue.add(urgent)
            case 6:
                try queue.addBarrier(
                    ScheduledOperation(scheduler) { [count] () throws in notes.add(2_000_000 + count) }
                )
            default:
                let size = Int(chance.next() % 60)
                let blocks = (0..<size).map { place -> @Sendable () throws -> Void in
                    let (index, fails, token) = (count + place, chance.next() % 100 == 0, Token(gone))
                    return { () throws in
                        try withExtendedLifetime(token) {
                            notes.add(index)
                            if fails { throw Broken() }
                        }
                    }
                }
                count += size
                if inBatches { queue.add(blocks: blocks) } else { for block in blocks { queue.add(block) } }
            }
        }
        for queue in queues {
            queue.isSuspended = false
            queue.width = -1
        }
        gate.open()
        for queue in queues + [first] { #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120)) }
        #expect(gone.wait(for: count))
        #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
        #expect(scheduler.feed { $0.unfinishedCount } == 0)
        return scheduler.visit { $0.shell.highestThreadCount } == 1 ? stories.map(\.all) : nil
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a batch of blocks behaves like single blocks`(seed: UInt64) throws {
        #expect(try story(seed, inBatches: true) == story(seed, inBatches: false))
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `with any queries while they run, each runs once or is cancelled, and is released`(seed: UInt64)
        throws
    {
        var chance = RandomSequence(seed: seed)
        var configuration = Scheduler.Configuration()
        configuration.workers = Int(chance.next() % 3) + 1
        let scheduler = Scheduler(configuration)
        let queues = [ScheduledQueue(scheduler), ScheduledQueue(scheduler)]
        let runs = (0..<6000).map { _ in Counter() }
        let (gone, inner) = (Counter(), Counter())
        var (count, innerCount) = (0, 0)
        var isAnyCancelled = false
        for _ in 0..<12 {
            let size = Int(chance.next() % 500)
            let queue = queues[chance.next() % 4 == 0 ? 1 : 0]
            let blocks = (0..<size).map { place -> @Sendable () throws -> Void in
                let (index, token) = (count + place, Token(gone))
                let (fails, blocks) = (chance.next() % 200 == 0, chance.next() % 300 == 0)
                let adds = chance.next() % 400 == 0
                if adds { innerCount += 21 }
                return { () throws in
                    try withExtendedLifetime(token) {
                        runs[index].add()
                        if blocks { _ = Parker().park(nanoseconds: 200_000) }
                        if adds {
                            queue.add { inner.add() }
                            queue.add(blocks: (0..<20).map { _ in { inner.add() } })
                        }
                        if fails { throw Broken() }
                    }
                }
            }
            count += size
            queue.add(blocks: blocks)
            for _ in 0..<(chance.next() % 5) {
                switch chance.next() % 8 {
                case 0 where chance.next() % 8 == 0:
                    isAnyCancelled = true
                    queue.cancelAllOperations()
                case 1:
                    queue.isSuspended = true
                    queue.isSuspended = false
                case 2:
                    queue.width = 2
                    queue.width = -1
                case 3: queue.add {}
                case 4:
                    try queue.add((0..<20).map { _ in ScheduledOperation(scheduler) { () throws in } })
                case 5: try queue.addBarrier(ScheduledOperation(scheduler) { () throws in })
                case 6: queue.waitUntilAllOperationsAreFinished(timeout: 0.0001)
                default: #expect(queue.operationCount >= 0)
                }
            }
        }
        for queue in queues { #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120)) }
        #expect(gone.wait(for: count))
        for index in 0..<count {
            #expect(isAnyCancelled ? runs[index].count <= 1 : runs[index].count == 1)
        }
        if !isAnyCancelled { #expect(inner.count == innerCount) }
        #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
        #expect(scheduler.feed { $0.unfinishedCount } == 0)
    }
}
