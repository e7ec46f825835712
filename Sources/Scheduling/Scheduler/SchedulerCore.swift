internal import Synchronization

/// What the scheduler's one lock guards: the machine, and what its shells know beside it.
///
/// Not thread-safe by itself: every use is inside `Scheduler.feed`, which is also what makes uses exclusive. It
/// is reached through pointers, so that the language need not check that again at each access.
@usableFromInline
package final class SchedulerCore {
    /// What the shells know beside the machine.
    struct Shell: ~Copyable {
        /// By slot: what the body of the last attempt threw.
        var failures: [UInt32: any Error] = [:]
        var lanes = [LaneThreads](repeating: LaneThreads(), count: ExecutionLane.count)
        /// Names of operations with a handle that are in no queue yet, where they have one.
        var names: [UInt32: String] = [:]
        var externals = ExternalTable()
        /// Threads that wait for a queue to be empty.
        var drainWaiters: [UInt32: [Parker]] = [:]
        var timers = TimerHeap<ScheduledTimer>()
        /// Until when the service thread sleeps; nil while it is awake, `.max` for ever.
        var serviceSleepsUntil: Int64?
        /// Whether the service thread looks at blocked workers every few milliseconds.
        var isWatching = false
        var isServiceRunning = false
        /// Bodies that nobody needs any more, to be released outside the lock.
        var spentBodies: [any OperationBody] = []
        /// How many workers have claims of which the machine does not know how far they have come.
        var openClaimCount = 0
        /// How many workers run bodies that are short as far as is known.
        var shortClaimCount = 0
        var isReaderParked = false
        var readerWasWoken = false
        /// The kernel's number of the reader's thread, if a core is left to it while it adds much; else 0.
        var readerThread: Int32 = 0
        /// At the last look of the service thread: how much the reader had added.
        var watchedAdditions = 0
        /// Lanes for which the system gave no thread; the service thread tries again, and whoever waits.
        var lanesWithoutThread: UInt16 = 0
        /// Until when no service thread is asked for, since the system gave none; 0 once there is one.
        var serviceRefusedUntil: Int64 = 0
        #if DEBUG
        /// The watchdog has reported something.
        var hasReportedLeftBehind = false
        #endif
        /// How many threads were started, ever.
        var startedThreadCount = 0
        /// How many threads of the pool there were at most.
        var highestThreadCount = 0
    }

    private let machinePointer: UnsafeMutablePointer<SchedulerMachine>
    private let shellPointer: UnsafeMutablePointer<Shell>
    /// By slot: what the operation does.
    private let bodies = ChunkedStorage<(any OperationBody)?>()
    /// Whether bodies run on threads at all, or are stepped by a simulation.
    let usesThreads: Bool
    /// How many threads a lane has at most.
    let threadsPerLane: Int
    /// How many operations a claim may have; nil for what follows from the measured time of the bodies. Set once before use.
    var claimSize: Int?

    init(machine: consuming SchedulerMachine, usesThreads: Bool, threadsPerLane: Int = 512) {
        machinePointer = .allocate(capacity: 1)
        machinePointer.initialize(to: machine)
        shellPointer = .allocate(capacity: 1)
        shellPointer.initialize(to: Shell())
        self.usesThreads = usesThreads
        self.threadsPerLane = threadsPerLane
    }

    deinit {
        machinePointer.deinitialize(count: 1)
        machinePointer.deallocate()
        shellPointer.deinitialize(count: 1)
        shellPointer.deallocate()
    }

    /// The machine.
    package var machine: SchedulerMachine {
        @inline(__always) unsafeAddress { UnsafePointer(machinePointer) }
        @inline(__always) unsafeMutableAddress { machinePointer }
    }

    var shell: Shell {
        @inline(__always) unsafeAddress { UnsafePointer(shellPointer) }
        @inline(__always) unsafeMutableAddress { shellPointer }
    }

    /// By slot: what the body of the last attempt threw.
    package var failures: [UInt32: any Error] {
        get { shell.failures }
        _modify { yield &shell.failures }
    }

    // MARK: Bodies

    @inline(__always)
    package func body(_ id: OperationID) -> (any OperationBody)? {
        id.slot < bodies.count ? bodies.pointer(id.slot).pointee : nil
    }

    @inline(__always)
    package func setBody(_ body: consuming (any OperationBody)?, for id: OperationID) {
        if id.slot < bodies.count {
            bodies.pointer(id.slot).pointee = body
        } else {
            while id.slot > bodies.count { bodies.append(nil) }
            bodies.append(body)
        }
    }

    /// How many bodies are held. For tests.
    var bodyCount: Int { (0..<bodies.count).count { bodies.pointer($0).pointee != nil } }

    /// Takes the body out.
    @inline(__always)
    package func takeBody(_ slot: UInt32) -> (any OperationBody)? {
        slot < bodies.count ? bodies.pointer(slot).pointee.take() : nil
    }

    /// A body ended; the error of a failure is kept for whoever asks.
    @inline(__always)
    package func bodyEnded(_ id: OperationID, _ failure: (any Error)?, failed: Bool = false) {
        if let failure { shell.failures[id.slot] = failure }
        // A failure may cancel others in its queue, which workers have claimed.
        if failure != nil { takeBackClaims() }
        machine.bodyEnded(id, failed: failed || failure != nil)
    }

    /// Forgets an operation that its handle lets go of before its end.
    func release(_ id: OperationID) {
        if !shell.failures.isEmpty { shell.failures[id.slot] = nil }
        if !shell.names.isEmpty { shell.names[id.slot] = nil }
        machine.operationReleased(id)
    }

    // MARK: The reader's core

    /// The reader adds operation after operation without a rest.
    func readerIsBusy() {
        if shell.readerThread != 0 { machine.coreNeededElsewhere(true) }
    }

    /// The reader does nothing that needs a core.
    func readerRests() { machine.coreNeededElsewhere(false) }

    /// A reader that has added so many operations since the last look needs a core of its own.
    private static let additionsOfBusyReader = 16

    // MARK: Additions without the lock

    /// Takes in what was added without the lock.
    func admit(_ additions: AdditionRing) {
        var count = 0
        additions.takeAll { (addition: consuming PlainAddition) in
            count += 1
            if let body = addition.body.take() { setBody(body, for: addition.id) }
            machine.plainOperationAdded(addition)
        }
        if count >= Self.additionsOfBusyReader { readerIsBusy() }
    }

    /// Takes in new operations that were added without the lock.
    func admit(_ operations: borrowing AdditionList) {
        operations.takeAll { operation, queue in
            let id = operation.known(to: self)
            setBody(operation, for: id)
            machine.newOperationAdded(id, to: queue)
        }
    }

    /// After which additions the writer has to take the lock: no worker polls the additions, none is on its way to look, and none will
    /// look soon.
    ///
    /// For a queue without a width a worker will look when a share of threads is free again; for one with a width, when a worker
    /// with short bodies has run its claim. The service thread watches both.
    var additionNeed: AdditionNeed {
        let lane = Int(ExecutionLane.worker.rawValue)
        if shell.lanes[lane].isSearching || shell.lanes[lane].isWakeInFlight { return [] }
        if !shell.isWatching || !usesThreads { return .all }
        var need: AdditionNeed = []
        if machine.hasShare { need.insert(.shared) }
        if !isServedSoon(.worker) { need.insert(.limited) }
        return need
    }

    // MARK: What follows from an input

    /// Whether an input left nothing behind: nearly always where bodies are short.
    @inline(__always)
    var isSettled: Bool {
        machine.wakeMask == 0 && machine.actions.isEmpty && !machine.hasPendingTimers
            && !machine.queueWasEmptied
            && !(shell.isReaderParked && !machine.events.isEmpty)
            && !machine.claimsAreOvertaken && shell.spentBodies.isEmpty
            && (!usesThreads
                || !machine.hasTimers && shell.timers.isEmpty && shell.lanesWithoutThread == 0
                    && (shell.isWatching || !needsWatching))
    }

    /// Gathers what an input left behind. Called once, at the end of each stay in the lock.
    @inline(__always)
    func settle(_ scheduler: Scheduler) -> Aftermath {
        var aftermath = Aftermath()
        if machine.claimsAreOvertaken { takeBackClaims() }
        if !shell.spentBodies.isEmpty { aftermath.withMore { swap(&$0.spentBodies, &shell.spentBodies) } }
        machine.startPushed()
        if machine.hasPendingTimers { machine.armTimers(scheduler.clock.now) }
        if !machine.actions.isEmpty { gatherActions(into: &aftermath, scheduler) }
        if machine.queueWasEmptied { gatherDrained(into: &aftermath) }
        if shell.isReaderParked, !machine.events.isEmpty {
            scheduler.readerAwakes(self)
            aftermath.withMore { $0.wakesReader = true }
        }
        guard usesThreads else {
            // Nobody sleeps who could be woken: bodies are fetched by whoever steps the simulation.
            machine.wakeMask = 0
            return aftermath
        }
        if machine.wakeMask != 0 { gatherWakes(into: &aftermath, signals: scheduler.signals) }
        if machine.hasTimers || !shell.timers.isEmpty || needsWatching || shell.lanesWithoutThread != 0 {
            gatherService(into: &aftermath, isVirtual: scheduler.clock.isVirtual)
        }
        return aftermath
    }

    /// Handles are told with what they need to know, so that the slot is free from here on.
    private func gatherActions(into aftermath: inout Aftermath, _ scheduler: Scheduler) {
        for index in machine.actions.indices {
            let action = machine.actions[index]
            if case .external(let step, let id, let queue) = action {
                guard let external = note(step, id, queue, scheduler) else { continue }
                aftermath.withMore { more in
                    if more.externals.last !== external { more.externals.append(external) }
                }
                continue
            }
            guard case .complete(let id) = action else {
                aftermath.withMore { $0.actions.append(action) }
                continue
            }
            guard let outcome = machine.outcome(of: id) else { continue }
            let failure = shell.failures.isEmpty ? nil : shell.failures.removeValue(forKey: id.slot)
            if let body = takeBody(id.slot) {
                body.operationDecided(outcome, error: failure)
                let completion = Completion(body: body)
                if aftermath.completion == nil {
                    aftermath.completion = completion
                } else {
                    aftermath.withMore { $0.completions.append(completion) }
                }
            }
            machine.operationReleased(id)
        }
        if machine.actions.count == 1 {
            machine.actions.removeLast()
        } else {
            machine.actions.removeAll(keepingCapacity: true)
        }
    }

    private func gatherDrained(into aftermath: inout Aftermath) {
        machine.queueWasEmptied = false
        if shell.drainWaiters.isEmpty { return }
        for (queue, parkers) in shell.drainWaiters where machine.queues[Int(queue)].count == 0 {
            shell.drainWaiters[queue] = nil
            aftermath.withMore { $0.drained += parkers }
        }
    }

    /// At most one wake per lane is in flight: a woken worker that leaves work behind wakes the next.
    private func gatherWakes(into aftermath: inout Aftermath, signals: borrowing LaneSignals) {
        var mask = machine.wakeMask & ExecutionLane.workerMask
        machine.wakeMask = 0
        while mask != 0 {
            defer {
                // What a lane without a thread left to others.
                mask |= machine.wakeMask & ExecutionLane.workerMask
                machine.wakeMask = 0
            }
            let index = mask.trailingZeroBitCount
            mask &= mask - 1
            guard let lane = ExecutionLane(rawValue: UInt8(index)), !shell.lanes[index].isWakeInFlight,
                machine.mayHaveWork(lane), machine.mayUseShare(lane) || !isServedSoon(lane)
            else { continue }
            if shell.lanes[index].isSearching {
                signals.raise(lane)
            } else if let worker = shell.lanes[index].idle.popLast() {
                shell.lanes[index].isWakeInFlight = true
                if aftermath.unpark == nil {
                    aftermath.unpark = worker
                } else {
                    aftermath.withMore { $0.unpark.append(worker) }
                }
            } else if shell.lanes[index].threadCount < threadsPerLane {
                shell.lanes[index].threadCount += 1
                shell.lanes[index].isWakeInFlight = true
                aftermath.withMore { $0.spawn.append(lane) }
            } else {
                machine.laneLacksThread(lane)
            }
        }
    }

    private func gatherService(into aftermath: inout Aftermath, isVirtual: Bool) {
        if !shell.isServiceRunning {
            if needsService(before: .max, isVirtual: isVirtual),
                shell.serviceRefusedUntil == 0 || SchedulerClock.systemNow >= shell.serviceRefusedUntil
            {
                shell.isServiceRunning = true
                aftermath.withMore { $0.startsService = true }
            }
        } else if let sleepsUntil = shell.serviceSleepsUntil,
            needsService(before: sleepsUntil, isVirtual: isVirtual)
        {
            shell.serviceSleepsUntil = nil
            aftermath.withMore { $0.wakesService = true }
        }
    }

    /// Whether the service thread has something to do before a moment. Virtual time is advanced by whoever owns it.
    private func needsService(before moment: Int64, isVirtual: Bool) -> Bool {
        if !isVirtual {
            if let deadline = machine.nextDeadline, deadline < moment { return true }
            if let deadline = shell.timers.nextDeadline, deadline < moment { return true }
        }
        return !shell.isWatching && (needsWatching || shell.lanesWithoutThread != 0)
    }

    /// Whether the service thread has to look at the workers every few milliseconds: a body that blocks gives its share of threads to
    /// another one, and the rest of its claim goes back.
    @inline(__always)
    private var needsWatching: Bool { machine.hasWorkBeyondShare || hasShortClaims }
}
