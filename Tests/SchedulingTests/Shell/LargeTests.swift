import Synchronization
import Testing

@testable import Scheduling

@Suite(.timeLimit(.minutes(20))) struct LargeTests {
    @Test func `a chain of 20 000 runs in order`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let order = Mutex<[Int]>([])
        let operations = (0..<20_000).map { index in
            ScheduledOperation(scheduler) { () throws in order.withLock { $0.append(index) } }
        }
        for index in 1..<operations.count { try operations[index].addDependency(operations[index - 1]) }
        try queue.add(operations.reversed())
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120))
        #expect(order.withLock { $0 } == Array(0..<20_000))
    }

    @Test func `a million operations run, each once, and are freed`() {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let count = Atomic<Int>(0)
        let token = Token()
        weak let weakToken = token
        func addAll(_ token: consuming Token) {
            for _ in 0..<1_000_000 { queue.add { [token] in count.add(token.one, ordering: .relaxed) } }
        }
        addAll(token)
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 300))
        #expect(count.load(ordering: .relaxed) == 1_000_000)
        let live = scheduler.feed { $0.inspect { $0.store.liveCount } }
        #expect(live == 0)
        let bodies = scheduler.feed { core in core.bodyCount }
        #expect(bodies == 0)
        #expect(weakToken != nil)
    }

    @Test func `a chain of a million that was never added is dropped without recursion`() throws {
        let scheduler = Scheduler()
        func makeAndDrop() throws {
            let operations = (0..<1_000_000).map { _ in ScheduledOperation(scheduler) { () throws in } }
            for index in 1..<operations.count { try operations[index].addDependency(operations[index - 1]) }
        }
        try makeAndDrop()
        let live = scheduler.feed { $0.inspect { $0.store.liveCount } }
        #expect(live == 0)
    }

    @Test func `a closure is released when its operation has finished`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let freed = Gate()
        // The handle is kept, the closure is not.
        let operation: ScheduledOperation
        do {
            let token = Token(freed: freed)
            operation = queue.add { _ = token }
        }
        #expect(freed.pass())
        #expect(operation.waitUntilFinished(timeout: 60))
        #expect(operation.outcome == .succeeded)
    }

    /// Several threads submit, wire, cancel and wait at random. All have to end, and none may run twice, or
    /// before its dependencies.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `many threads at once`(seed: UInt64) throws {
        var configuration = Scheduler.Configuration()
        configuration.workers = 2 + Int(seed % 3)
        let scheduler = Scheduler(configuration)
        scheduler.setResource("gpu", 2)
        let queues = [-1, 1, 3].map { ScheduledQueue(scheduler, width: $0) }
        let done = Counter()
        let faults = EventLog()
        for thread in 0..<4 as Range<UInt64> {
            let started = SystemThread.start(name: "submitter") {
                var random = RandomSequence(seed: seed &* 1000 &+ thread)
                submit(to: queues, scheduler, &random, faults)
                done.add()
            }
            #expect(started)
        }
        #expect(done.wait(for: 4), "seed \(seed)")
        for queue in queues { #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60), "seed \(seed)") }
        #expect(faults.all == [], "seed \(seed)")
        let invariants = scheduler.feed { $0.inspect { $0.checkInvariants() } }
        #expect(invariants == [], "seed \(seed)")
        let live = scheduler.feed { $0.inspect { $0.store.liveCount } }
        #expect(live == 0, "seed \(seed)")
    }
}

/// One thread's part of the stress test.
private func submit(
    to queues: [ScheduledQueue],
    _ scheduler: Scheduler,
    _ random: inout RandomSequence,
    _ faults: EventLog
) {
    var recent: [(operation: ScheduledOperation, hasRun: Flag)] = []
    for number in 0..<1500 {
        let hasRun = Flag()
        var before: [(operation: ScheduledOperation, hasRun: Flag)] = []
        if !recent.isEmpty, random.next() % 2 == 0 {
            before.append(recent[Int(random.next() % UInt64(recent.count))])
        }
        let needed = before.map(\.operation)
        let operation = ScheduledOperation(scheduler, name: "\(number)") { () throws in
            if !hasRun.raise() { faults.note("\(number) ran twice") }
            for other in needed where other.outcome == nil && !other.isCancelled {
                if other.state != .finished { faults.note("\(number) ran before \(other.name)") }
            }
            if number % 97 == 0 { throw CancellationError() }
        }
        do {
            for (other, _) in before { try operation.addDependency(other, when: .finished) }
            let queue = queues[Int(random.next() % UInt64(queues.count))]
            // Always resumed by the thread that suspended it, so that no wait can depend on it.
            let suspends = random.next() % 32 == 0
            if suspends { queue.isSuspended = true }
            defer { if suspends { queue.isSuspended = false } }
            switch random.next() % 16 {
            case 0: try queue.addBarrier(operation)
            case 1: try queue.add(operation, after: 0.0001)
            case 2: try queue.add(operation, resources: ["gpu": 1 + Int(random.next() % 2)])
            default: try queue.add(operation)
            }
        } catch {
            faults.note("\(number): \(error)")
        }
        if random.next() % 8 == 0 { recent.randomElement(using: &random)?.operation.cancel() }
        if random.next() % 64 == 0, let (other, _) = recent.last, !other.waitUntilFinished(timeout: 60) {
            faults.note("\(other.name) did not finish")
        }
        recent.append((operation, hasRun))
        if recent.count > 16 { recent.removeFirst() }
    }
}

/// Raised once.
private final class Flag: Sendable {
    private let isUp = Atomic<Bool>(false)

    func raise() -> Bool { isUp.exchange(true, ordering: .acquiringAndReleasing) == false }
}

private final class Token: Sendable {
    let one = 1
    let freed: Gate?

    init(freed: Gate? = nil) { self.freed = freed }

    deinit { freed?.open() }
}
