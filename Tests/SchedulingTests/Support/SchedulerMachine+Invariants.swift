@testable import Scheduling

extension SchedulerMachine {
    /// The inconsistencies of the machine, in words; empty if there are none.
    ///
    /// For tests.
    /// - Complexity: O(everything).
    mutating func checkInvariants() -> [String] {
        var faults: [String] = []
        if !endings.isEmpty { faults.append("\(endings.count) endings were not carried out") }
        if !cancellations.isEmpty {
            faults.append("\(cancellations.count) cancellations were not carried out")
        }
        var live = 0
        var unfinished = 0
        var sharers = [Int](repeating: 0, count: ExecutionLane.count)
        var closures = 0
        var offered = 0
        var usedEdges = 0
        var taken = resources.lent
        for slot in 0..<store.capacity {
            let record = store.pointer(slot).pointee
            if record.phase == .free { continue }
            live += 1
            if record.queue != .max, record.phase != .finished { unfinished += 1 }
            if record.flags.contains(.holdsShare) { sharers[Int(record.lane.rawValue)] += 1 }
            if record.flags.contains(.holdsJob) { closures += 1 }
            if record.flags.contains(.holdsResources) {
                for need in resources.sets[extras[Int(record.extras)].resources]
                where resources.terms[need.resource] == 0 {
                    taken[need.resource] += need.amount
                }
            }
            let holds = !record.flags.isDisjoint(with: [.holdsSlot, .holdsJob, .holdsShare, .holdsResources])
            if record.phase == .offered { offered += 1 }
            if holds, record.phase != .executing, record.phase != .offered {
                faults.append("slot \(slot) is \(record.phase) and holds something")
            }
            faults += edgeFaults(slot, &usedEdges)
        }
        faults += store.faults + edges.faults(used: usedEdges)
        if live != store.liveCount { faults.append("\(live) live operations, counted \(store.liveCount)") }
        if unfinished != unfinishedCount {
            faults.append("\(unfinished) unfinished, counted \(unfinishedCount)")
        }
        for lane in ExecutionLane.allCases where sharers[Int(lane.rawValue)] != lanes[lane].sharedCount {
            let count = sharers[Int(lane.rawValue)]
            faults.append("\(lane): \(count) sharers, counted \(lanes[lane].sharedCount)")
        }
        for lane in ExecutionLane.workers
        where (sharedLanes & lane.bit != 0) == lanes[lane].shared.isEmpty {
            faults.append("\(lane): the mark for its queues without a width is wrong")
        }
        if offered != offeredCount { faults.append("\(offered) offered, counted \(offeredCount)") }
        if closures != closureExecutingCount {
            faults.append("\(closures) closures, counted \(closureExecutingCount)")
        }
        for index in taken.indices where resources.available[index] + taken[index] != resources.totals[index]
        {
            faults.append(
                "of \(resources.names[index]) \(taken[index]) are taken, \(resources.available[index]) left"
            )
        }
        for queue in 0..<queues.count { faults += queueFaults(queue) }
        return faults
    }

    private func edgeFaults(_ slot: UInt32, _ used: inout Int) -> [String] {
        var faults: [String] = []
        let record = store.pointer(slot).pointee
        var undecided: UInt32 = record.flags.contains(.delayed) && record.phase != .finished ? 1 : 0
        var previous = UInt32.max
        var index = record.firstDependency
        while index != .max {
            let edge = edges[index]
            used += 1
            if edge.to != slot { faults.append("edge \(index) of slot \(slot) ends elsewhere") }
            if index != record.firstDependency, edge.previousDependency != previous {
                faults.append("edge \(index) has a wrong neighbour")
            }
            if edge.outcome == nil {
                undecided += 1
                if store.pointer(edge.from).pointee.phase == .free {
                    faults.append("slot \(slot) depends on a stranger")
                }
            }
            previous = index
            index = edge.nextDependency
        }
        if previous != .max, edges[record.firstDependency].previousDependency != previous {
            faults.append("slot \(slot) has a wrong last dependency")
        }
        if record.phase != .finished, undecided != record.unfinishedDependencies {
            faults.append("slot \(slot) waits for \(undecided), counted \(record.unfinishedDependencies)")
        }
        previous = .max
        index = record.firstDependent
        while index != .max {
            let edge = edges[index]
            if edge.from != slot || edge.outcome != nil {
                faults.append("edge \(index) starts elsewhere")
            }
            if index != record.firstDependent, edge.previousDependent != previous {
                faults.append("edge \(index) has a wrong neighbour")
            }
            previous = index
            index = edge.nextDependent
        }
        if previous != .max, edges[record.firstDependent].previousDependent != previous {
            faults.append("slot \(slot) has a wrong last dependent")
        }
        return faults
    }

