internal import Scheduling

extension Shape {
    /// Scheduling by itself, on worker threads.
    static let scheduling: [Shape] = [
        .timed("scheduling.independent") { n, tally in
            let queue = ScheduledQueue(shared)
            for _ in 0..<n { queue.add { tally.add() } }
            queue.waitUntilAllOperationsAreFinished()
        },
        // As in a task group: the caller gets no handles.
        .timed("scheduling.blocks") { n, tally in
            let queue = ScheduledQueue(shared)
            queue.add(blocks: (0..<n).map { _ in { tally.add() } })
            queue.waitUntilAllOperationsAreFinished()
        },
        // The same with memory for each closure: above, the closure holds a single object, which takes no
        // extra memory.
        .timed("scheduling.captured") { n, tally in
            let queue = ScheduledQueue(shared)
            queue.add(blocks: (0..<n).map { i in { if i >= 0 { tally.add() } } })
            queue.waitUntilAllOperationsAreFinished()
        },
        .timed("scheduling.batch") { n, tally in
            let queue = ScheduledQueue(shared)
            try queue.add((0..<n).map { _ in ScheduledOperation(shared) { () throws in tally.add() } })
            queue.waitUntilAllOperationsAreFinished()
        },
        .timed("scheduling.chain") { n, tally in
            let queue = ScheduledQueue(shared)
            try queue.add(chain(n, tally, on: shared))
            queue.waitUntilAllOperationsAreFinished()
        },
        .timed("scheduling.fan") { n, tally in
            let queue = ScheduledQueue(shared)
            try queue.add(fan(n, tally, on: shared))
            queue.waitUntilAllOperationsAreFinished()
        },
    ]

    /// One scheduler for all repetitions: its threads are warm, as in a host.
    static let shared = Scheduler()

    /// Each operation after the one before.
    static func chain(_ n: Int, _ tally: Tally, on scheduler: Scheduler) throws -> [ScheduledOperation] {
        let operations = (0..<n).map { i in ScheduledOperation(scheduler) { () throws in tally.add(after: i) }
        }
        for i in 1..<n { try operations[i].addDependency(operations[i - 1]) }
        return operations
    }

    /// One operation, then all but two at once, then one.
    static func fan(_ n: Int, _ tally: Tally, on scheduler: Scheduler) throws -> [ScheduledOperation] {
        let source = ScheduledOperation(scheduler) { () throws in tally.add(after: 0) }
        let sink = ScheduledOperation(scheduler) { () throws in tally.add(after: n - 1) }
        var operations = [source]
        operations.reserveCapacity(n)
        for _ in 0..<(n - 2) {
            let operation = ScheduledOperation(scheduler) { () throws in tally.add() }
            try operation.addDependency(source)
            try sink.addDependency(operation)
            operations.append(operation)
        }
        operations.append(sink)
        return operations
    }
}
