internal import Synchronization

/// The whole state of scheduling: operations, dependencies, queues, slots, resources, timers.
///
/// The machine is pure: it takes no lock, calls no foreign code and reads no clock. Its inputs are facts;
/// ``SchedulerEffects`` has their consequences. Each start, finish, cancel and add costs O(1) amortised,
/// timers O(log *n*).
///
/// Only ``SchedulerCore`` has a machine, and its file lists all inputs. No other code reads or changes a
/// member.
struct SchedulerMachine: ~Copyable {
    /// A timer of the machine.
    enum TimerPayload {
        case timeout(OperationID)
        case delay(OperationID)
        case retry(OperationID)
        /// A start no longer counts against the rate that is the resource with this index.
        case term(UInt32)
    }

    /// A timer that is to be armed as soon as the machine learns the time.
    struct TimerToArm {
        var payload: TimerPayload
        var delay: Int64
    }

    /// An operation that has its outcome and still has to be taken out of all lists.
    struct Ending {
        var id: OperationID
        var outcome: OperationOutcome
        var cause: OperationID
    }

    // An atomic value can only be used in its place, so Swift passes the machine's address to a function that
    // only reads it; otherwise it would copy the whole machine, several times for each operation (decision
    // 0020).
    private let staysInPlace = Atomic<Bool>(true)
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
    /// The terms of starts that count against rates.
    var terms = TimerHeap<TimerPayload>()
    var endings: [Ending] = []
    var isDrainingEndings = false
    var nextSequence: UInt64 = 1
    var nextMark: UInt32 = 1
    /// The groups whose start the present walk has visited.
    var walkedStarts: Set<UInt32> = []
    /// How many operations searches for cycles have visited in all.
    var walkedCount = 0
    /// How many ready lists were examined to order the operations under a serial queue.
    var lineLookCount = 0
    /// Released operations that lost a dependent: possibly nothing refers to them any longer.
    var possiblyForgotten: [OperationID] = []
    /// Inner queues whose operations are still to be cancelled.
    var cancellations: [UInt32] = []
    /// The queues from which each lane may start something.
    let lanes = LaneStore()
    /// Bit n: queues without a width may have something to start on the worker lane n.
    private(set) var sharedLanes: UInt16 = 0
    /// Whether workers differ in niceness. In a simulation, all closures run on one lane.
    let hasLanes: Bool
    /// Whether operations of the reader are skipped when it takes the events, and not before: until then it may change
    /// the dependencies.
    var readerDecidesSkips = false
    /// Operations that will be skipped, unless the reader changes that.
    var heldSkips: [OperationID] = []
    var isDecidingSkips = false
    /// How many events the reader has taken.
    var takenEvents: UInt64 = 0
    /// Whether an input of the reader is being carried out.
    var isReaderInput = false

    /// Operations that wait for their turn in queues that another executor runs.
    var offeredCount = 0

    /// How many bodies of queues without a width a lane runs at once while none blocks.
    let sharedWidth: Int
    /// The same for the lane of niceness 0 as long as another thread needs a core: one less, but at least one.
    private(set) var freeWidth: Int
    /// How many closures may run at once, everywhere; `.max` for no limit.
    var jobLimit = Int.max
    /// Closures that execute on workers or as tasks.
    var closureExecutingCount = 0
    /// Operations in queues that have not finished.
    var unfinishedCount = 0

    #if DEBUG
    /// The defect that a test has planted.
    var plantedDefect: PlantedDefect?
    #endif

    /// The data for the facts of events; nil, as nearly always, if no record is kept.
    var log: FactLog?
    /// Whether there are such data. Without a record, this is the only field that is read.
    var isLogging = false

    /// The consequences of inputs that the shell has not taken yet.
    var effects = SchedulerEffects()

    /// Random numbers between 0 and 1, for the jitter of delays; a fixed sequence for a fixed seed.
    var chance: RandomSequence

    /// The queue that takes closures started by hand.
    static let hiddenQueue = QueueID(index: 0)

    init(sharedWidth: Int, seed: UInt64, hasLanes: Bool = true) {
        self.hasLanes = hasLanes
        self.sharedWidth = max(1, sharedWidth)
        freeWidth = self.sharedWidth
        chance = RandomSequence(seed: seed)
        var hidden = QueueRecord()
        hidden.kind = .hidden
        hidden.width = .max
        queues.append(hidden)
    }

    /// A thread that is not a worker needs a core from now on, or no longer needs one.
    mutating func coreNeededElsewhere(_ isNeeded: Bool) {
        let width = isNeeded ? max(1, sharedWidth - 1) : sharedWidth
        let isFreed = width > freeWidth
        freeWidth = width
        guard isFreed else { return }
        wake(.worker)
    }

