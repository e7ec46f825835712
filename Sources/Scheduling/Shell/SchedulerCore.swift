internal import Synchronization

/// The state that the scheduler's one lock guards: the machine behind its door, the bodies of operations, and
/// the shell's own data.
///
/// This file is the door. The machine is private to it: every input is a function under *Inputs*, every query is under
/// *Looks*, and every output is in ``effects``, which only this file changes. If the door only forwards to a member of
/// the machine, that member's comment describes it.
///
/// Not thread-safe by itself: every use is inside `Scheduler.feed`, which also makes uses exclusive. Its parts are
/// reached through pointers, so that Swift does not check exclusive access again each time.
@usableFromInline
package final class SchedulerCore {
    private let machinePointer: UnsafeMutablePointer<SchedulerMachine>
    private let shellPointer: UnsafeMutablePointer<Shell>
    /// For each slot: the body of the operation. ``bodyPlace(_:)`` says who uses it when.
    let bodies = ChunkedStorage<(any OperationBody)?>()
    /// For each slot: the body of an operation without a handle, until a worker takes it.
    let blocks = ChunkedStorage<Block?>()
    /// Whether bodies run on threads at all, or are stepped by a simulation.
    let usesThreads: Bool
    /// How many threads a lane has at most.
    let threadsPerLane: Int
    /// How many operations a claim may have; nil to derive the number from the measured time of the bodies. Set once
    /// before use.
    var claimSize: Int?
    /// Whether all queues are suspended, even if their owners resume them.
    package var holdsQueues = false

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

    private var machine: SchedulerMachine {
        @inline(__always) unsafeAddress { UnsafePointer(machinePointer) }
        @inline(__always) unsafeMutableAddress { machinePointer }
    }

    var shell: Shell {
        @inline(__always) unsafeAddress { UnsafePointer(shellPointer) }
        @inline(__always) unsafeMutableAddress { shellPointer }
    }

    /// The consequences of the inputs that the shell has not taken yet. The functions under *Outputs*
    /// take them.
    var effects: SchedulerEffects {
        @inline(__always) _read { yield machine.effects }
    }

    /// The machine's notes about its events for a record of the run; nil if there is none.
    var log: FactLog? {
        @inline(__always) get { machine.log }
    }

    /// From now on, events have facts.
    func beginLog() { machine.beginLog() }

    /// Lends the machine to a check. Nothing that runs in production calls this.
    func inspect<R>(_ check: (inout SchedulerMachine) -> R) -> R { check(&machine) }

    // MARK: Inputs: queues

    package func queueCreated(
        width: Int = -1,
        qualityOfService: OperationQualityOfService = .default,
        isMain: Bool = false
    ) -> QueueID {
        held(machine.queueCreated(width: width, qualityOfService: qualityOfService, isMain: isMain))
    }

    /// The queue, suspended if nothing may start.
    private func held(_ queue: QueueID) -> QueueID {
        if holdsQueues { machine.suspensionChanged(queue, to: true) }
        return queue
    }

    package func dispatchQueueCreated(
        isSerial: Bool,
        qualityOfService: OperationQualityOfService = .default
    ) -> QueueID {
        held(machine.dispatchQueueCreated(isSerial: isSerial, qualityOfService: qualityOfService))
    }

    func externalQueueCreated() -> QueueID { held(machine.externalQueueCreated()) }

    package func queueDropped(_ queue: QueueID) { machine.queueDropped(queue) }

    package func queueReleased(_ queue: QueueID) { machine.queueReleased(queue) }

    package func widthChanged(_ queue: QueueID, to width: Int) { machine.widthChanged(queue, to: width) }

    package func failFastChanged(_ queue: QueueID, to failFast: Bool) {
        machine.failFastChanged(queue, to: failFast)
    }

    package func qualityOfServiceChanged(_ queue: QueueID, to quality: OperationQualityOfService) {
        machine.qualityOfServiceChanged(queue, to: quality)
    }

    package func suspensionChanged(_ queue: QueueID, to isSuspended: Bool) {
        machine.suspensionChanged(queue, to: isSuspended || holdsQueues)
    }

    package func targetChanged(_ queue: QueueID, to target: QueueID?) {
        machine.targetChanged(queue, to: target)
    }

    package func resourceTotalChanged(_ name: String, to total: Int, term: Int64 = 0) {
        machine.resourceTotalChanged(name, to: total, term: term)
    }

    package func allCancelled(in queue: QueueID) { machine.allCancelled(in: queue) }

    // MARK: Inputs: operations

    /// An operation with a handle was made: it is in no queue.
    @inline(__always)
    func operationCreated(lane: ExecutionLane) -> OperationID { machine.operationCreated(lane: lane) }

    /// An operation of the reader was made; its body has a place.
    package func reportingOperationCreated() -> OperationID {
        withBodyPlace(machine.reportingOperationCreated())
    }

    /// Forgets an operation whose handle is released before its end.
    func handleReleased(_ id: OperationID) {
        if !shell.failures.isEmpty { shell.failures[id.slot] = nil }
        if !shell.names.isEmpty { shell.names[id.slot] = nil }
        machine.operationReleased(id)
    }

    package func apply(_ spec: OperationSpec, to id: OperationID) { machine.apply(spec, to: id) }

    package func groupCreated(_ id: OperationID, inner: QueueID) { machine.groupCreated(id, inner: inner) }

    package func operationReleased(_ id: OperationID) {
        if !shell.earlierFailures.isEmpty { shell.earlierFailures[id.slot] = nil }
        machine.operationReleased(id)
    }

    package func priorityChanged(_ id: OperationID, to priority: OperationPriority) {
        machine.priorityChanged(id, to: priority)
    }

    package func bodyMoved(_ id: OperationID, to lane: ExecutionLane) { machine.bodyMoved(id, to: lane) }

    package func timeoutChanged(_ id: OperationID, to limit: Int64) { machine.timeoutChanged(id, to: limit) }

    package func retryChanged(_ id: OperationID, to policy: RetryPolicy?) {
        machine.retryChanged(id, to: policy)
    }

    func completionBlockSet(_ id: OperationID) { machine.completionBlockSet(id) }

    package func failureAllowanceChanged(_ id: OperationID, to allowed: Bool) {
        machine.failureAllowanceChanged(id, to: allowed)
    }

    package func dependencyAdded(
        _ id: OperationID,
        on other: OperationID,
        when condition: DependencyCondition,
        keepsStricter: Bool = false,
        isKnownToReader: Bool = false,
        endIsUnseen: Bool = false
    ) throws(SchedulingFailure) {
        try machine.dependencyAdded(
            id,
            on: other,
            when: condition,
            keepsStricter: keepsStricter,
            isKnownToReader: isKnownToReader,
            endIsUnseen: endIsUnseen
        )
    }

    package func dependencyAdded(
        _ id: OperationID,
        onFinished other: OperationID,
        _ outcome: OperationOutcome,
        when condition: DependencyCondition
    ) throws(SchedulingFailure) {
        try machine.dependencyAdded(id, onFinished: other, outcome, when: condition)
    }

    func plainDependencyAdded(_ dependency: borrowing Submission) { machine.plainDependencyAdded(dependency) }

    package func strictDependency(_ id: OperationID, on other: OperationID) {
        machine.strictDependency(id, on: other)
    }

    package func dependencyRemoved(_ id: OperationID, on other: OperationID) {
        machine.dependencyRemoved(id, on: other)
    }

    package func operationAdded(_ addition: AdditionSpec, to queue: QueueID) throws(SchedulingFailure) {
        try machine.operationAdded(addition, to: queue)
    }

    package func operationsAdded(
        _ additions: [AdditionSpec],
        to queue: QueueID
    ) throws(SchedulingFailure) {
        try machine.operationsAdded(additions, to: queue)
    }

    func operationsAdded(_ ids: [OperationID], to queue: QueueID) throws(SchedulingFailure) {
        try machine.operationsAdded(ids, to: queue)
    }

    @inline(__always)
    func plainOperationAdded(_ addition: borrowing Submission) { machine.plainOperationAdded(addition) }

    @inline(__always)
    func newOperationAdded(_ id: OperationID, to queue: QueueID) { machine.newOperationAdded(id, to: queue) }

    @discardableResult
    package func cancelled(_ id: OperationID) -> Bool { machine.cancelled(id) }

    package func cancelledAfterEnd(_ ids: [OperationID]) -> CorrectedEnds { machine.cancelledAfterEnd(ids) }

    package func failureSeen(in queue: QueueID) { machine.failureSeen(in: queue) }

    /// The reader takes events, and decides then which of its operations are skipped. Set once before use.
    package func readerDecidesSkips() { machine.readerDecidesSkips = true }

    var holdsSkips: Bool { !machine.heldSkips.isEmpty }

    func decideSkips() { machine.decideSkips() }

    func eventsTaken(_ events: borrowing PlainBuffer<SchedulerEvent>) { machine.eventsTaken(events) }

    /// Performs an input of the reader, and appends the effects to `shown` that the reader shows at once.
    package func readerInput<R>(seenEvents: UInt64, _ shown: inout [ReaderEffect], _ input: () -> R) -> R {
        let begun = machine.readerInputBegins(seenEvents: seenEvents)
        let result = input()
        machine.readerInputEnded(begun, &shown)
        return result
    }

    package func cancelled(together ids: [OperationID]) -> [Bool] { machine.cancelled(together: ids) }

    package func cancelledFromQueue(_ id: OperationID) { machine.cancelledFromQueue(id) }

    package func startedByHand(_ id: OperationID) throws(SchedulingFailure) { try machine.startedByHand(id) }

    /// A body ended; the error of a failure is kept for later queries.
    @inline(__always)
    package func bodyEnded(_ id: OperationID, _ failure: (any Error)?, failed: Bool = false) {
        if let failure { shell.failures[id.slot] = failure }
        // A failure may cancel other operations of its queue that workers have claimed.
        if failure != nil { takeBackClaims() }
        machine.bodyEnded(id, failed: failed || failure != nil)
        if failure != nil, let attempt = machine.failedAttempt(of: id) { keepFailure(id, of: attempt) }
    }

    package func attemptJudged(_ id: OperationID, again: Bool, hasOtherError: Bool) {
        machine.attemptJudged(id, again: again, hasOtherError: hasOtherError)
    }

    package func endedFromOutside(_ id: OperationID, failed: Bool) throws(SchedulingFailure) {
        try machine.endedFromOutside(id, failed: failed)
    }

    // MARK: Inputs: execution of bodies

    func takeNext(_ lane: ExecutionLane) -> OperationID? { machine.takeNext(lane) }

    package func takeNext(_ lane: ExecutionLane, from queue: QueueID) -> OperationID? {
        machine.takeNext(lane, from: queue)
    }

    func queues(on lane: ExecutionLane) -> [QueueID] { machine.queues(on: lane) }

    /// The reader uses a ticket, unless it holds the best operation back.
    func readerStart(_ queue: QueueID, mayHold: Bool, _ mayStart: (OperationID) -> Bool) -> ReaderStart {
        if machine.readerHolds(queue, mayHold: mayHold, mayStart) { return .later }
        let id = machine.takeReaderOperation(queue)
        // The reader knows of the start, so no event reports it.
        machine.dropLastStart(of: id)
        return id.map { .start($0) } ?? .nothing
    }

    func claim(_ lane: ExecutionLane, atMost limit: Int, into ids: UnsafeMutablePointer<OperationID>) -> Int {
        machine.claim(lane, atMost: limit, into: ids)
    }

    @inline(__always)
    func claimAdvanced(from id: OperationID, to next: OperationID) {
        machine.claimAdvanced(from: id, to: next)
    }

    func unclaimed(_ id: OperationID) { machine.unclaimed(id) }

    func blockMoved(_ id: OperationID, toWorker: Bool) { machine.blockMoved(id, toWorker: toWorker) }

    func externalTicketCame(_ id: OperationID) -> ExecutionLane? { machine.externalTicketCame(id) }

    func startPushed() { machine.startPushed() }

    /// A worker of the lane has to look for work.
    @inline(__always)
    func wake(_ lane: ExecutionLane) { machine.wake(lane) }

    /// Workers of these lanes have to look for work.
    func wake(lanes: UInt16) { machine.effects.lanesToWake |= lanes }

    /// Workers of all lanes have to look for work.
    func wakeAllLanes() { machine.effects.lanesToWake = .max }

    func coreNeededElsewhere(_ isNeeded: Bool) { machine.coreNeededElsewhere(isNeeded) }

    func blockedCountChanged(_ lane: ExecutionLane, to count: Int) {
        machine.blockedCountChanged(lane, to: count)
    }

    func blockedBodyEnded(_ lane: ExecutionLane) { machine.blockedBodyEnded(lane) }

    // MARK: Inputs: time

    func armTimers(_ now: Int64) { machine.armTimers(now) }

    func machineTimeReached(_ now: Int64) { machine.timeReached(now) }

    // MARK: Outputs

    /// Takes the lanes to wake: bit n for lane n.
    @inline(__always)
    func takeLanesToWake() -> UInt16 {
        defer { machine.effects.lanesToWake = 0 }
        return machine.effects.lanesToWake
    }

    /// The shell has taken all actions.
    func actionsWereTaken() { machine.effects.actions.removeAll(keepingCapacity: true) }

    /// The shell has taken all operations that have ended.
    @inline(__always)
    func endedWereTaken() {
        machine.effects.ended.truncate()
        machine.effects.callsHost = false
    }

    /// The shell has checked which queues are empty.
    func emptyQueuesWereSeen() { machine.effects.emptiesQueue = false }

    /// Notes that no claimed operation is ahead of one that has to overtake it.
    @inline(__always)
    func claimsWereTakenBack() { machine.effects.overtakesClaims = false }

    // MARK: Looks

    /// Whether the reader has something to take: events, or skips that are decided when it takes them.
    package var hasEvents: Bool { !effects.events.isEmpty || holdsSkips }

    package func state(of id: OperationID) -> OperationState? { machine.state(of: id) }

    package func outcome(of id: OperationID) -> OperationOutcome? { machine.outcome(of: id) }
    package func verdict(of id: OperationID) -> DependencyVerdict { machine.verdict(id.slot).0 }
    package func isCancelled(_ id: OperationID) -> Bool { machine.isCancelled(id) }
    package func isReady(_ id: OperationID) -> Bool { machine.isReady(id) }
    func isClaimed(_ id: OperationID) -> Bool { machine.isClaimed(id) }

    package func hasTimedOut(_ id: OperationID) -> Bool { machine.hasTimedOut(id) }

    package func dependency(of id: OperationID, on other: OperationID) -> (DependencyCondition, Bool)? {
        machine.dependency(of: id, on: other)
    }

    package func firstUnfinishedDependency(of id: OperationID) -> OperationID? {
        machine.firstUnfinishedDependency(of: id)
    }

    package func dependents(of id: OperationID) -> [OperationID] { machine.dependents(of: id) }

    package func obstacle(of id: OperationID) -> Obstacle { machine.obstacle(of: id) }
    package var delays: [OperationID: Int64] { machine.delays }
    func lane(ofExecuting id: OperationID) -> ExecutionLane? { machine.lane(ofExecuting: id) }

    func callsHostAtEnd(_ id: OperationID) -> Bool { machine.callsHostAtEnd(id) }

    package func isAtRest(_ id: OperationID) -> Bool { machine.isAtRest(id) }

    package func cause(of id: OperationID) -> OperationID { machine.cause(of: id) }

    func holdsShare(_ id: OperationID) -> Bool { machine.holdsShare(id) }

    func width(of queue: QueueID) -> Int { machine.queues[Int(queue.index)].width }

    func isSuspended(_ queue: QueueID) -> Bool { machine.queues[Int(queue.index)].isSuspended }

    package func suspension(of queue: QueueID) -> QueueID? { machine.suspension(of: queue) }

    func operationCount(in queue: QueueID) -> Int { machine.operationCount(in: queue) }

    package var unfinishedCount: Int { machine.unfinishedCount }

    package var closureExecutingCount: Int { machine.closureExecutingCount }

    package var movesElsewhere: Bool { machine.movesElsewhere }

    /// An operation that could start although nothing seems to be left that could run: a defect of the scheduler. It
    /// may start from now on.
    package func takeUpLeftBehind() -> LeftBehind? {
        guard let lost = machine.startableAnywhere() else { return nil }
        machine.leftBehindFound(lost)
        return lost
    }

    var hasTimers: Bool { machine.hasTimers }

    var nextMachineDeadline: Int64? { machine.nextDeadline }

    /// The next moment at which a timer is due.
    package var nextDeadline: Int64? {
        [machine.nextEffect, shell.timers.nextDeadline].compactMap { $0 }.min()
    }

    func hasShare(_ lane: ExecutionLane) -> Bool { machine.hasShare(lane) }

    func sharedWidth(of lane: ExecutionLane) -> Int { machine.sharedWidth(of: lane) }

    var isCoreNeededElsewhere: Bool { machine.isCoreNeededElsewhere }

    var hasWorkBeyondShare: Bool { machine.hasWorkBeyondShare }

    func mayHaveWork(_ lane: ExecutionLane) -> Bool { machine.mayHaveWork(lane) }

    func mayUseShare(_ lane: ExecutionLane) -> Bool { machine.mayUseShare(lane) }

    @inline(__always)
    func has(_ defect: PlantedDefect) -> Bool { machine.has(defect) }

    #if DEBUG
    /// Whether a test has planted a defect.
    var hasPlantedDefect: Bool { machine.plantedDefect != nil }
    #endif
}
