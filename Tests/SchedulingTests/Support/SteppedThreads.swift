import Synchronization

@testable import Scheduling

/// Threads that advance only when a test steps them.
///
/// Each step is one critical section, so that all interactions of threads are orders of such steps. No thread
/// watches the clock.
final class SteppedThreads: ThreadStarter {
    private struct State {
        var asked: [ExecutionLane] = []
        var refused: Set<ExecutionLane> = []
    }

    private let state = Mutex(State())

    /// Threads that were requested and have not begun.
    var waitingToBegin: [ExecutionLane] { state.withLock { $0.asked } }

    func startWorker(of lane: ExecutionLane, for scheduler: Scheduler) -> Bool {
        state.withLock { state in
            if state.refused.contains(lane) { return false }
            state.asked.append(lane)
            return true
        }
    }

    /// From now on, there are no threads for a lane.
    func refuse(_ lane: ExecutionLane) { state.withLock { _ = $0.refused.insert(lane) } }

    /// From now on there are threads for all lanes.
    func grant() { state.withLock { $0.refused = [] } }

    /// A number that determines to which lanes threads are refused.
    var refusals: Int { state.withLock { $0.refused.reduce(0) { $0 | 1 << Int($1.rawValue) } } }

    func startService(_ life: @escaping @Sendable () -> Void) -> Bool { true }

    /// The first requested thread begins, or the first one of a lane.
    func begin(_ lane: ExecutionLane? = nil, on scheduler: Scheduler) -> SteppedWorker {
        let lane = state.withLock { state in
            let place = lane.flatMap { state.asked.firstIndex(of: $0) } ?? 0
            return state.asked.remove(at: place)
        }
        return SteppedWorker(lane, scheduler)
    }
}

/// A worker between two steps.
final class SteppedWorker {
    private enum Place {
        case executing
        case searching
        case asleep
        case gone
    }

    let worker: Worker
    private let scheduler: Scheduler
    private var place = Place.gone

    fileprivate init(_ lane: ExecutionLane, _ scheduler: Scheduler) {
        worker = Worker(lane: lane)
        self.scheduler = scheduler
        goOn(WorkerPool.begin(worker, scheduler))
    }

    var lane: ExecutionLane { worker.lane }
    /// Whether its body was seen to block; set by the test.
    var isBlocked = false

    /// Whether it has a body to run, which may take as long as it likes.
    var isExecuting: Bool { if case .executing = place { true } else { false } }
    /// The claim that it has to run.
    var executing: OperationID? {
        if case .executing = place { worker.claim.ids[worker.claim.reported] } else { nil }
    }
    var isSearching: Bool { if case .searching = place { true } else { false } }
    var isGone: Bool { if case .gone = place { true } else { false } }
    var isAsleep: Bool { if case .asleep = place { true } else { false } }

    /// Whether it sleeps and was woken.
    var isCalled: Bool {
        guard isAsleep, worker.parker.park(nanoseconds: 0) else { return false }
        worker.parker.unpark()
        return true
    }

    /// Advances: ends its body, its search, or its sleep if it was woken.
    func step() {
        switch place {
        case .executing:
            goOn(WorkerPool.perform(worker, scheduler))
        case .searching: goOn(WorkerPool.endSearch(worker, scheduler))
        case .asleep:
            if worker.parker.park(nanoseconds: 0) { goOn(WorkerPool.awake(worker, scheduler)) }
        case .gone: break
        }
    }

    /// It was not woken for a while.
    func leave() {
        if isAsleep, WorkerPool.leaves(worker, scheduler) { place = .gone }
    }

    private func goOn(_ hasClaim: Bool) {
        if hasClaim {
            place = .executing
        } else {
            place = worker.isSearching ? .searching : .asleep
        }
    }
}
