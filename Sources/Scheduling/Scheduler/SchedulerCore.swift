internal import Synchronization

/// What the scheduler's one lock guards: the machine, and what its shells know beside it.
///
/// Not thread-safe by itself: every use is inside `Scheduler.feed`.
package final class SchedulerCore {
    /// What is to be done after leaving the lock.
    struct Aftermath {
        /// The first completion; nearly always the only one.
        var completion: Completion?
        var completions: [Completion] = []
        var actions: [SchedulerAction] = []
        var unpark: (Worker?, Worker?) = (nil, nil)
        var spawn: [ExecutionLane] = []
        var drained: [Parker] = []
        var wakesReader = false
        var wakesService = false
        var startsService = false

        mutating func add(_ worker: Worker) {
            if unpark.0 == nil {
                unpark.0 = worker
            } else {
                worker.parker.unpark()
            }
        }
    }

    /// A handle that is to be told of its operation's end.
    struct Completion {
        var body: any OperationBody
        var outcome: OperationOutcome
        var error: (any Error)?

        func tell() { body.operationFinished(outcome, error: error) }
    }

    /// The threads of one lane.
    struct LaneThreads {
        /// Parked workers; the last one parked is woken first, its caches are warm.
        var idle: [Worker] = []
        var threadCount = 0
        /// A worker was woken or started and has not looked for work yet.
        var isWakeInFlight = false
        /// A worker looks again and again before it parks.
        var isSearching = false
    }

    package var machine: SchedulerMachine
    var bodies: [(any OperationBody)?] = []
    package var failures: [UInt32: any Error] = [:]
    var lanes = [LaneThreads](repeating: LaneThreads(), count: ExecutionLane.count)
    /// Workers that execute a body which holds a share.
    var sharers: [ObjectIdentifier: Worker] = [:]
    /// At the last look of the service thread: how many bodies each sharer had been given.
    var watched: [ObjectIdentifier: Int] = [:]
    /// Names of operations with a handle, where they have one.
    var names: [UInt32: String] = [:]
    /// Threads that wait for a queue to be empty.
    var drainWaiters: [UInt32: [Parker]] = [:]
    var timers = TimerHeap<ScheduledTimer>()
    /// Until when the service thread sleeps; nil while it is awake, `.max` for ever.
    var serviceSleepsUntil: Int64?
    /// Whether the service thread looks at blocked workers every few milliseconds.
    var isWatching = false
    var isServiceRunning = false
    var isReaderParked = false
    var readerWasWoken = false
    var isShutDown = false
    var threadFailureWasReported = false
    /// Whether bodies run on threads at all, or are stepped by a simulation.
    let usesThreads: Bool

    init(machine: consuming SchedulerMachine, usesThreads: Bool) {
        self.machine = machine
        self.usesThreads = usesThreads
    }

    package func body(_ id: OperationID) -> (any OperationBody)? {
        Int(id.slot) < bodies.count ? bodies[Int(id.slot)] : nil
    }

    package func setBody(_ body: (any OperationBody)?, for id: OperationID) {
        let index = Int(id.slot)
        if index >= bodies.count {
            bodies.append(contentsOf: repeatElement(nil, count: max(index + 1 - bodies.count, bodies.count)))
        }
        bodies[index] = body
    }

    /// Gathers what an input left behind.
    ///
    /// Called once, at the end of each stay in the lock.
    func settle(_ clock: SchedulerClock, signals: borrowing LaneSignals) -> Aftermath {
        var aftermath = Aftermath()
        machine.startPushed()
        if machine.hasPendingTimers { machine.armTimers(clock.now) }
        if !machine.actions.isEmpty { sortActions(into: &aftermath) }
        if !drainWaiters.isEmpty {
            for (queue, parkers) in drainWaiters where machine.queues[Int(queue)].count == 0 {
                drainWaiters[queue] = nil
                aftermath.drained += parkers
            }
        }
        if !machine.events.isEmpty, isReaderParked {
            isReaderParked = false
            aftermath.wakesReader = true
        }
        guard usesThreads else { return aftermath }
        if machine.wakeMask != 0 { wakeWorkers(&aftermath, signals: signals) }
        if !isServiceRunning {
            if needsService(before: .max, isVirtual: clock.isVirtual) {
                isServiceRunning = true
                aftermath.startsService = true
            }
        } else if let sleepsUntil = serviceSleepsUntil,
            needsService(before: sleepsUntil, isVirtual: clock.isVirtual)
        {
            serviceSleepsUntil = nil
            aftermath.wakesService = true
        }
        return aftermath
    }

    /// Handles are told with what they need to know, so that the slot is free from here on.
    private func sortActions(into aftermath: inout Aftermath) {
        for action in machine.actions {
            guard case .complete(let id) = action else {
                aftermath.actions.append(action)
                continue
            }
            guard let outcome = machine.outcome(of: id) else { continue }
            let failure = failures.isEmpty ? nil : failures.removeValue(forKey: id.slot)
            if !names.isEmpty { names[id.slot] = nil }
            if let body = body(id) {
                setBody(nil, for: id)
                let completion = Completion(body: body, outcome: outcome, error: failure)
                if aftermath.completion == nil {
                    aftermath.completion = completion
                } else {
                    aftermath.completions.append(completion)
                }
            }
            machine.operationReleased(id)
        }
        machine.actions.removeAll(keepingCapacity: true)
    }

    /// Whether the service thread has something to do before a moment.
    ///
    /// Virtual time is advanced by whoever owns it.
    private func needsService(before moment: Int64, isVirtual: Bool) -> Bool {
        if !isVirtual {
            if let deadline = machine.nextDeadline, deadline < moment { return true }
            if let deadline = timers.nextDeadline, deadline < moment { return true }
        }
        return !isWatching && machine.hasWorkBeyondShare
    }

    /// At most one wake per lane is in flight: a woken worker that leaves work behind wakes the next.
    private func wakeWorkers(_ aftermath: inout Aftermath, signals: borrowing LaneSignals) {
        for lane in ExecutionLane.allCases
        where lane.isWorker && machine.wakeMask & (1 << UInt16(lane.rawValue)) != 0 {
            let index = Int(lane.rawValue)
            machine.wakeMask &= ~(1 << UInt16(lane.rawValue))
            guard !lanes[index].isWakeInFlight, machine.mayHaveWork(lane) else { continue }
            if lanes[index].isSearching {
                signals.raise(lane)
            } else if let worker = lanes[index].idle.popLast() {
                lanes[index].isWakeInFlight = true
                aftermath.add(worker)
            } else if lanes[index].threadCount < WorkerPool.maximumThreadsPerLane {
                lanes[index].threadCount += 1
                lanes[index].isWakeInFlight = true
                aftermath.spawn.append(lane)
            }
        }
        machine.wakeMask = 0
    }
}

/// One flag for each lane, on which a searching worker looks without the lock.
struct LaneSignals: ~Copyable {
    private let flags = Atomic<UInt64>(0)

    func raise(_ lane: ExecutionLane) {
        flags.bitwiseOr(1 << UInt64(lane.rawValue), ordering: .releasing)
    }

    func isRaised(_ lane: ExecutionLane) -> Bool {
        flags.load(ordering: .acquiring) & (1 << UInt64(lane.rawValue)) != 0
    }

    func lower(_ lane: ExecutionLane) {
        flags.bitwiseAnd(~(1 << UInt64(lane.rawValue)), ordering: .relaxed)
    }
}
