extension SchedulerMachine {
    /// A worker of a lane asks for something to run.
    ///
    /// The highest class goes first, but one start in sixteen is taken from the lowest class; queues of one class take
    /// turns; inside a queue, priority decides, then the order of addition.
    mutating func takeNext(_ lane: ExecutionLane) -> OperationID? {
        if lane != .group, closureExecutingCount >= jobLimit { return nil }
        // Each failed attempt takes a queue out of its ring, so this loop ends.
        while let ring = nextRing(lane) {
            if let id = take(at: ring, lane) {
                lanes[lane].startCount &+= 1
                return id
            }
        }
        return nil
    }

    /// A ring of a lane: that of a class, of the queues with or without a width.
    private struct Ring {
        var isShared: Bool
        var number: Int
    }

    /// The ring that the lane tries next; nil if it has nothing that may start.
    @inline(__always)
    private func nextRing(_ lane: ExecutionLane) -> Ring? {
        let limited = lanes[lane].limited.classes
        let shared = hasShare(lane) ? lanes[lane].shared.classes : 0
        let all = limited | shared
        guard all != 0 else { return nil }
        let count = lanes[lane].startCount
        let number = count & 15 == 15 ? all.trailingZeroBitCount : 7 - all.leadingZeroBitCount
        let isLimited = limited & 1 << UInt8(number) != 0
        let isShared = shared & 1 << UInt8(number) != 0
        return Ring(isShared: isLimited && isShared ? count & 1 == 0 : isShared, number: number)
    }

    // MARK: The share of the cores

    /// How many bodies of queues without a width a lane runs at once while none blocks.
    @inline(__always)
    func sharedWidth(of lane: ExecutionLane) -> Int { lane == .worker ? freeWidth : sharedWidth }

    /// Whether one more body of a queue without a width may run on a lane.
    @inline(__always)
    func hasShare(_ lane: ExecutionLane) -> Bool {
        !lane.isWorker || lanes[lane].sharedCount - lanes[lane].blockedCount < sharedWidth(of: lane)
    }

    /// Whether the operation is counted in its lane's share of the cores.
    @inline(__always)
    func holdsShare(_ id: OperationID) -> Bool {
        store.live(id)?.pointee.flags.contains(.holdsShare) ?? false
    }

    /// Whether something waits only because its lane's share of the cores is used up.
    @inline(__always)
    var hasWorkBeyondShare: Bool { sharedLanes != 0 && waitsForShare() }

    @inline(never)
    private func waitsForShare() -> Bool {
        var rest = sharedLanes
        while let lane = ExecutionLane.first(in: rest) {
            if !hasShare(lane) { return true }
            rest &= ~lane.bit
        }
        return false
    }

    /// The number of a lane's bodies that hold a share and were seen to block changed: others may run in their place.
    mutating func blockedCountChanged(_ lane: ExecutionLane, to count: Int) {
        lanes[lane].blockedCount = count
        if count > 0, !has(.blockedShareKept) { wake(lane) }
    }

    /// A body that was seen to block has ended.
    mutating func blockedBodyEnded(_ lane: ExecutionLane) { lanes[lane].blockedCount -= 1 }

    // MARK: Waking

    /// A worker of a lane has to look for work.
    @inline(__always)
    mutating func wake(_ lane: ExecutionLane) { effects.lanesToWake |= lane.bit }

    /// Whether a worker of the lane would try any queue if it asked now.
    @inline(__always)
    func mayHaveWork(_ lane: ExecutionLane) -> Bool {
        if lane != .group, closureExecutingCount >= jobLimit { return false }
        return !lanes[lane].limited.isEmpty || mayUseShare(lane)
    }

    /// Whether a share of the cores is free and the lane has something for it.
    @inline(__always)
    func mayUseShare(_ lane: ExecutionLane) -> Bool { !lanes[lane].shared.isEmpty && hasShare(lane) }

    // MARK: The reader

    /// The reader uses a ticket that it was given.
    mutating func takeReaderOperation(_ queue: QueueID) -> OperationID? {
        let index = Int(queue.index)
        // The queue may have been released since, and its place used for another.
        if queues[index].readerTickets > 0 { queues[index].readerTickets -= 1 }
        return take(from: index, .reader)
    }

    /// Takes the start of an operation out of the event log, if that is the last event.
    func dropLastStart(of id: OperationID?) {
        let last = effects.events.count - 1
        guard last >= 0, let id, effects.events[last].isAbout(id), effects.events[last].kind == .started
        else {
            return
        }
        effects.events.truncate(to: last)
        if isLogging { log?.dropLast() }
    }

    /// Whether an operation of a lane is ready in a queue.
    private func hasReady(_ queue: Int, _ lane: ExecutionLane) -> Bool {
        if let list = queues[queue].onlyList {
            return queues[queue].onlyLane == lane && list.pointee.liveCount > 0
        }
        for index in queues[queue].groups.indices
        where queues[queue].groups[index].lane == lane && queues[queue].groups[index].list.liveCount > 0 {
            return true
        }
        return false
    }