    private mutating func queueFaults(_ queue: Int) -> [String] {
        var faults: [String] = []
        var count = 0
        var executing = 0
        var claimed = 0
        var ready: [Int: Int] = [:]
        var openCount = 0
        for id in operations(in: QueueID(index: UInt32(queue))) {
            let record = store.pointer(id.slot).pointee
            count += 1
            if record.flags.contains(.holdsSlot) { executing += 1 }
            if record.phase == .claimed { claimed += 1 }
            if record.phase == .ready {
                ready[groupIndex(record, in: queue), default: 0] += 1
                let isBarrier = record.flags.contains(.barrier)
                let barriers = queues[queue].barriers
                if isBarrier ? !barriers.isFirst(record.section) : !barriers.isOpen(record.section) {
                    faults.append("\(id) is ready behind a barrier")
                }
                if record.unfinishedDependencies > 0 {
                    faults.append("\(id) is ready and depends on something")
                }
            }
            if record.phase == .ending, !queues[queue].isSuspended {
                faults.append("\(id) ends and is not suspended")
            }
            if record.flags.isDisjoint(with: [.barrier, .outsideLine]),
                queues[queue].barriers.isOpen(record.section)
            {
                openCount += 1
            }
        }
        if claimed != queues[queue].claimedCount {
            faults.append("queue \(queue): \(claimed) are claimed, counted \(queues[queue].claimedCount)")
        }
        if count != queues[queue].count {
            faults.append("queue \(queue): \(count), counted \(queues[queue].count)")
        }
        if executing != queues[queue].executingCount {
            faults.append("queue \(queue): \(executing) execute, counted \(queues[queue].executingCount)")
        }
        for group in queues[queue].groups.indices
        where queues[queue].groups[group].list.liveCount != ready[group] ?? 0 {
            faults.append(
                "queue \(queue): group \(group) counts \(queues[queue].groups[group].list.liveCount) ready"
            )
        }
        if openCount != queues[queue].barriers.openCount {
            faults.append(
                "queue \(queue): \(openCount) before the barrier, counted \(queues[queue].barriers.openCount)"
            )
        }
        return faults + lineFaults(queue) + familyFaults(queue)
    }

    /// No startable operation may be overlooked: its queue is in the round robin, or the reader has a ticket.
    private mutating func lineFaults(_ queue: Int) -> [String] {
        var faults: [String] = []
        for lane in ExecutionLane.allCases {
            let isListed = queues[queue].ringMask & lane.bit != 0
            let rings = rings(lane, queues[queue].width < 0)
            if isListed != rings.contains(UInt32(queue), class: ringNumber(queue)) {
                faults.append("queue \(queue): its mark for \(lane) is wrong")
            }
            let hasTurn = lane == .reader ? queues[queue].readerTickets > 0 : isListed
            if !hasTurn, couldStart(queue, lane) { faults.append("queue \(queue): \(lane) is overlooked") }
        }
        return faults
    }

    private mutating func groupIndex(_ record: OperationRecord, in queue: Int) -> Int {
        let set = record.extras == .max ? 0 : extras[Int(record.extras)].resources
        return queues[queue].groupIndex(lane: record.lane, resources: set, entryPool)
    }
}
