extension SchedulerMachine {
    /// A worker of a lane asks for something to run.
    ///
    /// The higher class goes first, yet one start in sixteen is looked for from below; queues of one class take
    /// turns; inside a queue priority decides, then the order of addition.
    package mutating func takeNext(_ lane: ExecutionLane) -> OperationID? {
        if lane != .group, closureExecutingCount >= jobLimit { return nil }
        pickCount &+= 1
        let fromBelow = pickCount & 15 == 0
        for step in 0..<5 {
            let quality = fromBelow ? step : 4 - step
            let base = (Int(lane.rawValue) * 5 + quality) * 2
            let sharedFirst = Int(pickCount & 1)
            for which in [sharedFirst, 1 - sharedFirst] {
                if which == 1, lane.isWorker, !hasShare { continue }
                if let id = takeFromRing(base + which, lane) { return id }
            }
        }
        return nil
    }

    /// Whether a queue without a width may have one more body running.
    private var hasShare: Bool { sharedExecutingCount - blockedCount < sharedWidth }

    /// Whether a worker of the lane that asks now would look at a queue at all.
    package func mayHaveWork(_ lane: ExecutionLane) -> Bool {
        if lane != .group, closureExecutingCount >= jobLimit { return false }
        for quality in 0..<5 {
            let base = (Int(lane.rawValue) * 5 + quality) * 2
            if !rings[base].isEmpty { return true }
            if !rings[base + 1].isEmpty, hasShare || !lane.isWorker { return true }
        }
        return false
    }

    /// Whether the operation is counted in the share of threads.
    package func holdsShare(_ id: OperationID) -> Bool {
        store.live(id)?.pointee.flags.contains(.holdsShare) ?? false
    }

    /// Whether something waits only because the share of threads is used up.
    package var hasWorkBeyondShare: Bool {
        if hasShare { return false }
        for lane in ExecutionLane.allCases where lane.isWorker {
            for quality in 0..<5 where !rings[(Int(lane.rawValue) * 5 + quality) * 2 + 1].isEmpty {
                return true
            }
        }
        return false
    }

    /// The script thread uses a turn that it was asked for.
    package mutating func takeScriptOperation(_ queue: QueueID) -> OperationID? {
        let index = Int(queue.index)
        queues[index].scriptTurns -= 1
        return take(from: index, .script)
    }

    private mutating func takeFromRing(_ ring: Int, _ lane: ExecutionLane) -> OperationID? {
        let bit: UInt16 = 1 << UInt16(lane.rawValue)
        while let queue = rings[ring].popFirst() {
            let index = Int(queue)
            queues[index].ringMask &= ~bit
            // Its width or class changed since it was put here.
            guard ringIndex(index, lane) == ring else {
                queueChanged(queue)
                continue
            }
            guard let id = take(from: index, lane) else { continue }
            let hasMore = queues[index].groups.contains { $0.lane == lane && $0.list.liveCount > 0 }
            if hasMore, queues[index].ringMask & bit == 0 {
                queues[index].ringMask |= bit
                rings[ring].append(queue)
            }
            return id
        }
        return nil
    }

    /// Starts the next operation of a queue on a lane, if it may start now.
    private mutating func take(from queue: Int, _ lane: ExecutionLane) -> OperationID? {
        guard !queues[queue].isSuspended, queues[queue].freeSlots > 0 else { return nil }
        guard let (group, entry, level) = best(in: queue, lane) else { return nil }
        guard mayPass(queue, group, level, entry.sequence) else { return nil }
        queues[queue].groups[group].list.removeFirst(level: level)
        let record = store.pointer(entry.slot)
        let set = queues[queue].groups[group].resources
        if set != 0 {
            resources.take(set)
            record.pointee.flags.insert(.holdsResources)
        }
        start(entry.slot, in: queue)
        return OperationID(slot: entry.slot, generation: record.pointee.generation)
    }

    /// The first operation of a lane whose resources are there.
    private mutating func best(
        in queue: Int,
        _ lane: ExecutionLane
    ) -> (group: Int, entry: ReadyList.Entry, level: Int)? {
        var best: (group: Int, entry: ReadyList.Entry, level: Int)?
        for index in queues[queue].groups.indices where queues[queue].groups[index].lane == lane {
            guard let (entry, level) = first(queue, index) else { continue }
            if let best, (best.level, best.entry.sequence) < (level, entry.sequence) { continue }
            let set = queues[queue].groups[index].resources
            if set != 0 {
                guard resources.has(set), !isBehindAnother(set, queue, index, level, entry.sequence) else {
                    continue
                }
            }
            best = (index, entry, level)
        }
        return best
    }

    private mutating func first(_ queue: Int, _ group: Int) -> (entry: ReadyList.Entry, level: Int)? {
        let records = store.records
        return queues[queue].groups[group].list.first { entry in
            let record = records.pointer(entry.slot)
            return record.pointee.readyToken == entry.token && record.pointee.phase == .ready
        }
    }