    private mutating func take(at ring: Ring, _ lane: ExecutionLane) -> OperationID? {
        guard let queue = rings(lane, ring.isShared).first(class: ring.number) else { return nil }
        let index = Int(queue)
        let id = take(from: index, lane)
        if id != nil, hasReady(index, lane) {
            changeRings(lane, ring.isShared) { $0.rotate(class: ring.number) }
        } else {
            leaveRing(index, lane) { $0.removeFirst(class: ring.number) }
        }
        return id
    }

    /// Starts an operation of one queue, on behalf of a simulation that chooses the queue itself.
    mutating func takeNext(_ lane: ExecutionLane, from queue: QueueID) -> OperationID? {
        let index = Int(queue.index)
        if closureExecutingCount >= jobLimit || queues[index].width < 0 && !hasShare(lane) { return nil }
        guard let id = take(from: index, lane) else { return nil }
        if !hasReady(index, lane) { leaveRoundRobin(index, lane) }
        return id
    }

    /// The queues that may have something to start on a lane.
    func queues(on lane: ExecutionLane) -> [QueueID] {
        (0..<5).flatMap { number in
            lanes[lane].limited.queues(class: number) + lanes[lane].shared.queues(class: number)
        }
        .map { QueueID(index: $0) }
    }

    /// Whether a queue could start something on a lane now.
    mutating func couldStart(_ queue: Int, _ lane: ExecutionLane) -> Bool {
        choose(from: queue, lane) != nil
    }

    /// The operation that a queue could start on a lane now, if there is a thread for it.
    mutating func startable(_ queue: Int, _ lane: ExecutionLane) -> OperationID? {
        choose(from: queue, lane).map { store.id($0.entry.slot) }
    }

    /// The next start of a queue.
    private struct Choice {
        var list: UnsafeMutablePointer<ReadyList>
        /// Index of the set of resources that it takes; 0 for none.
        var resources: Int
        var entry: ReadyList.Entry
        var level: Int
    }

    /// The next start of a queue on a lane.
    @inline(__always)
    private mutating func choose(from queue: Int, _ lane: ExecutionLane) -> Choice? {
        let isSuspended =
            queues[queue].isSuspended && !(has(.startsWhileSuspended) && queues[queue].executingCount > 0)
        guard !isSuspended, queues[queue].freeSlots > 0 else { return nil }
        guard let choice = best(in: queue, lane) else { return nil }
        return queues[queue].family == nil || mayFlow(queue, choice.entry) ? choice : nil
    }

    /// Starts the next operation of a queue on a lane, if it may start now.
    private mutating func take(from queue: Int, _ lane: ExecutionLane) -> OperationID? {
        guard let choice = choose(from: queue, lane) else { return nil }
        choice.list.pointee.removeFirst(level: choice.level)
        let record = store.pointer(choice.entry.slot)
        let set = choice.resources
        if set != 0 {
            takeResources(set)
            record.pointee.flags.insert(.holdsResources)
        }
        if queues[queue].kind == .external {
            offer(choice.entry.slot)
        } else {
            start(choice.entry.slot, in: queue)
        }
        // Operations that could not pass this one may start now.
        if queues[queue].width >= 0, queues[queue].onlyList == nil { queueChanged(UInt32(queue)) }
        if set != 0 { resourcesChanged(set) }
        if !queues[queue].resourceSets.isEmpty, queues[queue].freeSlots == 0 { claimsChanged(in: queue) }
        if queues[queue].family != nil { turnsChanged() }
        return OperationID(slot: choice.entry.slot, generation: record.pointee.generation)
    }

    /// The first operation of a lane whose resources are available, and which leaves enough slots to those before it.
    @inline(__always)
    private mutating func best(in queue: Int, _ lane: ExecutionLane) -> Choice? {
        // The usual case: no other lane, and no resources.
        if let list = queues[queue].onlyList {
            guard queues[queue].onlyLane == lane,
                let (entry, level) = list.pointee.first(isLive: { isLive($0) })
            else { return nil }
            return Choice(list: list, resources: 0, entry: entry, level: level)
        }
        return bestOfSeveral(in: queue, lane)
    }

    private mutating func bestOfSeveral(in queue: Int, _ lane: ExecutionLane) -> Choice? {
        var best: (group: Int, entry: ReadyList.Entry, level: Int)?
        for index in queues[queue].groups.indices where queues[queue].groups[index].lane == lane {
            guard let (entry, level) = first(queue, index) else { continue }
            if let best, (best.level, best.entry.sequence) < (level, entry.sequence) { continue }
            guard canTakeResources(queue, index, level, entry.sequence) else { continue }
            best = (index, entry, level)
        }
        guard let (group, entry, level) = best, mayPass(queue, group, level, entry.sequence) else {
            return nil
        }
        let chosen = queues[queue].groups[group]
        return Choice(list: chosen.listPointer, resources: chosen.resources, entry: entry, level: level)
    }

    mutating func first(_ queue: Int, _ group: Int) -> (entry: ReadyList.Entry, level: Int)? {
        queues[queue].groups[group].list.first { isLive($0) }
    }

