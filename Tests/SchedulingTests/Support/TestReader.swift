import Synchronization
import Testing

@testable import Scheduling

/// The actions of the bodies of a reader's operations.
final class TestLog: Sendable {
    private struct State {
        var ran: [OperationID] = []
        var told: [OperationID] = []
    }

    private let state = Mutex(State())

    /// Those that ran, in the order of their starts.
    var ran: [OperationID] { state.withLock { $0.ran } }

    /// Those that were notified of their cancellation.
    var told: [OperationID] { state.withLock { $0.told } }

    fileprivate func runs(_ id: OperationID) { state.withLock { $0.ran.append(id) } }
    fileprivate func isTold(_ id: OperationID) { state.withLock { $0.told.append(id) } }
}

/// The body of a reader's operation.
private final class TestBody: OperationBody {
    private let id: OperationID
    private let log: TestLog
    private let run: @Sendable () throws -> Void

    init(_ id: OperationID, _ log: TestLog, _ run: @escaping @Sendable () throws -> Void) {
        self.id = id
        self.log = log
        self.run = run
    }

    func execute() throws {
        log.runs(id)
        try run()
    }

    func cancelExecution() { log.isTold(id) }
}

/// Adds operations and reads events as the script thread does. All of it on one thread, the test's own.
final class TestReader {
    let scheduler: Scheduler
    let queue: QueueID
    let log = TestLog()
    private let events = PlainBuffer<SchedulerEvent>()
    let facts = PlainBuffer<EventFact>()
    private(set) var starts: [OperationID] = []
    private(set) var ends: [OperationID] = []
    private(set) var outcomes: [OperationID: OperationOutcome] = [:]

    init(workers: Int, threads: any ThreadStarter = SystemThreads()) {
        var configuration = Scheduler.Configuration()
        configuration.workers = workers
        configuration.threads = threads
        scheduler = Scheduler(configuration)
        queue = scheduler.feed { $0.queueCreated() }
    }

    /// Makes an operation that is in no queue.
    func make(_ body: @escaping @Sendable () throws -> Void) -> OperationID {
        scheduler.visit { core in
            let id = core.reportingOperationCreated()
            core.bodyPlace(id.slot).pointee = TestBody(id, log, body)
            return id
        }
    }

    /// Adds it without the lock.
    func add(
        _ id: OperationID,
        to queue: QueueID? = nil,
        lane: ExecutionLane = .worker,
        priority: OperationPriority = .normal
    ) {
        var addition = Submission(adding: id, to: queue ?? self.queue)
        addition.lane = lane
        addition.priority = priority
        scheduler.add(addition, isLimited: false)
    }

    /// Creates an operation and adds it.
    func add(
        to queue: QueueID? = nil,
        priority: OperationPriority = .normal,
        _ body: @escaping @Sendable () throws -> Void
    ) -> OperationID {
        let id = make(body)
        add(id, to: queue, priority: priority)
        return id
    }

    /// Adds operations of which the first waits for a gate; returns when it has begun.
    func addHeld(_ count: Int, _ gate: BusyGate) -> [OperationID] {
        let begun = Gate()
        var ids = [
            add {
                begun.open()
                gate.pass()
            }
        ]
        for _ in 1..<count { ids.append(add {}) }
        #expect(begun.pass())
        return ids
    }

    /// Makes the worker claim many at once, and holds it at one, so that the next additions are in one claim.
    func addBeforePart() -> (id: OperationID, gate: BusyGate) {
        let quick = BusyGate()
        let ids = addHeld(400, quick)
        quick.open()
        #expect(waitForEnds(of: ids))
        let gate = BusyGate()
        return (addHeld(1, gate)[0], gate)
    }

    func takeEvents() {
        scheduler.takeEvents(events, facts)
        for event in events.elements {
            let id = scheduler.look { $0.inspect { $0.store.id(event.slot) } }
            switch event.kind {
            case .started: starts.append(id)
            case .finished:
                ends.append(id)
                outcomes[id] = event.outcome
            default: break
            }
        }
    }

    /// Reads events, and sleeps in between, until all of these have ended; false if that took too long.
    func waitForEnds(of ids: [OperationID], seconds: Int64 = 120) -> Bool {
        let end = SchedulerClock.systemNow + seconds * 1_000_000_000
        var missing = Set(ids).subtracting(outcomes.keys)
        while true {
            scheduler.deliverAdditions()
            takeEvents()
            missing.subtract(outcomes.keys)
            if missing.isEmpty { return true }
            scheduler.parkReader(until: end)
            // Later ends have not been reported.
            if SchedulerClock.systemNow > end { return false }
        }
    }

    /// No start and no end was reported twice, and each start was reported; one that was cancelled may not
    /// have started.
    func expectEachOnce(_ ids: [OperationID], at place: SourceLocation = #_sourceLocation) {
        #expect(Set(ends).count == ends.count, sourceLocation: place)
        #expect(Set(starts).count == starts.count, sourceLocation: place)
        let started = Set(starts)
        for id in ids where outcomes[id] != .cancelled {
            #expect(started.contains(id), sourceLocation: place)
        }
    }
}
