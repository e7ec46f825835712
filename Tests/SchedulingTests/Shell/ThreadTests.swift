import Synchronization
import Testing

@testable import Scheduling

@Suite(.timeLimit(.minutes(20))) struct ThreadTests {
    // MARK: Threads

    @Test func `eight closures that block are all inside at once in a queue of width 8`() {
        let queue = ScheduledQueue(Scheduler(), width: 8)
        let inside = Counter()
        let gate = Gate()
        for _ in 0..<8 {
            queue.add {
                inside.add()
                gate.pass()
            }
        }
        #expect(inside.wait(for: 8))
        gate.open()
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }

    @Test func `in a queue without a width closures that block make room for others`() {
        var configuration = Scheduler.Configuration()
        configuration.workers = 2
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        let inside = Counter()
        let gate = Gate()
        for _ in 0..<8 {
            queue.add {
                inside.add()
                gate.pass()
            }
        }
        #expect(inside.wait(for: 8))
        gate.open()
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }

    @Test func `closures that compute do not get more threads than there are shares`() {
        var configuration = Scheduler.Configuration()
        configuration.workers = 1
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        let inside = Counter()
        let most = Counter()
        for _ in 0..<200 {
            queue.add {
                inside.add()
                if inside.count > most.count { most.add() }
                inside.add(-1)
            }
        }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(most.count == 1)
    }

    // MARK: A core for the reader

    /// A scheduler with two workers, whose reader is the calling thread and adds much.
    ///
    /// - Parameter leavesCore: Whether one of the workers leaves its core to the reader; nil for the default
    ///   for the number of workers.
    private func schedulerOfBusyReader(leavesCore: Bool? = true) -> Scheduler {
        var configuration = Scheduler.Configuration()
        configuration.workers = 2
        configuration.leavesCoreToReader = leavesCore
        let scheduler = Scheduler(configuration)
        scheduler.readerBegins()
        scheduler.visit { $0.readerIsBusy() }
        return scheduler
    }

    /// Adds two closures of which the first computes until the second has begun; the returned counter becomes
    /// 1 if the second has begun.
    private func addTwo(to queue: ScheduledQueue, _ begun: Counter, _ release: Gate? = nil) -> Counter {
        let met = Counter()
        queue.add {
            begun.add()
            // Not asleep, so that it counts as computing.
            let end = SchedulerClock.systemNow + 60_000_000_000
            while begun.count < 2, SchedulerClock.systemNow < end {}
            if begun.count == 2 { met.add() }
        }
        queue.add {
            begun.add()
            release?.open()
        }
        return met
    }

    @Test func `while the reader adds much, one closure less runs`() {
        let scheduler = schedulerOfBusyReader()
        let queue = ScheduledQueue(scheduler)
        let inside = Counter()
        let most = Counter()
        let left = Remainder(200)
        for _ in 0..<200 {
            queue.add {
                inside.add()
                if inside.count > most.count { most.add() }
                let end = SchedulerClock.systemNow + 50_000
                while SchedulerClock.systemNow < end {}
                inside.add(-1)
                left.takeOne()
            }
        }
        // This thread is the reader and must not seem to be blocked, so it waits for no lock.
        while !left.isZero {}
        #expect(most.count == 1)
        scheduler.readerEnds()
    }

    @Test func `a reader that sleeps gives its core back`() {
        let scheduler = schedulerOfBusyReader()
        let queue = ScheduledQueue(scheduler)
        let begun = Counter()
        let met = addTwo(to: queue, begun)
        while begun.count == 0 {}
        scheduler.parkReader(until: SchedulerClock.systemNow + 1_000_000)
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(met.count == 1)
        scheduler.readerEnds()
    }

    @Test func `a reader that is blocked is noticed, and needs no core`() {
        let scheduler = schedulerOfBusyReader()
        let queue = ScheduledQueue(scheduler)
        let release = Gate()
        let met = addTwo(to: queue, Counter(), release)
        #expect(release.pass())
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(met.count == 1)
        scheduler.readerEnds()
    }

    @Test func `a given number of workers is used`() {
        let scheduler = schedulerOfBusyReader(leavesCore: nil)
        let queue = ScheduledQueue(scheduler)
        let met = addTwo(to: queue, Counter())
        while queue.operationCount > 0 {}
        #expect(met.count == 1)
        scheduler.readerEnds()
    }

    @Test func `threads without work leave`() {
        var configuration = Scheduler.Configuration()
        configuration.idleNanoseconds = 1_000_000
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler, width: 6)
        let inside = Counter()
        let gate = Gate()
        for _ in 0..<6 {
            queue.add {
                inside.add()
                gate.pass()
            }
        }
        #expect(inside.wait(for: 6))
        #expect(scheduler.threadCount == 6)
        gate.open()
        #expect(scheduler.waitUntilThreadsLeft())
        // They come back when they are needed.
        queue.add {}
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }

    @Test func `a scheduler without references is freed, with its threads`() {
        weak var weakScheduler: Scheduler?
        let left = Gate()
        do {
            var configuration = Scheduler.Configuration()
            configuration.idleNanoseconds = 1_000_000
            let scheduler = Scheduler(configuration)
            weakScheduler = scheduler
            let queue = ScheduledQueue(scheduler)
            let timer = ScheduledTimer(queue, interval: 0.001) { _ in left.open() }
            #expect(left.pass())
            timer.invalidate()
            #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
            #expect(scheduler.waitUntilThreadsLeft())
        }
        // The service thread may be checking right now.
        for _ in 0..<10_000 where weakScheduler != nil { _ = Parker().park(nanoseconds: 1_000_000) }
        #expect(weakScheduler == nil)
    }

    @Test func `qualities of service run on threads of their own`() {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let done = Counter()
        for quality in OperationQualityOfService.allCases {
            for _ in 0..<50 {
                let operation = ScheduledOperation(scheduler, qualityOfService: quality) { () throws in
                    done.add()
                }
                #expect(throws: Never.self) { try queue.add(operation) }
            }
        }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(done.count == 250)
    }

    // MARK: Ends

    @Test func `the error of a body is the error of its operation`() throws {
        struct Broken: Error {}
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let bad = ScheduledOperation(scheduler, name: "bad") { () throws in throw Broken() }
        let after = ScheduledOperation(scheduler) { () throws in }
        try after.addDependency(bad)
        try queue.add([after, bad])
        after.waitUntilFinished()
        #expect(bad.outcome == .failed)
        #expect(bad.error is Broken)
        #expect(after.outcome == .skipped)
        #expect(after.error == nil)
    }

    @Test func `a completion block is called once, even when it is set late`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let calls = Counter()
        let operation = ScheduledOperation(scheduler) { () throws in }
        operation.setCompletionBlock { finished in
            if finished.outcome == .succeeded { calls.add() }
        }
        try queue.add(operation)
        #expect(calls.wait(for: 1))
        operation.waitUntilFinished()
        operation.setCompletionBlock { _ in calls.add() }
        #expect(calls.count == 2)
    }

    @Test func `waits return when time runs out, and can be repeated`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let gate = Gate()
        let operation = queue.add { gate.pass() }
        #expect(!operation.waitUntilFinished(timeout: 0.01))
        #expect(!queue.waitUntilAllOperationsAreFinished(timeout: 0.01))
        #expect(!operation.waitUntilFinished(timeout: -1))
        gate.open()
        #expect(operation.waitUntilFinished(timeout: 60))
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: .infinity))
        #expect(operation.waitUntilFinished(timeout: .nan))
    }

    @Test func `a wait on a queue includes operations that are added meanwhile`() {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let done = Counter()
        let gate = Gate()
        queue.add {
            gate.pass()
            for _ in 0..<10 { queue.add { done.add() } }
        }
        gate.open()
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(done.count == 10)
    }

    @Test func `a task can wait for an operation`() async throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let gate = Gate()
        let operation = queue.add { gate.pass() }
        async let end: Void = operation.finished()
        gate.open()
        await end
        #expect(operation.outcome == .succeeded)
        await operation.finished()
    }

    // MARK: Cancelling

    @Test func `cancelling reaches a closure that executes`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let started = Gate()
        let operation = ScheduledOperation(scheduler) { context in
            started.open()
            while !context.isCancelled { _ = Parker().park(nanoseconds: 100_000) }
        }
        try queue.add(operation)
        #expect(started.pass())
        operation.cancel()
        #expect(operation.waitUntilFinished(timeout: 60))
        #expect(operation.outcome == .cancelled)
        #expect(operation.isCancelled)
    }

    @Test func `cancelling reaches an async closure`() async throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let started = Counter()
        let operation = ScheduledOperation(async: scheduler) {
            started.add()
            try await Task.sleep(nanoseconds: 3_600_000_000_000)
        }
        try queue.add(operation)
        await started.reached(1)
        operation.cancel()
        await operation.finished()
        #expect(operation.outcome == .cancelled)
    }

    @Test func `when its time runs out a closure is notified, and the next attempt is not`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let attempts = Counter()
        let operation = ScheduledOperation(scheduler) { context in
            attempts.add()
            guard attempts.count == 1 else {
                if context.isCancelled { throw CancellationError() }
                return
            }
            while !context.isCancelled { _ = Parker().park(nanoseconds: 100_000) }
        }
        operation.setTimeout(seconds: 0.005)
        operation.setRetry(RetryPolicy(attempts: 3))
        try queue.add(operation)
        #expect(operation.waitUntilFinished(timeout: 60))
        #expect(operation.outcome == .succeeded)
        #expect(attempts.count == 2)
    }

    @Test func `async closures hold no thread`() async throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let inside = Counter()
        let gates = (0..<200).map { _ in AsyncGate() }
        let operations = gates.map { gate in
            ScheduledOperation(async: scheduler) {
                inside.add()
                await gate.pass()
            }
        }
        try queue.add(operations)
        await inside.reached(200)
        #expect(scheduler.threadCount == 0)
        for gate in gates { gate.open() }
        for operation in operations { await operation.finished() }
    }

    // MARK: Misuse

    @Test func `refusals name the operations`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler, width: 0)
        let compile = ScheduledOperation(scheduler, name: "compile") { () throws in }
        let link = ScheduledOperation(scheduler, name: "link") { () throws in }
        try link.addDependency(compile)
        #expect(
            description { () throws(SchedulingError) in try compile.addDependency(link) }
                == "this dependency would close a cycle: 'compile' -> 'link' -> 'compile'"
        )
        try queue.add(link)
        #expect(
            description { () throws(SchedulingError) in try queue.add(link) }
                == "'link' is already in a queue"
        )
        #expect(
            description { () throws(SchedulingError) in try queue.add(compile, resources: ["gpu": 1]) }
                == "'compile' needs the resource 'gpu', which was never set"
        )
        let other = ScheduledQueue(Scheduler(), name: "other")
        #expect(
            description { () throws(SchedulingError) in try other.add(compile) }
                == "'compile' belongs to another scheduler than 'other'; make it with that queue's scheduler"
        )
        queue.cancelAllOperations()
    }

    private func description(_ body: () throws(SchedulingError) -> Void) -> String {
        do throws(SchedulingError) {
            try body()
            return "nothing was refused"
        } catch {
            return error.description
        }
    }

    /// The slot of a finished operation was free before its handle knew of the end: a dependency on it was
    /// refused as one on a foreign operation.
    @Test func `one can depend on an operation that ends at this moment`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        for _ in 0..<2000 {
            let first = ScheduledOperation(scheduler) { () throws in }
            try queue.add(first)
            let second = ScheduledOperation(scheduler) { () throws in }
            try second.addDependency(first)
            try queue.add(second)
        }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }
}

/// Holds one task back until it is opened.
final class AsyncGate: Sendable {
    private let state = Mutex<(isOpen: Bool, continuation: CheckedContinuation<Void, Never>?)>((false, nil))

    func open() {
        state.withLock { state in
            state.isOpen = true
            return state.continuation.take()
        }?.resume()
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.continuation = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

extension Scheduler {
    /// How many threads of the pool live.
    var threadCount: Int { feed { $0.shell.lanes.reduce(0) { $0 + $1.threadCount } } }

    /// Waits until all threads of the pool have left. False if that took too long.
    func waitUntilThreadsLeft() -> Bool {
        for _ in 0..<60_000 {
            if threadCount == 0 { return true }
            _ = Parker().park(nanoseconds: 1_000_000)
        }
        return false
    }
}

/// Counts down to zero, without a lock.
private final class Remainder: Sendable {
    private let count: Atomic<Int>

    init(_ count: Int) { self.count = Atomic(count) }

    var isZero: Bool { count.load(ordering: .acquiring) == 0 }

    func takeOne() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
