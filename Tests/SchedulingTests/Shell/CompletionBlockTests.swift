import Testing

@testable import Scheduling

/// Completion blocks run on the threads of bodies, and delay no operation.
@Suite(.timeLimit(.minutes(5))) struct CompletionBlockTests {
    /// A scheduler with this many shares of threads.
    private func scheduler(_ workers: Int) -> Scheduler {
        var configuration = Scheduler.Configuration()
        configuration.workers = workers
        return Scheduler(configuration)
    }

    /// Two operations of which the first one's completion block waits for the second; true if that ended.
    private func waits(
        _ queue: ScheduledQueue,
        _ add: (ScheduledOperation, ScheduledOperation) throws -> Void
    )
        rethrows -> Bool
    {
        let first = ScheduledOperation(queue.scheduler) {}
        let second = ScheduledOperation(queue.scheduler) {}
        let told = Gate()
        let hasEnded = Counter()
        first.setCompletionBlock { _ in
            if second.waitUntilFinished(timeout: 60) { hasEnded.add() }
            told.open()
        }
        try add(first, second)
        #expect(told.pass(seconds: 120))
        return hasEnded.count == 1
    }

    @Test(arguments: [1, 2]) func `one may wait for the next operation in its queue`(workers: Int) throws {
        let scheduler = scheduler(workers)
        for width in [1, nil] {
            let queue = width.map { ScheduledQueue(scheduler, width: $0) } ?? ScheduledQueue(scheduler)
            #expect(
                try waits(queue) { first, second in
                    queue.isSuspended = true
                    try queue.add(first)
                    try queue.add(second)
                    queue.isSuspended = false
                }
            )
        }
    }

    @Test(arguments: [1, 2]) func `one may wait for a dependent of its operation`(workers: Int) throws {
        let queue = ScheduledQueue(scheduler(workers))
        #expect(
            try waits(queue) { first, second in
                try second.addDependency(first)
                try queue.add(first)
                try queue.add(second)
            }
        )
    }

    @Test(arguments: [1, 2]) func `one may wait for the next of a chain that was added together`(workers: Int)
        throws
    {
        let queue = ScheduledQueue(scheduler(workers))
        let rest = (0..<100).map { _ in ScheduledOperation(queue.scheduler) {} }
        #expect(
            try waits(queue) { first, second in
                let chain = [first, second] + rest
                for (before, after) in zip(chain, chain.dropFirst()) { try after.addDependency(before) }
                try queue.add(chain)
            }
        )
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }

    @Test(arguments: [1, 2]) func `one may wait for an operation that it adds`(workers: Int) throws {
        let queue = ScheduledQueue(scheduler(workers))
        let told = Gate()
        let hasEnded = Counter()
        let operation = ScheduledOperation(queue.scheduler) {}
        operation.setCompletionBlock { _ in
            if queue.add({}).waitUntilFinished(timeout: 60) { hasEnded.add() }
            told.open()
        }
        try queue.add(operation)
        #expect(told.pass(seconds: 120))
        #expect(hasEnded.count == 1)
    }

    @Test func `one that is notified of a cancellation may wait for an operation that became ready by it`()
        throws
    {
        let queue = ScheduledQueue(scheduler(1))
        #expect(
            try waits(queue) { first, second in
                try second.addDependency(first, when: .finished)
                try queue.add(second)
                first.cancel()
                try queue.add(first)
            }
        )
    }

    @Test func `none is lost, and each is called once, if all wait for the next`() throws {
        let queue = ScheduledQueue(scheduler(2))
        let told = Counter()
        let operations = (0..<200).map { _ in ScheduledOperation(queue.scheduler) {} }
        for (operation, next) in zip(operations, operations.dropFirst()) {
            operation.setCompletionBlock { _ in if next.waitUntilFinished(timeout: 60) { told.add() } }
        }
        for operation in operations { try queue.add(operation) }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120))
        #expect(told.wait(for: 199))
    }
}
