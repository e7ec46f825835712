extension SchedulerMachine {
    /// Whether there is progress without the reader: a closure executes, or a worker or a task could start one.
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
                if queues[index].family != nil {
                    if couldStart(index, group.lane) { return true }
                } else if resources.has(group.resources) {
                    return true
                }
            }
        }
        return false
    }

    /// The first obstacle to the progress of an operation.
    func obstacle(of id: OperationID) -> Obstacle {
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
            if let queue, queues[Int(queue.index)].isSuspended { return .suspended(queue) }
            var index = record.pointee.firstDependency
            while index != .max {
                if edges[index].outcome == nil { return .dependency(store.id(edges[index].from)) }
                index = edges[index].nextDependency
            }
            if !record.pointee.flags.isDisjoint(with: [.delayed, .retrying]) { return .time }
            if let queue {
                // The operation is held by a barrier, or is a barrier that is held by what came before.
                let first = queues[Int(queue.index)].firstOperation
                if first != .max, first != id.slot { return .barrier(before: store.id(first)) }
            }
            return .nothing
        case .ready:
            guard let queue else { return .nothing }
            let record = queues[Int(queue.index)]
            if record.isSuspended { return .suspended(queue) }
            if record.width == 0 { return .noWidth(queue) }
            if record.freeSlots == 0 {
                return .noSlot(queue, by: operations(in: queue).filter { state(of: $0) == .executing })
            }
            if record.family != nil, let busy = busyRelative(of: Int(queue.index)) {
                return .noSlot(QueueID(index: UInt32(busy)), by: executing(below: busy))
            }
            let set = store.live(id).flatMap { extras(of: $0)?.resources } ?? 0
            if let need = resources.sets[set].first(where: { resources.available[$0.resource] < $0.amount }) {
                return .resource(resources.names[need.resource])
            }
            return .nothing
        }
    }
}

extension SchedulerMachine {
    /// Whether an operation failed because its time ran out.
    func hasTimedOut(_ id: OperationID) -> Bool {
        store.live(id)?.pointee.flags.contains(.timedOut) ?? false
    }
}