    /// Whether the workers leave a core to such a thread.
    var isCoreNeededElsewhere: Bool { freeWidth < sharedWidth }

    // MARK: Looking

    /// Whether any timer is armed.
    var hasTimers: Bool { !timers.isEmpty || !terms.isEmpty }

    func state(of id: OperationID) -> OperationState? {
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

    /// The lane on which an operation executes; nil if it does not execute.
    func lane(ofExecuting id: OperationID) -> ExecutionLane? {
        guard let record = store.live(id), record.pointee.phase == .executing else { return nil }
        return record.pointee.lane
    }

    func outcome(of id: OperationID) -> OperationOutcome? {
        guard let record = store.live(id), record.pointee.phase == .finished else { return nil }
        return record.pointee.outcome
    }

    func isCancelled(_ id: OperationID) -> Bool {
        guard let record = store.live(id) else { return false }
        return !record.pointee.flags.isDisjoint(with: [.cancelled, .timedOut])
    }

    func isReady(_ id: OperationID) -> Bool {
        store.live(id).map { $0.pointee.unfinishedDependencies == 0 } ?? true
    }

    /// The unfinished operations of a queue, in the order of addition.
    func operations(in queue: QueueID) -> [OperationID] {
        var result: [OperationID] = []
        result.reserveCapacity(queues[Int(queue.index)].count)
        var slot = queues[Int(queue.index)].firstOperation
        while slot != .max {
            result.append(store.id(slot))
            slot = store.pointer(slot).pointee.nextInQueue
        }
        return result
    }

    func operationCount(in queue: QueueID) -> Int { queues[Int(queue.index)].count }

    // MARK: Rings

    @inline(__always)
    func rings(_ lane: ExecutionLane, _ isShared: Bool) -> ClassRings {
        isShared ? lanes[lane].shared : lanes[lane].limited
    }

    /// Changes the rings of a lane.
    @inline(__always)
    mutating func changeRings(_ lane: ExecutionLane, _ isShared: Bool, _ change: (inout ClassRings) -> Void) {
        guard isShared else { return change(&lanes[lane].limited) }
        change(&lanes[lane].shared)
        guard lane.isWorker else { return }
        sharedLanes = lanes[lane].shared.isEmpty ? sharedLanes & ~lane.bit : sharedLanes | lane.bit
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
                lanes[lane].sharedCount += 1
                record.pointee.flags.insert(.holdsShare)
            }
        }
    }

    /// A closure that holds no share of threads runs.
    mutating func chargeJob(_ record: UnsafeMutablePointer<OperationRecord>) {
        closureExecutingCount += 1
        record.pointee.flags.insert(.holdsJob)
    }

    /// Gives back the slot, share and resources of an executing operation.
    mutating func discharge(_ record: UnsafeMutablePointer<OperationRecord>) {
        let flags = record.pointee.flags
        let queue = Int(record.pointee.queue)
        if isLogging { noteFreed(record) }
        if flags.contains(.holdsSlot) {
            queues[queue].executingCount -= 1
        }
        dischargeThread(record)
        record.pointee.flags.remove(.holdsSlot)
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
            // The queue has a slot again, so its operations that wait for resources count against others.
            if queues[queue].freeSlots == 1 { claimsChanged(in: queue) }
        }
        if queues[queue].family != nil, flags.contains(.holdsSlot) {
            flowChanged(queue, by: -1)
            flowEnded(queue, wasBarrier: flags.contains(.barrier))
        }
    }

    /// The same for its thread alone.
    @inline(__always)
    mutating func dischargeThread(_ record: UnsafeMutablePointer<OperationRecord>) {
        let flags = record.pointee.flags
        if flags.contains(.holdsJob) {
            let wasFull = closureExecutingCount >= jobLimit
            closureExecutingCount -= 1
            if wasFull, !has(.freedJobWakesNobody) { effects.lanesToWake = .max }
        }
        if flags.contains(.holdsShare) {
            // No worker is woken: the one that held the share looks for work next, or wakes another one of its lane.
            lanes[record.pointee.lane].sharedCount -= 1
        }
        record.pointee.flags.subtract([.holdsJob, .holdsShare])
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
        effects.events.append(
            SchedulerEvent(
                id: OperationID(slot: slot, generation: record.pointee.generation),
                kind: kind,
                outcome: outcome,
                wasExecuting: wasExecuting
            )
        )
        if isLogging { noteEvent(kind, by: other, isOnWorker: record.pointee.lane.isWorker) }
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
