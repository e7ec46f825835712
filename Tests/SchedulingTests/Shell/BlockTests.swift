import Synchronization
import Testing

@testable import Scheduling

/// Blocks that are added together, on threads: each is an operation in every respect, though there are no
/// handles.
@Suite(.timeLimit(.minutes(20))) struct BlockTests {
    private struct Broken: Error {}

    /// Counts released objects.
    private final class Token: Sendable {
        private let gone: Counter
        init(_ gone: Counter) { self.gone = gone }
        deinit { gone.add() }
    }

    /// One thread, whose first block waits for the gate, so that no other one has begun while the test asks.
    private final class Held: Sendable {
        let scheduler: Scheduler
        let queue: ScheduledQueue
        let gate = BusyGate()
        let gone = Counter()
        private let notes = Notes()
        /// How many were gone when each ran.
        let goneBefore = Notes()

        init(_ count: Int = 40, failing: Int? = nil) {
            var configuration = Scheduler.Configuration()
            configuration.workers = 1
            scheduler = Scheduler(configuration)
            queue = ScheduledQueue(scheduler)
            let started = Gate()
            let (gate, notes, gone, goneBefore) = (gate, notes, gone, goneBefore)
            queue.add(
                blocks: (0..<count).map { index in
                    let token = Token(gone)
                    return { () throws in
                        if index == 0 {
                            started.open()
                            gate.pass()
                        }
                        notes.add(index)
                        goneBefore.add(gone.count)
                        if index == failing { throw Broken() }
                        withExtendedLifetime(token) {}
                    }
                }
            )
            #expect(started.pass())
        }

        var ran: [Int] { notes.all }

        func finish() -> Bool {
            gate.open()
            return queue.waitUntilAllOperationsAreFinished(timeout: 60)
        }

        func expectSound() {
            #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
            #expect(scheduler.feed { $0.inspect { $0.store.liveCount } } == 0)
            #expect(scheduler.feed { $0.bodyCount } == 0)
        }
    }

    @Test func `each is gone as soon as it has run`() {
        let held = Held()
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(held.goneBefore.all == Array(0..<40))
        #expect(held.gone.count == 40)
        held.expectSound()
    }

    @Test func `a query changes nothing`() {
        let held = Held()
        _ = held.scheduler.feed { $0.unfinishedCount }
        #expect(held.scheduler.visit { $0.inspect { $0.store.liveCount } } == 40)
        #expect(held.queue.operationCount == 40)
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(held.gone.count == 40)
        held.expectSound()
    }

    /// Workers that ran many short ones, so that they claim many at once.
    private func warm(workers: Int) -> (scheduler: Scheduler, queue: ScheduledQueue) {
        var configuration = Scheduler.Configuration()
        configuration.workers = workers
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        queue.add(blocks: (0..<5000).map { _ in {} })
        queue.waitUntilAllOperationsAreFinished()
        return (scheduler, queue)
    }

    @Test func `an operation that one adds elsewhere has its turn before the rest`() {
        let (scheduler, queue) = warm(workers: 1)
        let other = ScheduledQueue(scheduler)
        let ran = Counter()
        let seen = Notes()
        queue.add(
            blocks: (0..<1000).map { index in
                {
                    ran.add()
                    if index == 500 { other.add { seen.add(ran.count) } }
                }
            }
        )
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(other.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(ran.count == 1000)
        #expect(seen.all.count == 1)
        // The worker first runs the rest of its claim, and perhaps one more.
        #expect(seen.all[0] <= 501 + 2 * Claim.capacity)
    }

    @Test func `how many are left is exact, also from inside a claim`() {
        let (_, queue) = warm(workers: 1)
        let counts = Notes()
        queue.add(blocks: (0..<1000).map { _ in { counts.add(queue.operationCount) } })
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(counts.all == (1...1000).reversed())
        #expect(queue.operationCount == 0)
    }

    @Test func `handles and blocks follow one another in the order of addition`() throws {
        let held = Held()
        let late = Notes()
        try held.queue.add(
            (0..<20).map { index in ScheduledOperation(held.scheduler) { () throws in late.add(index) } }
        )
        held.queue.add(blocks: (20..<40).map { index in { late.add(index) } })
        #expect(held.finish())
        #expect(late.all == Array(0..<40))
        held.expectSound()
    }

    @Test func `the error of one that fails is gone with it`() {
        let held = Held(failing: 20)
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(held.scheduler.feed { $0.failures.isEmpty })
        held.expectSound()
    }

    /// Its end asks the scheduler, which is impossible under the scheduler's lock.
    private final class Asking: Sendable {
        private let queue: ScheduledQueue
        private let answers: Notes
        init(_ queue: ScheduledQueue, _ answers: Notes) { (self.queue, self.answers) = (queue, answers) }
        deinit { answers.add(queue.operationCount) }
    }

    @Test(arguments: [false, true]) func `the objects that they hold may ask the scheduler at their end`(
        isCancelled: Bool
    ) {
        let (_, queue) = warm(workers: 1)
        let (started, gate, answers) = (Gate(), BusyGate(), Notes())
        queue.add {
            started.open()
            gate.pass()
        }
        #expect(started.pass())
        queue.add(
            blocks: (0..<20).map { _ in
                let asking = Asking(queue, answers)
                return { withExtendedLifetime(asking) {} }
            }
        )
        if isCancelled { queue.cancelAllOperations() }
        gate.open()
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(answers.all.count == 20)
    }

    @Test func `all can be cancelled, and are gone then`() {
        let held = Held()
        held.queue.cancelAllOperations()
        #expect(held.queue.operationCount == 1)
        // The cancelling thread has released them.
        #expect(held.gone.count == 39)
        #expect(held.finish())
        #expect(held.ran == [0])
        #expect(held.gone.count == 40)
        held.expectSound()
    }

    @Test func `a failure affects one, and cancels the rest if the queue fails fast`() {
        let single = Held(failing: 7)
        #expect(single.finish())
        #expect(single.ran == Array(0..<40))
        single.expectSound()
        let strict = Held(failing: 7)
        strict.queue.setFailFast(true)
        #expect(strict.finish())
        #expect(strict.ran == Array(0...7))
        #expect(strict.gone.count == 40)
        strict.expectSound()
    }

    @Test func `the first one fails while all others wait`() {
        let held = Held(failing: 0)
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(held.gone.count == 40)
        held.expectSound()
    }

    @Test func `a failure of the first one cancels the rest`() {
        var configuration = Scheduler.Configuration()
        configuration.workers = 1
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        queue.setFailFast(true)
        let ran = Notes()
        queue.add(
            blocks: (0..<40).map { index in
                { () throws in
                    ran.add(index)
                    if index == 0 { throw Broken() }
                }
            }
        )
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(ran.all == [0])
        #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
    }

    @Test func `the last one fails`() {
        let held = Held(failing: 39)
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        held.expectSound()
    }

    @Test func `the one that executes during a query may fail`() {
        let held = Held(failing: 0)
        held.queue.setFailFast(true)
        #expect(held.finish())
        #expect(held.ran == [0])
        held.expectSound()
    }

    @Test func `suspension holds back blocks that no worker has begun`() {
        let held = Held()
        held.queue.isSuspended = true
        held.gate.open()
        let more = Notes()
        held.queue.add(blocks: (0..<20).map { index in { more.add(index) } })
        #expect(!held.queue.waitUntilAllOperationsAreFinished(timeout: 0.001))
        #expect(held.queue.isSuspended)
        held.queue.isSuspended = false
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(more.all == Array(0..<20))
        held.expectSound()
    }

    @Test func `a width holds for them`() {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler, width: 1)
        let ran = Notes()
        let running = Counter()
        let most = Mutex(0)
        queue.add(
            blocks: (0..<100).map { index in
                {
                    running.add()
                    let now = running.count
                    most.withLock { $0 = max($0, now) }
                    ran.add(index)
                    running.add(-1)
                }
            }
        )
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(ran.all == Array(0..<100))
        #expect(most.withLock { $0 } == 1)
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17]) func `few are added as many are`(count: Int) {
        let queue = ScheduledQueue(Scheduler())
        queue.isSuspended = true
        let ran = Counter()
        queue.add(blocks: (0..<count).map { _ in { ran.add() } })
        #expect(queue.operationCount == count)
        #expect(ran.count == 0)
        queue.isSuspended = false
        queue.add(blocks: (0..<count).map { _ in { () throws in ran.add() } })
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(ran.count == 2 * count)
    }

    @Test func `a barrier and a higher priority have their turn`() throws {
        let held = Held()
        let notes = Notes()
        let urgent = ScheduledOperation(held.scheduler) { () throws in notes.add(held.ran.count) }
        urgent.setPriority(.veryHigh)
        try held.queue.add(urgent)
        let barrier = ScheduledOperation(held.scheduler) { () throws in notes.add(held.ran.count) }
        try held.queue.addBarrier(barrier)
        held.queue.add(blocks: (0..<20).map { _ in { notes.add(-1) } })
        #expect(held.finish())
        #expect(notes.all == [1, 40] + [Int](repeating: -1, count: 20))
    }

    @Test func `an operation of another queue has its turn`() {
        let held = Held(1000)
        let other = ScheduledQueue(held.scheduler)
        let seen = Notes()
        other.add { seen.add(held.ran.count) }
        #expect(held.finish())
        #expect(other.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(seen.all.count == 1)
        #expect(seen.all[0] <= 2)
    }

    @Test func `one that blocks does not keep those behind it from starting`() {
        for workers in [1, 2] {
            let (_, queue) = warm(workers: workers)
            let gates = (0..<400).map { _ in Gate() }
            let passed = Counter()
            queue.add(
                blocks: (0..<400).map { index in
                    {
                        if index % 50 == 10, gates[index].pass() { passed.add() }
                        if index % 50 == 11 { gates[index - 1].open() }
                    }
                }
            )
            #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120))
            #expect(passed.count == 8)
        }
    }

    @Test func `they may add others`() {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let other = ScheduledQueue(scheduler)
        let inner = Counter()
        queue.add(
            blocks: (0..<200).map { index in
                {
                    if index % 20 == 3 { queue.add { inner.add() } }
                    if index % 20 == 7 { queue.add(blocks: (0..<20).map { _ in { inner.add() } }) }
                    if index % 20 == 13 { other.add(blocks: (0..<20).map { _ in { inner.add() } }) }
                }
            }
        )
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(other.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(inner.count == 410)
        #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
    }

    @Test func `the same array may be added again`() {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let ran = Counter()
        let gone = Counter()
        do {
            let blocks: [@Sendable () throws -> Void] = (0..<100).map { _ in
                let token = Token(gone)
                return { () throws in withExtendedLifetime(token) { ran.add() } }
            }
            for _ in 0..<3 { queue.add(blocks: blocks) }
            #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
            #expect(gone.count == 0)
            withExtendedLifetime(blocks) {}
        }
        #expect(ran.count == 300)
        #expect(gone.count == 100)
    }

    @Test func `without threads they run as operations do`() {
        var configuration = Scheduler.Configuration()
        configuration.executor = .simulated(seed: 1)
        configuration.clock = .virtual()
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler, width: 1)
        let ran = Notes()
        queue.add(blocks: (0..<50).map { index in { ran.add(index) } })
        #expect(queue.operationCount == 50)
        SimulatedExecutor(scheduler).run()
        #expect(ran.all == Array(0..<50))
    }

    @Test func `the scheduler is freed when its last batch has run`() {
        weak var weakly: Scheduler?
        let ran = Counter()
        do {
            var configuration = Scheduler.Configuration()
            configuration.workers = 2
            configuration.idleNanoseconds = 1_000_000
            let scheduler = Scheduler(configuration)
            weakly = scheduler
            ScheduledQueue(scheduler).add(blocks: (0..<1000).map { _ in { ran.add() } })
        }
        #expect(ran.wait(for: 1000))
        // Its threads stay for a while.
        for _ in 0..<20_000 where weakly != nil { _ = Parker().park(nanoseconds: 1_000_000) }
        #expect(weakly == nil)
    }
}