    /// Whether an entry of a ready list stands for an operation that is still ready there.
    @inline(__always)
    func isLive(_ entry: ReadyList.Entry) -> Bool {
        let record = store.pointer(entry.slot)
        return record.pointee.readyToken == entry.token && record.pointee.phase == .ready
    }

    /// Whether the first operation of a group could take what it needs now.
    private mutating func canTakeResources(_ queue: Int, _ group: Int, _ level: Int, _ sequence: UInt64)
        -> Bool
    {
        let set = queues[queue].groups[group].resources
        return set == 0
            || resources.has(set) && another(before: (level, sequence), needing: set, queue, group) == nil
    }

    /// An operation that goes before the first operation of a group and waits for a resource, of which the
    /// first one would leave too little. Returns its slot and the resource.
    mutating func another(
        before place: (level: Int, sequence: UInt64),
        needing set: Int,
        _ queue: Int,
        _ group: Int
    ) -> (resource: Int, slot: UInt32)? {
        for need in resources.sets[set] {
            for other in resources.queuesByResource[need.resource] {
                let other = Int(other)
                guard !queues[other].isSuspended, queues[other].freeSlots > 0 else { continue }
                for index in queues[other].groups.indices where other != queue || index != group {
                    let otherSet = queues[other].groups[index].resources
                    guard
                        let otherNeed = resources.sets[otherSet].first(where: {
                            $0.resource == need.resource
                        }),
                        resources.available[need.resource] - need.amount < otherNeed.amount,
                        otherNeed.amount <= resources.totals[need.resource],
                        let (entry, otherLevel) = first(other, index)
                    else { continue }
                    guard (otherLevel, entry.sequence) < place else { continue }
                    // While it waits for its turn below a target, it keeps nothing: what has the turn may need it.
                    if queues[other].family == nil || has(.turnKeepsResource) || mayFlow(other, entry) {
                        return (need.resource, entry.slot)
                    }
                }
            }
        }
        return nil
    }

    /// Whether the free slots of a queue suffice for this operation: slots are kept for the operations before it on
    /// other lanes, which wait for the reader or for a worker.
    private mutating func mayPass(_ queue: Int, _ group: Int, _ level: Int, _ sequence: UInt64) -> Bool {
        guard queues[queue].width >= 0, queues[queue].kind != .hidden else { return true }
        let lane = queues[queue].groups[group].lane
        var before = 0
        for index in queues[queue].groups.indices where queues[queue].groups[index].lane != lane {
            guard let (entry, entryLevel) = first(queue, index),
                (entryLevel, entry.sequence) < (level, sequence),
                canTakeResources(queue, index, entryLevel, entry.sequence)
            else { continue }
            for higher in 0..<level { before += queues[queue].groups[index].list.liveCount(level: higher) }
            // If the first operation of a level came earlier, all operations of that level count. Counting
            // them one by one would cost a walk, and each start in the queue rechecks this.
            if let rival = queues[queue].groups[index].list.first(level: level, isLive: { isLive($0) }),
                rival.sequence < sequence
            {
                before += queues[queue].groups[index].list.liveCount(level: level)
            }
        }
        return queues[queue].freeSlots > before
    }

    @inline(__always)
    mutating func start(_ slot: UInt32, in queue: Int) {
        let record = store.pointer(slot)
        record.pointee.flags.remove(.retrying)
        charge(record, queue: queue)
        execute(record, slot)
    }

    /// The next attempt of an operation begins; the operation holds what it needs.
    @inline(__always)
    mutating func execute(_ record: UnsafeMutablePointer<OperationRecord>, _ slot: UInt32) {
        record.pointee.phase = .executing
        record.pointee.attempt &+= 1
        if record.pointee.extras != .max { startTimeout(slot) }
        if isLogging { explainStart(record, slot) }
        report(.started, slot)
    }

    /// The time of an attempt begins to count, if it has a limit.
    @inline(never)
    mutating func startTimeout(_ slot: UInt32) {
        let timeout = extras[Int(store.pointer(slot).pointee.extras)].timeout
        if timeout > 0 {
            effects.timersToArm.append(TimerToArm(payload: .timeout(store.id(slot)), delay: timeout))
        }
    }

    /// Starts the operations that need no worker: tasks and groups.
    ///
    /// To be called after each input.
    mutating func startPushed() {
        while effects.lanesToWake & Self.pushedMask != 0 {
            effects.lanesToWake &= ~Self.pushedMask
            while let id = takeNext(.task) { effects.actions.append(.startTask(id)) }
            while let id = takeNext(.group) { groupStarted(id) }
            drainEndings()
        }
    }

    private static let pushedMask: UInt16 =
        1 << UInt16(ExecutionLane.task.rawValue) | 1 << UInt16(ExecutionLane.group.rawValue)

    /// A group executes from now on. In a queue that another executor runs, it is only offered until its turn.
    mutating func groupStarted(_ id: OperationID) {
        guard let record = store.live(id), record.pointee.phase == .executing,
            let inner = extras(of: record)?.innerQueue
        else { return }
        setSuspended(QueueID(index: inner), to: false)
        finishGroupIfDone(inner)
        drainEndings()
    }
}
