import Synchronization
import Testing

@testable import Scheduling

/// Operations that are added together, on threads: whatever is asked of one of them has the answer that it would have had, had it been
/// added by itself.
@Suite(.timeLimit(.minutes(20))) struct StretchTests {
    private struct Broken: Error {}

    /// One thread, whose first body waits for the gate, so that all others are in the stretch while the test asks.
    private final class Held: Sendable {
        let scheduler: Scheduler
        let queue: ScheduledQueue
        let gate = BusyGate()
        let operations: [ScheduledOperation]

        init(_ count: Int = 40, workers: Int = 1, failing: Int? = nil) throws {
            var configuration = Scheduler.Configuration()
            configuration.workers = workers
            scheduler = Scheduler(configuration)
            queue = ScheduledQueue(scheduler)
            let started = Gate()
            let (scheduler, gate) = (scheduler, gate)
            let notes = Notes()
            operations = (0..<count).map { index in
                ScheduledOperation(scheduler, name: "op \(index)") { () throws in
                    if index == 0 {
                        started.open()
                        gate.pass()
                    }
                    notes.add(index)
                    if index == failing { throw Broken() }
                }
            }
            self.notes = notes
            try queue.add(operations)
            #expect(started.pass())
        }

        private let notes: Notes

        var ran: [Int] { notes.all }

        func finish() -> Bool {
            gate.open()
            return queue.waitUntilAllOperationsAreFinished(timeout: 60)
        }
    }

    @Test func `operations added together are counted, not known, until somebody asks`() throws {
        let held = try Held()
        #expect(held.scheduler.visit { $0.machine.stretch.isActive && $0.machine.store.liveCount == 0 })
        #expect(held.operations[1].state == .ready)
        #expect(held.scheduler.visit { !$0.machine.stretch.isActive && $0.machine.store.liveCount == 40 })
        #expect(held.operations[0].state == .executing)
        #expect(held.queue.operationCount == 40)
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(
            held.operations.allSatisfy {
                $0.state == .finished && $0.outcome == .succeeded && !$0.isCancelled
            }
        )
        #expect(held.scheduler.feed { $0.machine.store.liveCount } == 0)
        #expect(held.scheduler.feed { $0.machine.checkInvariants() }.isEmpty)
    }

    @Test func `with one thread they start in the order of addition, over several additions`() throws {
        let held = try Held()
        let late = Notes()
        let others = (0..<30).map { index in
            ScheduledOperation(held.scheduler) { () throws in late.add(index) }
        }
        try held.queue.add(others)
        #expect(held.scheduler.visit { $0.machine.stretch.isActive })
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(late.all == Array(0..<30))
    }

    @Test func `one that is cancelled does not run`() throws {
        let held = try Held()
        held.operations[20].cancel()
        #expect(held.operations[20].outcome == .cancelled)
        #expect(held.finish())
        #expect(held.ran == (0..<40).filter { $0 != 20 })
    }

    @Test func `the one that executes can be cancelled`() throws {
        let held = try Held()
        held.operations[0].cancel()
        #expect(held.finish())
        #expect(held.operations[0].outcome == .cancelled)
        #expect(held.ran == Array(0..<40))
    }

    @Test func `all can be cancelled`() throws {
        let held = try Held()
        held.queue.cancelAllOperations()
        #expect(held.finish())
        #expect(held.ran == [0])
        #expect(held.operations.allSatisfy { $0.outcome == .cancelled })
    }

    @Test func `a failure is that of one operation`() throws {
        let held = try Held(failing: 7)
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
        #expect(held.operations[7].outcome == .failed)
        #expect(held.operations[7].error is Broken)
        #expect(held.operations.filter { $0.outcome == .succeeded }.count == 39)
    }

    @Test func `the first failure cancels the rest where the queue says so`() throws {
        let held = try Held(failing: 7)
        held.queue.setFailFast(true)
        #expect(held.finish())
        #expect(held.ran == Array(0...7))
        #expect(held.operations[8...].allSatisfy { $0.outcome == .cancelled })
    }

    @Test func `others can depend on one, and on one that has ended`() throws {
        let held = try Held(failing: 9)
        let runs = Notes()
        let after = ScheduledOperation(held.scheduler) { () throws in runs.add(0) }
        let skipped = ScheduledOperation(held.scheduler) { () throws in runs.add(1) }
        try after.addDependency(held.operations[5])
        try skipped.addDependency(held.operations[9])
        try held.queue.add([after, skipped])
        #expect(held.finish())
        #expect(runs.all == [0])
        #expect(skipped.outcome == .skipped)
        let late = ScheduledOperation(held.scheduler) { () throws in runs.add(2) }
        try late.addDependency(held.operations[5])
        try held.queue.add(late)
        #expect(late.waitUntilFinished(timeout: 60))
        #expect(runs.all == [0, 2])
    }

    @Test func `one that ended while nobody knew it has an identity of its own afterwards`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let operations = (0..<100).map { _ in ScheduledOperation(scheduler) { () throws in } }
        try queue.add(operations)
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(Set(operations.map(\.id)).count == 100)
        for operation in operations {
            operation.cancel()
            operation.setPriority(.high)
            #expect(operation.outcome == .succeeded && operation.isReady)
            #expect(throws: SchedulingError.self) { try queue.add(operation) }
            #expect(throws: SchedulingError.self) { try queue.add([operation]) }
        }
        #expect(scheduler.feed { $0.machine.checkInvariants() }.isEmpty)
    }

    @Test func `suspension holds back what no worker has begun`() throws {
        let held = try Held()
        held.queue.isSuspended = true
        held.gate.open()
        #expect(held.operations[0].waitUntilFinished(timeout: 60))
        #expect(held.operations[1].state == .ready)
        #expect(held.ran == [0])
        held.queue.isSuspended = false
        #expect(held.finish())
        #expect(held.ran == Array(0..<40))
    }

    @Test func `a higher priority goes first, whether of one of them or of another`() throws {
        let held = try Held()
        held.operations[30].setPriority(.veryHigh)
        #expect(held.finish())
        #expect(held.ran == [0, 30] + (1..<40).filter { $0 != 30 })
    }

    @Test func `an operation of another queue has its turn`() throws {
        let held = try Held(1000)
        let other = ScheduledQueue(held.scheduler)
        let seen = Mutex<Int?>(nil)
        other.add { [held] in seen.withLock { $0 = held.ran.count } }
        #expect(held.finish())
        #expect(other.waitUntilAllOperationsAreFinished(timeout: 60))
        // Queues take turns.
        let count = try #require(seen.withLock { $0 })
        #expect(count <= 2)
    }

    @Test func `completion blocks and waits are told, of those that nobody knew too`() async throws {
        let held = try Held()
        let calls = Notes()
        held.operations[3].setCompletionBlock { operation in
            if operation.outcome == .succeeded { calls.add(3) }
        }
        #expect(!held.operations[4].waitUntilFinished(timeout: 0.001))
        #expect(held.scheduler.visit { $0.machine.stretch.isActive })
        let waiting = held.operations[5]
        async let end: Void = waiting.finished()
        held.gate.open()
        await end
        #expect(held.operations[4].waitUntilFinished(timeout: 60))
        #expect(held.finish())
        #expect(calls.all == [3])
    }

    @Test func `an operation whose end was told is not counted any more`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        for _ in 0..<200 {
            let operations = (0..<20).map { _ in ScheduledOperation(scheduler) { () throws in } }
            try queue.add(operations)
            operations[10].waitUntilFinished()
            let told = operations.filter { $0.outcome != nil }.count
            #expect(queue.operationCount <= 20 - told)
            #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
            #expect(operations.allSatisfy { $0.outcome == .succeeded })
        }
    }

    /// One thread that was given many short ones, so that it is given many at once.
    private func warm(workers: Int) throws -> (scheduler: Scheduler, queue: ScheduledQueue) {
        var configuration = Scheduler.Configuration()
        configuration.workers = workers
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        try queue.add((0..<5000).map { _ in ScheduledOperation(scheduler) { () throws in } })
        queue.waitUntilAllOperationsAreFinished()
        return (scheduler, queue)
    }

    @Test func `one that blocks does not keep those behind it from starting`() throws {
        // The next one lets it go on: with two shares and with one, which another thread gets when the first is seen to block.
        for workers in [1, 2] {
            let (scheduler, queue) = try warm(workers: workers)
            let gates = (0..<400).map { _ in Gate() }
            let passed = Counter()
            try queue.add(
                (0..<400).map { index in
                    ScheduledOperation(scheduler) { () throws in
                        if index % 50 == 10, gates[index].pass() { passed.add() }
                        if index % 50 == 11 { gates[index - 1].open() }
                    }
                }
            )
            #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120))
            #expect(passed.count == 8)
        }
    }

    @Test func `what a body adds elsewhere has its turn before the rest`() throws {
        let (scheduler, queue) = try warm(workers: 1)
        let other = ScheduledQueue(scheduler)
        let ran = Counter()
        let seen = Notes()
        try queue.add(
            (0..<1000).map { index in
                ScheduledOperation(scheduler) { () throws in
                    ran.add()
                    if index == 500 { other.add { seen.add(ran.count) } }
                }
            }
        )
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(other.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(seen.all.count == 1)
        #expect(seen.all[0] <= 503)
    }

    @Test func `bodies may ask of their own operation, and add others`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let inner = Counter()
        let own = Notes()
        let handles = Mutex<[ScheduledOperation]>([])
        let operations = (0..<60).map { index in
            ScheduledOperation(scheduler) { () throws in
                if index % 20 == 7 {
                    if handles.withLock({ $0[index] }).state == .executing { own.add(index) }
                }
                if index % 20 == 13 { queue.add { inner.add() } }
                if index % 20 == 17 {
                    try queue.add(
                        (0..<20).map { _ in ScheduledOperation(scheduler) { () throws in inner.add() } }
                    )
                }
            }
        }
        handles.withLock { $0 = operations }
        try queue.add(operations)
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(own.all.count == 3)
        #expect(inner.count == 63)
        handles.withLock { $0 = [] }
    }

    @Test func `what is refused changes nothing`() throws {
        let held = try Held()
        let fresh = (0..<20).map { _ in ScheduledOperation(held.scheduler) { () throws in } }
        #expect(throws: SchedulingError.self) { try held.queue.add(fresh + [fresh[3]]) }
        #expect(throws: SchedulingError.self) { try held.queue.add(fresh + [held.operations[30]]) }
        #expect(held.queue.operationCount == 40)
        try held.queue.add(fresh)
        #expect(held.finish())
        #expect(fresh.allSatisfy { $0.outcome == .succeeded })
        #expect(held.ran == Array(0..<40))
    }

    @Test func `handles and closures are freed`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        weak var weakOperation: ScheduledOperation?
        weak var weakToken: Notes?
        do {
            let token = Notes()
            weakToken = token
            let operations = (0..<100).map { index in
                ScheduledOperation(scheduler) { () throws in token.add(index) }
            }
            weakOperation = operations[50]
            try queue.add(operations)
        }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        // A worker lets go of the last ones after it has reported them.
        for _ in 0..<10_000 where weakOperation != nil || weakToken != nil {
            _ = Parker().park(nanoseconds: 1_000_000)
        }
        #expect(weakOperation == nil)
        #expect(weakToken == nil)
    }
}
