extension SchedulerMachine {
    /// Whether progress is possible without the reader: a closure executes, or a worker or a task could start
    /// one.
    ///
    /// - Complexity: O(queues) if nothing executes.
    var movesElsewhere: Bool {
        mutating get {
            closureExecutingCount > 0 || offeredCount > 0 || couldStartElsewhere()
        }
    }

    private mutating func couldStartElsewhere() -> Bool {
        for index in 0..<queues.count {
            guard queues[index].count > 0, !queues[index].isSuspended, queues[index].freeSlots > 0 else {
                continue
            }
            for group in queues[index].groups where group.lane != .reader && group.list.liveCount > 0 {
                // An earlier operation elsewhere may wait for the same resource, or for its turn in a target.
                let isFree = queues[index].family == nil && group.resources == 0
                if isFree || couldStart(index, group.lane) { return true }
            }
        }
        return false
    }

    /// An operation that could start now by the rules; nil if there is none.
    ///
    /// Asks the queues themselves, and none of the structures that choose among them (rings, tickets), since it checks
    /// those. It does not count bodies that execute: call it when none does.
    /// - Complexity: O(queues).
    mutating func startableAnywhere() -> LeftBehind? {
        for index in 0..<queues.count where queues[index].count > 0 {
            for lane in ExecutionLane.allCases {
                guard let operation = startable(index, lane) else { continue }
                return LeftBehind(operation: operation, queue: QueueID(index: UInt32(index)), lane: lane)
            }
        }
        return nil
    }

    /// No structure that chooses among the queues had this operation any longer: its queue is listed once more, for the
    /// lane or the reader.
    mutating func leftBehindFound(_ lost: LeftBehind) {
        leaveAllRings(Int(lost.queue.index))
        queues[Int(lost.queue.index)].readerTickets = 0
        queueChanged(lost.queue.index)
    }

    /// The first obstacle to the progress of an operation.
    mutating func obstacle(of id: OperationID) -> Obstacle {
        guard let record = store.live(id) else { return .nothing }
        let queue = record.pointee.queue == .max ? nil : QueueID(index: record.pointee.queue)
        switch record.pointee.phase {
        case .free, .finished: return .nothing
        case .created:
            if record.pointee.flags.contains(.gate) { return .executing }
            return .notAdded
        case .executing:
            if let inner = extras(of: record)?.innerQueue, inner != .max {
                let first = queues[Int(inner)].firstOperation
                if first != .max { return .inside(store.id(first)) }
            }
            return .executing
        case .claimed, .offered: return .nothing
        case .ending: return queue.map(Obstacle.suspended) ?? .nothing
        case .waiting:
            if let queue, queues[Int(queue.index)].isSuspended { return suspension(in: queue) }
            if let other = firstUnfinishedDependency(of: id) { return .dependency(other) }
            if !record.pointee.flags.isDisjoint(with: [.delayed, .retrying]) { return .time }
            if let queue {
                // The operation is delayed by a barrier, or is a barrier that is delayed by earlier
                // operations.
                let first = queues[Int(queue.index)].firstOperation
                if first != .max, first != id.slot { return .barrier(before: store.id(first)) }
            }
            return .nothing
        case .ready:
            guard let queue else { return .nothing }
            let record = queues[Int(queue.index)]
            if record.isSuspended { return suspension(in: queue) }
            if record.width == 0 { return .noWidth(queue) }
            if record.freeSlots == 0 {
                return .noSlot(queue, by: operations(in: queue).filter { state(of: $0) == .executing })
            }
            if record.family != nil, let busy = busyRelative(of: Int(queue.index)) {
                return .noSlot(QueueID(index: UInt32(busy)), by: executing(below: busy))
            }
            return resourceObstacle(of: id)
        }
    }

    /// The first dependency of an operation that has not finished.
    ///
    /// - Complexity: O(degree).
    func firstUnfinishedDependency(of id: OperationID) -> OperationID? {
        var index = store.live(id)?.pointee.firstDependency ?? .max
        while index != .max {
            if edges[index].outcome == nil { return store.id(edges[index].from) }
            index = edges[index].nextDependency
        }
        return nil
    }

    /// The reason why the operations of a suspended queue cannot start. The inner queue of a group is
    /// suspended until the group starts.
    private func suspension(in queue: QueueID) -> Obstacle {
        let record = queues[Int(queue.index)]
        guard record.kind == .inner, let state = state(of: record.ownerGroup),
            state == .pending || state == .ready
        else { return .suspended(queue) }
        return .unstartedGroup(record.ownerGroup)
    }

    /// The reason why a ready operation, for which its queue has a slot, cannot take its resources.
    private mutating func resourceObstacle(of id: OperationID) -> Obstacle {
        guard let record = store.live(id), let set = extras(of: record)?.resources, set != 0 else {
            return .nothing
        }
        if let need = resources.sets[set].first(where: { resources.available[$0.resource] < $0.amount }) {
            let holders = resources.terms[need.resource] == 0 ? holders(of: need.resource) : []
            return .resource(resources.names[need.resource], heldBy: holders)
        }
        let queue = Int(record.pointee.queue)
        let lane = record.pointee.lane
        guard
            let group = queues[queue].groups.firstIndex(where: { $0.resources == set && $0.lane == lane }),
            let (entry, level) = first(queue, group)
        else { return .nothing }
        if entry.slot != id.slot, let need = resources.sets[set].first {
            return .resourceKept(resources.names[need.resource], for: store.id(entry.slot))
        }
        guard let (resource, other) = another(before: (level, entry.sequence), needing: set, queue, group)
        else { return .nothing }
        return .resourceKept(resources.names[resource], for: store.id(other))
    }

    /// The operations that hold some of a resource.
    private func holders(of resource: Int) -> [OperationID] {
        resources.queuesByResource[resource].flatMap { operations(in: QueueID(index: $0)) }.filter { id in
            guard let record = store.live(id), record.pointee.flags.contains(.holdsResources),
                let set = extras(of: record)?.resources
            else { return false }
            return resources.sets[set].contains { $0.resource == resource }
        }
    }
}

extension SchedulerMachine {
    /// Whether an operation failed because its time ran out.
    func hasTimedOut(_ id: OperationID) -> Bool {
        store.live(id)?.pointee.flags.contains(.timedOut) ?? false
    }
}
