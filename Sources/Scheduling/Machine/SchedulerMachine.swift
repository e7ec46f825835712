/// The whole state of scheduling: operations, dependencies, queues, slots, resources, timers.
///
/// It is pure: it locks nothing, calls nobody and reads no clock. Its inputs are facts; each leaves events (what
/// happened, for whoever keeps score) and actions (what is to be done) behind, which the shell takes out under its
/// lock and acts on after leaving it. Each start, finish, cancel and add costs O(1) amortised, timers O(log *n*).
package struct SchedulerMachine: ~Copyable {
    /// A timer of the machine.
    enum TimerPayload {
        case timeout(OperationID)
        case delay(OperationID)
        case retry(OperationID)
    }

    /// A timer that is to be armed as soon as somebody says what time it is.
    struct PendingTimer {
        var payload: TimerPayload
        var delay: Int64
    }

    /// An operation that has its outcome and still has to be taken out of everything.
    struct Ending {
        var id: OperationID
        var outcome: OperationOutcome
        var cause: OperationID
    }

    var store = OperationStore()
    var edges = EdgeStore()
    var queues = QueueStore()
    /// The memory of all ready lists.
    let entryPool = EntryPool()
    var freeQueues: [UInt32] = []
    var extras: [OperationExtras] = []
    var freeExtras: [UInt32] = []
    var resources = ResourceTable()
    var timers = TimerHeap<TimerPayload>()
    var pendingTimers: [PendingTimer] = []
    var endings: [Ending] = []
    var isDrainingEndings = false
    var nextSequence: UInt64 = 1
    var nextMark: UInt32 = 1
    /// How many operations searches for cycles have visited in all.
    var walkedCount = 0
    /// How many ready lists were looked at for those that run under a serial queue.
    var lineLookCount = 0
    /// Released operations that lost a dependent: nobody may refer to them any more.
    var possiblyForgotten: [OperationID] = []
    /// Inner queues whose operations are still to be cancelled.
    var cancellations: [UInt32] = []
    /// Queues that may have something to start.
    var turns = TurnTable()
    /// Bit n: something of lane n became startable since the shell last asked.
    var wakeMask: UInt16 = 0
    /// How many operations each lane started.
    var startCounts = LaneCounts()
    /// Bit n: no thread can come from lane n for now, so that it gets no turn unless it asks.
    var lanesWithoutThread: UInt16 = 0
    /// How many closures of queues without a width started.
    var sharedStartCount: UInt64 = 0

    /// Operations that wait for their turn in queues that somebody else runs.
    var offeredCount = 0

    /// A queue became empty since the shell last asked.
    var queueWasEmptied = false

    /// An operation became ready that goes before claimed ones of its queue: these have to return to the ready list.
    var claimsAreOvertaken = false

    /// How many bodies from queues without a width may run at once.
    package let sharedWidth: Int
    /// The same as long as another thread needs a core: one less, and always one.
    private(set) var freeWidth: Int
    /// How many closures may run at once, everywhere; `.max` for no limit.
    package var jobLimit = Int.max
    /// Bodies that hold a share and were seen to block.
    package var blockedCount = 0
    package internal(set) var sharedExecutingCount = 0
    /// Closures that execute on workers or as tasks.
    package internal(set) var closureExecutingCount = 0
    /// Operations in queues that have not finished.
    package internal(set) var unfinishedCount = 0

    #if DEBUG
    /// What tests have planted.
    var plantedDefect: PlantedDefect?
    #endif

    package let events = PlainBuffer<SchedulerEvent>()
    package var actions: [SchedulerAction] = []

    /// Chance between 0 and 1, for the jitter of delays; a fixed sequence for a fixed seed.
    var chance: RandomSequence

    /// The queue that takes closures started by hand.
    package static let hiddenQueue = QueueID(index: 0)

    package init(sharedWidth: Int, seed: UInt64) {
        self.sharedWidth = max(1, sharedWidth)
        freeWidth = self.sharedWidth
        chance = RandomSequence(seed: seed)
        var hidden = QueueRecord()
        hidden.kind = .hidden
        hidden.width = .max
        queues.append(hidden)
    }

    /// A thread that is none of the workers needs a core from now on, or no more.
    package mutating func coreNeededElsewhere(_ isNeeded: Bool) {
        let width = isNeeded ? max(1, sharedWidth - 1) : sharedWidth
        let isFreed = width > freeWidth
        freeWidth = width
        guard isFreed else { return }
        wakeSharers()
        // For queues with a width, too: fewer workers than cores may be looking now.
        wakeMask |= ExecutionLane.workerMask
    }

    /// Whether workers leave a core to such a thread.
    var isCoreNeededElsewhere: Bool { freeWidth < sharedWidth }

    // MARK: Looking

    /// Whether any timer is armed.
    var hasTimers: Bool { !timers.isEmpty }

    package func state(of id: OperationID) -> OperationState? {
        guard let record = store.live(id) else { return nil }
        return switch record.pointee.phase {
        case .free: nil
        case .created, .waiting: .pending
        case .ready, .claimed, .offered: .ready
        case .executing: .executing
        case .ending: .pending
        case .finished: .finished
        }
    }

    /// Where an operation executes; nil if it does not.
    func lane(ofExecuting id: OperationID) -> ExecutionLane? {
        guard let record = store.live(id), record.pointee.phase == .executing else { return nil }
        return record.pointee.lane
    }

    package func outcome(of id: OperationID) -> OperationOutcome? {
        guard let record = store.live(id), record.pointee.phase == .finished else { return nil }
        return record.pointee.outcome
    }

    package func isCancelled(_ id: OperationID) -> Bool {
        guard let record = store.live(id) else { return false }
        return !record.pointee.flags.isDisjoint(with: [.cancelled, .timedOut])
    }

    package func attempt(of id: OperationID) -> Int {
        store.live(id).map { Int($0.pointee.attempt) } ?? 0
    }

    package func isReady(_ id: OperationID) -> Bool {
        store.live(id).map { $0.pointee.unfinishedDependencies == 0 } ?? true
    }

    package func queue(of id: OperationID) -> QueueID? {
        guard let record = store.live(id), record.pointee.queue != .max else { return nil }
        let queue = QueueID(index: record.pointee.queue)
        return queue == Self.hiddenQueue ? nil : queue
    }

    /// The unfinished operations of a queue, in the order of addition.
    package func operations(in queue: QueueID) -> [OperationID] {
        var result: [OperationID] = []
        result.reserveCapacity(queues[Int(queue.index)].count)
        var slot = queues[Int(queue.index)].firstOperation
        while slot != .max {
            result.append(store.id(slot))
            slot = store.pointer(slot).pointee.nextInQueue
        }
        return result
    }

    package func operationCount(in queue: QueueID) -> Int { queues[Int(queue.index)].count }

    package func progress(of queue: QueueID) -> (finished: Int, added: Int) {
        (queues[Int(queue.index)].finishedCount, queues[Int(queue.index)].addedCount)
    }

    // MARK: Accounting

    @inline(__always)
    mutating func charge(_ record: UnsafeMutablePointer<OperationRecord>, queue: Int) {
        queues[queue].executingCount += 1
        if queues[queue].family != nil { flowChanged(queue, by: 1) }
        record.pointee.flags.insert(.holdsSlot)
        let lane = record.pointee.lane
        if lane.isWorker || lane == .task {
            closureExecutingCount += 1
            record.pointee.flags.insert(.holdsJob)
            if lane.isWorker, queues[queue].width < 0 {
                sharedExecutingCount += 1
                record.pointee.flags.insert(.holdsShare)
            }
        }
    }

    /// A closure runs that holds no share of threads.
    mutating func chargeJob(_ record: UnsafeMutablePointer<OperationRecord>) {
        closureExecutingCount += 1
        record.pointee.flags.insert(.holdsJob)
    }

    /// Gives back what an executing operation holds.
    ///
    /// True if it held anything.
    mutating func discharge(_ record: UnsafeMutablePointer<OperationRecord>) {
        let flags = record.pointee.flags
        let queue = Int(record.pointee.queue)
        if flags.contains(.holdsSlot) {
            queues[queue].executingCount -= 1
        }
        if flags.contains(.holdsJob) {
            let wasFull = closureExecutingCount >= jobLimit
            closureExecutingCount -= 1
            if wasFull, !has(.freedJobWakesNobody) { wakeMask = .max }
        }
        if flags.contains(.holdsShare) {
            sharedExecutingCount -= 1
            wakeSharers()
        }
        record.pointee.flags.subtract([.holdsSlot, .holdsJob, .holdsShare])
        if flags.contains(.holdsResources) {
            record.pointee.flags.remove(.holdsResources)
            let set = extras[Int(record.pointee.extras)].resources
            resources.giveBack(set)
            resourcesChanged(set)
        }
        let isAsleep =
            has(.lostWakeUp) && queues[queue].executingCount > 0
            || has(.cancelledSlotWakesNobody) && flags.contains(.cancelled)
        if flags.contains(.holdsSlot), queues[queue].width >= 0, !isAsleep {
            queueChanged(UInt32(queue))
            // With a slot again, what waits there for resources counts against others.
            if queues[queue].freeSlots == 1 { claimsChanged(in: queue) }
        }
        if queues[queue].family != nil, flags.contains(.holdsSlot) {
            flowChanged(queue, by: -1)
            flowEnded(queue, wasBarrier: flags.contains(.barrier))
        }
    }

    @inline(__always)
    func report(
        _ kind: SchedulerEvent.Kind,
        _ slot: UInt32,
        outcome: OperationOutcome = .succeeded,
        wasExecuting: Bool = false,
        other: OperationID = .none
    ) {
        let record = store.pointer(slot)
        guard record.pointee.flags.contains(.reports) else { return }
        reportAlways(kind, slot, record, outcome, wasExecuting, other)
    }

    @inline(never)
    private func reportAlways(
        _ kind: SchedulerEvent.Kind,
        _ slot: UInt32,
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ outcome: OperationOutcome,
        _ wasExecuting: Bool,
        _ other: OperationID
    ) {
        events.append(
            SchedulerEvent(
                id: OperationID(slot: slot, generation: record.pointee.generation),
                other: other,
                kind: kind,
                outcome: outcome,
                wasExecuting: wasExecuting
            )
        )
    }

    mutating func withExtras<R>(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ body: (inout OperationExtras) -> R
    ) -> R {
        if record.pointee.extras == .max {
            if let index = freeExtras.popLast() {
                extras[Int(index)] = OperationExtras()
                record.pointee.extras = index
            } else {
                extras.append(OperationExtras())
                record.pointee.extras = UInt32(extras.count - 1)
            }
        }
        return body(&extras[Int(record.pointee.extras)])
    }

    func extras(of record: UnsafeMutablePointer<OperationRecord>) -> OperationExtras? {
        record.pointee.extras == .max ? nil : extras[Int(record.pointee.extras)]
    }
}

/// A small generator whose sequence is fixed by its seed (SplitMix64).
package struct RandomSequence: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    package mutating func nextUnit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
