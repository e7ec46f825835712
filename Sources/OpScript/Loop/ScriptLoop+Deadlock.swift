internal import LuaVM
internal import Scheduling

extension ScriptLoop {
    /// Called if nothing can move: ends one wait with the reason. If nothing waits, the run is over: false.
    func breakDeadlock() -> Bool {
        if waits.endClockRuns() { return true }
        let pending = waits.list.all.reversed().filter { $0.outcome == nil }
        guard !pending.isEmpty else {
            noteStuck()
            return false
        }
        // First choice is a wait for itself, else the wait that began last; the main chunk's is the last choice.
        for wait in pending {
            guard let own = wait.task.operation, waitsForItself(wait, own),
                let view = operations.liveView(own)
            else {
                continue
            }
            let name = operations.name(view)
            raiseDeadlock(wait, "this wait is inside '\(name)', which '\(name)' itself is waiting for")
            return true
        }
        let chosen = pending.first { !isMainChunk($0.task) } ?? pending[0]
        raiseDeadlock(chosen, reason(of: chosen))
        return true
    }

    private func isMainChunk(_ task: ScriptTask) -> Bool {
        if case .main = task.end { return true }
        return false
    }

    private func raiseDeadlock(_ wait: Wait, _ text: String) {
        let place = vm.describe(wait.place).map { "\($0): " } ?? ""
        let error = ErrorValue(.deadlock, place + text)
        if let id = wait.task.operation, let view = operations.liveView(id) {
            error.operationName = operations.name(view)
            error.createdAt = operations.createdAt(view)
        }
        waits.end(wait, .failed(error))
    }

    // MARK: Who waits for whom

    private func targets(_ wait: Wait) -> [OperationID] {
        switch wait.target {
        case .operations(let ids, _):
            ids.filter { operations.liveView($0).map { !$0.pointee.isFinished } ?? false }
        case .queue(let queue): operations.unfinished(queue)
        case .source(let source):
            source.pendingOperations.filter {
                operations.liveView($0).map { !$0.pointee.isFinished } ?? false
            }
        case .time, .something: []
        }
    }

    /// The operations that an operation waits for before it can start or end.
    private func next(_ id: OperationID) -> [OperationID] {
        switch scheduler.feed({ $0.obstacle(of: id) }) {
        case .dependency(let other): return [other]
        case .inside(let other): return [other]
        case .barrier(let other): return [other]
        case .noSlot(_, let others): return others
        case .executing:
            var result: [OperationID] = []
            for task in operations.entry(id)?.pointee.tasks ?? [] {
                if let wait = task.wait { result += targets(wait) }
            }
            if let inner = operations.entry(id)?.pointee.attachment?.inner {
                result += operations.unfinished(inner)
            }
            return result
        case .notAdded, .suspended, .noWidth, .resource, .time, .nothing: return []
        }
    }

    private func waitsForItself(_ wait: Wait, _ own: OperationID) -> Bool {
        var seen: Set<OperationID> = []
        var stack = targets(wait)
        while let id = stack.popLast() {
            if id == own { return true }
            guard seen.insert(id).inserted, seen.count < 100_000 else { continue }
            stack += next(id)
        }
        return false
    }

    // MARK: Reasons in words

    private func reason(of wait: Wait) -> String {
        switch wait.target {
        case .operations(let ids, _):
            for id in ids {
                guard let view = operations.liveView(id), !view.pointee.isFinished else { continue }
                return reason(id, waiter: nil)
            }
            return "nothing is left that could end this wait"
        case .queue(let queue):
            if let first = operations.unfinished(queue).first { return reason(first, waiter: nil) }
            return "nothing is left that could end the wait for queue '\(queue.name)'"
        case .source(let source):
            return targets(wait).first.map { reason($0, waiter: nil) } ?? source.reason
        case .time: return "nothing is left that could end this wait"
        case .something(let what): return "nothing is left that could end the wait for \(what)"
        }
    }

    /// Follows the chain of what an operation waits for, down to the obstacle that nothing can remove any more.
    func reason(_ id: OperationID, waiter: OperationID?) -> String {
        var id = id
        var waiter = waiter
        var seen: Set<OperationID> = []
        while seen.insert(id).inserted {
            let own = operations.liveView(id).map { operations.name($0) } ?? "operation"
            switch scheduler.feed({ $0.obstacle(of: id) }) {
            case .notAdded:
                if let waiter, let view = operations.liveView(waiter) {
                    return "'\(operations.name(view))' waits for '\(own)', which was never added to a queue"
                }
                return "'\(own)' was never added to a queue"
            case .suspended(let held):
                let queue = scheduler.feed { $0.suspension(of: held) } ?? held
                return "queue '\(queueName(queue))' is suspended and nothing is left that could resume it"
            case .noWidth(let queue):
                return "queue '\(queueName(queue))' has maxConcurrentOperationCount 0"
            case .resource(let resource):
                return "'\(own)' waits for the resource '\(resource)', which nothing is left to give back"
            case .dependency(let other), .inside(let other), .barrier(let other):
                waiter = id
                id = other
            case .noSlot(let queue, let others):
                guard let other = others.first else { return "queue '\(queueName(queue))' has no free slot" }
                waiter = id
                id = other
            case .executing:
                if let deeper = next(id).first {
                    waiter = id
                    id = deeper
                    continue
                }
                guard let view = operations.liveView(id) else { return "'\(own)' has no end" }
                if let simulation = virtualTime.simulation, simulation.faults.holds(id) {
                    return "'\(own)' is held on purpose, and nothing is left that could release it"
                }
                if view.pointee.kind == .gate {
                    if let waiter, let view = operations.liveView(waiter) {
                        return
                            "'\(operations.name(view))' waits for the gate '\(own)', which nothing is left to end"
                    }
                    return "nothing is left that could end the gate '\(own)'"
                }
                return "'\(own)' has started, and nothing is left that could finish it"
            case .time, .nothing:
                return "'\(own)' waits, and nothing is left that could let it go on"
            }
        }
        let own = operations.liveView(id).map { operations.name($0) } ?? "operation"
        return "'\(own)' waits for itself"
    }

    private func queueName(_ queue: QueueID) -> String { queues.table[queue.index]?.name ?? "queue" }

    // MARK: At the end of a run

    /// Whether a queue is the inner queue of a group that was not added to a queue: then the group itself is reported.
    private func isInsideOfUnadded(_ queue: ScriptQueue) -> Bool {
        guard let owner = queue.owner else { return false }
        return operations.liveView(owner).map { !$0.pointee.flags.contains(.isSubmitted) } ?? true
    }

    /// Reports operations that nothing can start or end any more.
    private func noteStuck() {
        var told: Set<String> = []
        for queue in queues.table.all where !isInsideOfUnadded(queue) {
            for id in operations.unfinished(queue) {
                guard let view = operations.liveView(id) else { continue }
                let sentence = reason(id, waiter: nil)
                let own =
                    "'\(operations.name(view))' (\(operations.createdAt(view))) can never run: \(sentence)"
                if told.insert(own).inserted { runState.report.stuck.append(own) }
            }
        }
        for id in operations.startedByHand.sorted(by: { $0.slot < $1.slot }) {
            guard let view = operations.liveView(id), !view.pointee.isFinished else { continue }
            runState.report.stuck.append(
                "'\(operations.name(view))' (\(operations.createdAt(view))) can never end: \(reason(id, waiter: nil))"
            )
        }
    }
}
