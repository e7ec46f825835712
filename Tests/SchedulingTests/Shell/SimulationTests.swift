import Testing

@testable import Scheduling

@Suite struct SimulationTests {
    private func run(seed: UInt64) throws -> (order: [String], now: Int64) {
        var configuration = Scheduler.Configuration()
        configuration.workers = 3
        configuration.clock = .virtual()
        configuration.executor = .simulated(seed: seed)
        let scheduler = Scheduler(configuration)
        let executor = SimulatedExecutor(scheduler)
        let log = EventLog()
        let queues = [ScheduledQueue(scheduler), ScheduledQueue(scheduler, width: 2)]
        var operations: [ScheduledOperation] = []
        for index in 0..<12 {
            let operation = ScheduledOperation(scheduler, name: "\(index)") { () throws in
                log.note("\(index)")
            }
            if index > 3 { try operation.addDependency(operations[index - 4]) }
            try queues[index % 2].add(operation, after: index == 5 ? 3600 : nil)
            operations.append(operation)
        }
        executor.run()
        for operation in operations { #expect(operation.outcome == .succeeded) }
        return (log.all, scheduler.clock.now)
    }

    @Test func `one seed is one interleaving`() throws {
        for seed in 0..<10 as Range<UInt64> { #expect(try run(seed: seed).order == run(seed: seed).order) }
    }

    @Test func `other seeds are other interleavings, and all keep the dependencies`() throws {
        var orders: Set<[String]> = []
        for seed in 0..<50 as Range<UInt64> {
            let order = try run(seed: seed).order
            orders.insert(order)
            #expect(order.count == 12)
            for index in 4..<12 {
                let places = [index - 4, index].compactMap { order.firstIndex(of: "\($0)") }
                #expect(places.count == 2 && places[0] < places[1], "seed \(seed)")
            }
        }
        #expect(orders.count > 10)
    }

    @Test func `time jumps when nothing else can run`() throws {
        #expect(try run(seed: 1).now == 3_600_000_000_000)
    }

    @Test func `attempts and their delays take virtual time`() throws {
        var configuration = Scheduler.Configuration()
        configuration.clock = .virtual()
        configuration.executor = .simulated(seed: 7)
        let scheduler = Scheduler(configuration)
        let executor = SimulatedExecutor(scheduler)
        let queue = ScheduledQueue(scheduler)
        let attempts = Counter()
        let operation = ScheduledOperation(scheduler) { () throws in
            attempts.add()
            throw CancellationError()
        }
        operation.setRetry(RetryPolicy(attempts: 4, delay: 1_000_000_000, backoff: .exponential))
        try queue.add(operation)
        executor.run()
        #expect(attempts.count == 4)
        #expect(scheduler.clock.now == 7_000_000_000)
        #expect(operation.outcome == .failed)
    }

    @Test func `bodies run only in runSimulation`() {
        var configuration = Scheduler.Configuration()
        configuration.clock = .virtual()
        configuration.executor = .simulated(seed: 7)
        let scheduler = Scheduler(configuration)
        let executor = SimulatedExecutor(scheduler)
        let runs = Counter()
        let operation = ScheduledQueue(scheduler).add { runs.add() }
        #expect(runs.count == 0)
        #expect(operation.state == .ready)
        #expect(executor.step())
        #expect(operation.state == .executing)
        executor.run()
        #expect(runs.count == 1)
        #expect(!executor.step())
    }
}
