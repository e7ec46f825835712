import Synchronization
import Testing

@testable import Scheduling

/// Bodies by slot, as a reader of events has them.
final class TestRunner: OperationRunner {
    typealias Body = @Sendable () throws -> Void

    private struct State {
        var bodies: [UInt32: Body] = [:]
        var ran: [UInt32] = []
        var told: [UInt32] = []
    }

    private let state = Mutex(State())

    /// The slots of those that ran, in the order of their starts.
    var ran: [UInt32] { state.withLock { $0.ran } }

    /// The slots of those that were told of their cancellation.
    var told: [UInt32] { state.withLock { $0.told } }

    func set(_ body: @escaping Body, for id: OperationID) { state.withLock { $0.bodies[id.slot] = body } }

    func execute(_ id: OperationID) throws {
        let body = state.withLock { state in
            state.ran.append(id.slot)
            return state.bodies[id.slot]
        }
        try body?()
    }

    func cancel(_ id: OperationID) -> (@Sendable () -> Void)? {
        { [weak self] in self?.state.withLock { $0.told.append(id.slot) } }
    }
}

/// Adds operations and reads events as the script thread does. All of it on one thread, the test's own.
final class TestReader {
    let scheduler: Scheduler
    let queue: QueueID
    let runner = TestRunner()
    private let events = PlainBuffer<SchedulerEvent>()
    private(set) var starts: [OperationID] = []
    private(set) var ends: [OperationID] = []
    private(set) var outcomes: [OperationID: OperationOutcome] = [:]

    init(workers: Int, threads: any ThreadStarter = SystemThreads()) {
        var configuration = Scheduler.Configuration()
        configuration.workers = workers
        configuration.threads = threads
        configuration.runner = runner
        scheduler = Scheduler(configuration)
        queue = scheduler.feed { $0.machine.queueCreated() }
    }

    /// Makes an operation that is in no queue.
    func make(_ body: @escaping TestRunner.Body) -> OperationID {
        let id = scheduler.visit { $0.machine.reportingOperationCreated() }
        runner.set(body, for: id)
        return id
    }

    /// Adds it without the lock.
    func add(
        _ id: OperationID,
        to queue: QueueID? = nil,
        lane: ExecutionLane = .worker,
        priority: OperationPriority = .normal
    ) {
        scheduler.add(
            id,
            to: queue ?? self.queue,
            lane: lane,
            priority: priority,
            allowsFailure: false,
            isCounted: lane.isWorker,
            body: nil
        )
    }

    /// Makes one and adds it.
    func add(
        to queue: QueueID? = nil,
        priority: OperationPriority = .normal,
        _ body: @escaping TestRunner.Body
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

    /// Has the worker come to take many at once, and holds it at one, so that those which are added next are in one part.
    func addBeforePart() -> (id: OperationID, gate: BusyGate) {
        let quick = BusyGate()
        let ids = addHeld(400, quick)
        quick.open()
        #expect(waitForEnds(of: ids))
        let gate = BusyGate()
        return (addHeld(1, gate)[0], gate)
    }

    func takeEvents() {
        scheduler.takeEvents(events)
        for event in events.elements {
            switch event.kind {
            case .started: starts.append(event.id)
            case .finished:
                ends.append(event.id)
                outcomes[event.id] = event.outcome
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
            // What a look after that would find, nobody has told.
            if SchedulerClock.systemNow > end { return false }
        }
    }

    /// No start and no end was told twice, and each start was told; one that was cancelled may not have started.
    func expectEachOnce(_ ids: [OperationID], at place: SourceLocation = #_sourceLocation) {
        #expect(Set(ends).count == ends.count, sourceLocation: place)
        #expect(Set(starts).count == starts.count, sourceLocation: place)
        let started = Set(starts)
        for id in ids where outcomes[id] != .cancelled {
            #expect(started.contains(id), sourceLocation: place)
        }
    }
}
