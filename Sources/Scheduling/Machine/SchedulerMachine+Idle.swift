extension SchedulerMachine {
    /// Whether something goes on without the script thread: a closure executes, or a worker or a task could start one.
    ///
    /// - Complexity: O(queues), where nothing executes.
    package var movesElsewhere: Bool {
        mutating get {
            closureExecutingCount > 0 || offeredCount > 0 || couldStartElsewhere()
        }
    }

    private mutating func couldStartElsewhere() -> Bool {
        for index in 0..<queues.count {
            guard queues[index].count > 0, !queues[index].isSuspended, queues[index].freeSlots > 0 else {
                continue
            }
            for group in queues[index].groups where group.lane != .script && group.list.liveCount > 0 {
                if queues[index].family != nil {
                    if couldStart(index, group.lane) { return true }
                } else if resources.has(group.resources) {
                    return true
                }
            }
        }
        return false
    }

    /// What keeps an operation from starting or ending; for diagnoses.
    package enum Obstacle: Sendable, Equatable {
        /// It is in no queue.
        case notAdded
        case suspended(QueueID)
        /// The queue's width is 0.
        case noWidth(QueueID)
        /// All slots are taken.
        case noSlot(QueueID, by: [OperationID])
        case dependency(OperationID)
        /// Nobody has given it its end.
        case executing
        /// A group waits for what is inside.
        case inside(OperationID)
        /// Waits for what was added before a barrier.
        case barrier(before: OperationID)
        case resource(String)
        case time
        case nothing
    }

    /// The first thing that keeps an operation from going on.
    package func obstacle(of id: OperationID) -> Obstacle {
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
                // Held by a barrier, or a barrier that is held by what came before.
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
    package func hasTimedOut(_ id: OperationID) -> Bool {
        store.live(id)?.pointee.flags.contains(.timedOut) ?? false
    }
}