    /// Whether somebody who came earlier, at no lower priority, waits for one of the resources that are short for it.
    private mutating func isBehindAnother(
        _ set: Int,
        _ queue: Int,
        _ group: Int,
        _ level: Int,
        _ sequence: UInt64
    ) -> Bool {
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
                        resources.available[need.resource] < otherNeed.amount,
                        let (entry, otherLevel) = first(other, index)
                    else { continue }
                    if (otherLevel, entry.sequence) < (level, sequence) { return true }
                }
            }
        }
        return false
    }

    /// Whether the free slots of a queue reach as far as this operation: those before it on other lanes, which wait
    /// for the script thread or for a worker, have their slots kept.
    private mutating func mayPass(_ queue: Int, _ group: Int, _ level: Int, _ sequence: UInt64) -> Bool {
        guard queues[queue].width >= 0, queues[queue].kind != .hidden else { return true }
        let lane = queues[queue].groups[group].lane
        var before = 0
        for index in queues[queue].groups.indices where queues[queue].groups[index].lane != lane {
            let set = queues[queue].groups[index].resources
            if set != 0, !resources.has(set) { continue }
            for higher in 0..<level { before += queues[queue].groups[index].list.liveCount(level: higher) }
            guard queues[queue].groups[index].list.liveCount(level: level) > 0 else { continue }
            if let (entry, entryLevel) = first(queue, index), entryLevel == level {
                if entry.sequence < sequence { before += queues[queue].groups[index].list.liveCount(level: level) }
            } else {
                before += queues[queue].groups[index].list.liveCount(level: level)
            }
        }
        return queues[queue].freeSlots > before
    }

    private mutating func start(_ slot: UInt32, in queue: Int) {
        let record = store.pointer(slot)
        record.pointee.phase = .executing
        record.pointee.attempt &+= 1
        record.pointee.flags.remove(.retrying)
        charge(record, queue: queue)
        if record.pointee.extras != .max {
            let timeout = extras[Int(record.pointee.extras)].timeout
            if timeout > 0 {
                pendingTimers.append(PendingTimer(payload: .timeout(store.id(slot)), delay: timeout))
            }
        }
        report(.started, slot)
    }

    /// Starts what needs nobody to fetch it: tasks and groups. To be called after each input.
    package mutating func startPushed() {
        while wakeMask & Self.pushedMask != 0 {
            wakeMask &= ~Self.pushedMask
            while let id = takeNext(.task) { actions.append(.startTask(id)) }
            while let id = takeNext(.group) { groupStarted(id) }
            drainEndings()
        }
    }

    private static let pushedMask: UInt16 =
        1 << UInt16(ExecutionLane.task.rawValue) | 1 << UInt16(ExecutionLane.group.rawValue)

    private mutating func groupStarted(_ id: OperationID) {
        guard let record = store.live(id), let inner = extras(of: record)?.innerQueue else { return }
        suspensionChanged(QueueID(index: inner), to: false)
        finishGroupIfDone(inner)
        drainEndings()
    }

    /// An operation outside any queue was started by hand.
    ///
    /// A cancelled one finishes at once; one whose lane is a worker's goes to the hidden queue; others execute from now on,
    /// by whoever called.
    package mutating func startedByHand(_ id: OperationID) throws(SchedulingFailure) {
        guard let record = store.live(id) else { throw .unknownOperation }
        if record.pointee.flags.contains(.gate) { throw .isGate(id) }
        switch record.pointee.phase {
        case .created: break
        case .finished: throw .alreadyFinished(id)
        case .executing: throw .alreadyExecuting(id)
        case .waiting, .ready, .ending, .free: throw .alreadyInQueue(id)
        }
        if record.pointee.flags.contains(.cancelled) {
            end(id.slot, .cancelled)
            drainEndings()
            return
        }
        guard record.pointee.unfinishedDependencies == 0 else { throw .notReady(id) }
        let (verdict, cause) = verdict(id.slot)
        if verdict != .run {
            end(id.slot, verdict == .skip ? .skipped : .skippedQuietly, cause: cause)
            drainEndings()
            return
        }
        record.pointee.flags.insert(.startedByHand)
        if record.pointee.lane == .script {
            record.pointee.phase = .executing
            record.pointee.attempt &+= 1
            if record.pointee.extras != .max, extras[Int(record.pointee.extras)].timeout > 0 {
                let timeout = extras[Int(record.pointee.extras)].timeout
                pendingTimers.append(PendingTimer(payload: .timeout(id), delay: timeout))
            }
            report(.started, id.slot)
        } else {
            try operationAdded(AdditionSpec(id), to: Self.hiddenQueue)
        }
    }
}
