import Testing

@testable import Scheduling

/// Queries about an operation that was added in the last moment and was not taken in yet.
@Suite struct LastMomentTests {
    private struct Broken: Error {}

    private let threads = SteppedThreads()
    private let reader: TestReader
    private let worker: SteppedWorker
    private var scheduler: Scheduler { reader.scheduler }

    /// A worker searches, so that the adding thread leaves the rest to it.
    init() {
        reader = TestReader(workers: 1, threads: threads)
        _ = reader.add {}
        worker = threads.begin(on: reader.scheduler)
        worker.step()
    }

    private func addUnseen() -> OperationID {
        let id = reader.add {}
        #expect(scheduler.hasAdditions)
        return id
    }

    private func goOn() {
        while !worker.isAsleep || worker.isCalled { worker.step() }
        reader.takeEvents()
    }

    @Test func `it can be cancelled`() {
        let id = addUnseen()
        _ = scheduler.feed { $0.cancelled(id) }
        goOn()
        #expect(!reader.log.ran.contains(id))
        #expect(reader.outcomes[id] == .cancelled)
    }

    @Test func `it is cancelled with all of its queue`() {
        let id = addUnseen()
        scheduler.feed { $0.allCancelled(in: reader.queue) }
        goOn()
        #expect(!reader.log.ran.contains(id))
        #expect(reader.outcomes[id] == .cancelled)
    }

    @Test func `it does not start in a queue that is suspended`() {
        let id = addUnseen()
        scheduler.feed { $0.suspensionChanged(reader.queue, to: true) }
        goOn()
        #expect(!reader.log.ran.contains(id))
        scheduler.feed { $0.suspensionChanged(reader.queue, to: false) }
        goOn()
        #expect(reader.outcomes[id] == .succeeded)
    }

    @Test func `another one can depend on it`() throws {
        let id = addUnseen()
        let next = reader.make {}
        try scheduler.feed { try $0.dependencyAdded(next, on: id, when: .notFailed) }
        worker.step()
        reader.add(next)
        goOn()
        #expect(reader.ends.suffix(2) == [id, next])
    }

    @Test func `it can be queried`() {
        let id = addUnseen()
        #expect(scheduler.feed { $0.state(of: id) } == .ready)
        #expect(scheduler.feed { $0.inspect { $0.operations(in: reader.queue) } } == [id])
        goOn()
        #expect(reader.outcomes[id] == .succeeded)
    }

    @Test func `a failure cancels operations that are only counted, if the queue fails fast`() {
        let queue = ScheduledQueue(scheduler)
        queue.setFailFast(true)
        let ran = Counter()
        let failing = queue.add { throw Broken() }
        worker.step()
        #expect(worker.isExecuting)
        queue.add(blocks: (0..<100).map { _ in { ran.add() } })
        goOn()
        #expect(failing.outcome == .failed)
        #expect(ran.count == 0)
        #expect(queue.operationCount == 0)
    }
}
