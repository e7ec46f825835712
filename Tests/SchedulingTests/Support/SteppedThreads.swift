import Synchronization

@testable import Scheduling

/// Threads that go on only where a test has them do so.
///
/// Each step is one stay in the lock, so that all that threads can do to each other is an order of such steps. Nobody watches the clock.
final class SteppedThreads: ThreadStarter {
    private let asked = Mutex<[ExecutionLane]>([])

    /// Threads that were asked for, and have not begun.
    var waitingToBegin: [ExecutionLane] { asked.withLock { $0 } }

    func startWorker(of lane: ExecutionLane, for scheduler: Scheduler) -> Bool {
        asked.withLock { $0.append(lane) }
        return true
    }

    func startService(_ life: @escaping @Sendable () -> Void) -> Bool { true }

    /// The first of those that were asked for begins, or the last.
    func begin(last: Bool = false, on scheduler: Scheduler) -> SteppedWorker {
        SteppedWorker(asked.withLock { last ? $0.removeLast() : $0.removeFirst() }, scheduler)
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

    private let worker: Worker
    private let scheduler: Scheduler
    private var pause = Pause.ofWorker
    private var place = Place.gone

    fileprivate init(_ lane: ExecutionLane, _ scheduler: Scheduler) {
        worker = Worker(lane: lane)
        self.scheduler = scheduler
        goOn(WorkerPool.begin(worker, scheduler))
    }

    /// Whether it has a body to run, which may take as long as it likes.
    var isExecuting: Bool { if case .executing = place { true } else { false } }
    var isGone: Bool { if case .gone = place { true } else { false } }
    var isAsleep: Bool { if case .asleep = place { true } else { false } }

    /// Whether somebody woke it who sleeps.
    var isCalled: Bool {
        guard isAsleep, worker.parker.park(nanoseconds: 0) else { return false }
        worker.parker.unpark()
        return true
    }

    /// Goes on: ends its body, its search, or its sleep if somebody woke it.
    func step() {
        switch place {
        case .executing:
            goOn(WorkerPool.perform(worker, scheduler, &pause))
        case .searching: goOn(WorkerPool.endSearch(worker, scheduler))
        case .asleep:
            if worker.parker.park(nanoseconds: 0) { goOn(WorkerPool.awake(worker, scheduler)) }
        case .gone: break
        }
    }

    /// Nobody woke it for a while.
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
