extension SchedulerMachine {
    /// `id` starts only after `other` has finished.
    ///
    /// Given again, the later condition replaces the earlier one, unless that came with an argument.
    /// - Complexity: O(degree) for a repeated dependency, otherwise O(1); where `id` already has dependents, what is
    ///   reachable from `other` is searched for a cycle.
    package mutating func dependencyAdded(
        _ id: OperationID,
        on other: OperationID,
        when condition: DependencyCondition
    ) throws(SchedulingFailure) {
        guard let record = store.live(id) else { throw .unknownOperation }
        if id == other { throw .dependsOnItself }
        switch record.pointee.phase {
        case .created, .waiting, .ready, .free: break
        case .executing: throw .alreadyExecuting(id)
        case .finished, .ending: throw .alreadyFinished(id)
        }
        if record.pointee.flags.contains(.retrying) { throw .alreadyExecuting(id) }
        if let existing = edge(from: other, to: id.slot) {
            if !edges[existing].isStrict {
                edges[existing].condition = condition
            }
            return
        }
        guard let otherRecord = store.live(other) else { throw .unknownOperation }
        if let path = pathThatCloses(id, other) { throw .cycle(path) }
        if otherRecord.pointee.phase == .finished {
            try dependencyAdded(id, onFinished: other, otherRecord.pointee.outcome, when: condition)
            return
        }
        let index = edges.allocate(Edge(from: other, to: id.slot, condition: condition, outcome: nil))
        appendDependency(index, to: record)
        appendDependent(index, to: otherRecord)
        record.pointee.unfinishedDependencies += 1
        if record.pointee.unfinishedDependencies == 1 {
            if record.pointee.phase == .ready { removeFromReady(record, level: record.pointee.priority.level) }
            report(.notReady, id.slot)
        }
    }

    /// The same for one that has finished, also where the machine has forgotten it.
    package mutating func dependencyAdded(
        _ id: OperationID,
        onFinished other: OperationID,
        _ outcome: OperationOutcome,
        when condition: DependencyCondition
    ) throws(SchedulingFailure) {
        guard let record = store.live(id) else { throw .unknownOperation }
        switch record.pointee.phase {
        case .created, .waiting, .ready, .free: break
        case .executing: throw .alreadyExecuting(id)
        case .finished, .ending: throw .alreadyFinished(id)
        }
        // Where it lets the dependent run there is nothing to remember.
        if condition.verdict(for: outcome) == .run { return }
        let index = edges.allocate(Edge(from: other, to: id.slot, condition: condition, outcome: outcome))
        appendDependency(index, to: record)
        if record.pointee.phase == .ready {
            removeFromReady(record, level: record.pointee.priority.level)
            settle(id.slot)
            drainEndings()
        }
    }

    /// Whether `id` was made to wait for `other`, and the machine still knows it.
    package func depends(_ id: OperationID, on other: OperationID) -> Bool {
        store.live(id) != nil && edge(from: other, to: id.slot) != nil
    }

    /// The dependency came with an argument: a later call cannot weaken it.
    package mutating func strictDependency(_ id: OperationID, on other: OperationID) {
        guard store.live(id) != nil, let index = edge(from: other, to: id.slot) else { return }
        edges.with(index) { $0.isStrict = true }
    }

    /// The dependency is no more; `id` may become ready by it. False if there was none.
    @discardableResult
    package mutating func dependencyRemoved(_ id: OperationID, on other: OperationID) -> Bool {
        guard let record = store.live(id), let index = edge(from: other, to: id.slot) else { return false }
        unlinkDependency(index, of: record)
        let wasUnfinished = edges[index].outcome == nil
        if wasUnfinished {
            // The dependency's own list keeps the dead edge until it finishes.
            edges.with(index) { $0.to = .max }
            record.pointee.unfinishedDependencies -= 1
            if record.pointee.unfinishedDependencies == 0 { dependenciesReleased(id.slot) }
        } else {
            edges.free(index)
        }
        drainEndings()
        return true
    }

    /// The dependencies that are not decided yet, in the order in which they were added.
    package func dependencies(of id: OperationID) -> [OperationID] {
        guard let record = store.live(id) else { return [] }
        var result: [OperationID] = []
        var index = record.pointee.firstDependency
        while index != .max {
            result.append(edges[index].from)
            index = edges[index].nextDependency
        }
        return result
    }

    // MARK: Deciding

    /// What the dependencies decided, and the first that stood against it.
    func verdict(_ slot: UInt32) -> (DependencyVerdict, OperationID) {
        var worst = DependencyVerdict.run
        var cause = OperationID.none
        var index = store.pointer(slot).pointee.firstDependency
        while index != .max {
            let edge = edges[index]
            if let outcome = edge.outcome {
                let verdict = edge.condition.verdict(for: outcome)
                if verdict.rawValue > worst.rawValue {
                    worst = verdict
                    cause = edge.from
                }
            }
            index = edge.nextDependency
        }
        return (worst, cause)
    }

    /// Tells the dependents of a finished operation.
    mutating func releaseDependents(_ slot: UInt32, _ outcome: OperationOutcome) {
        let record = store.pointer(slot)
        var index = record.pointee.firstDependent
        record.pointee.firstDependent = .max
        record.pointee.lastDependent = .max
        while index != .max {
            let edge = edges[index]
            let next = edge.nextDependent
            if edge.to == .max {
                edges.free(index)
            } else {
                edges.with(index) { $0.outcome = outcome }
                let dependent = store.pointer(edge.to)
                dependent.pointee.unfinishedDependencies -= 1
                if dependent.pointee.unfinishedDependencies == 0 { dependenciesReleased(edge.to) }
            }
            index = next
        }
    }

    /// Frees the edges to what an operation depended on.
    mutating func dropDependencies(_ slot: UInt32) {
        let record = store.pointer(slot)
        var index = record.pointee.firstDependency
        record.pointee.firstDependency = .max
        record.pointee.lastDependency = .max
        while index != .max {
            let edge = edges[index]
            if edge.outcome == nil {
                edges.with(index) { $0.to = .max }
            } else {
                edges.free(index)
            }
            index = edge.nextDependency
        }
        record.pointee.unfinishedDependencies = 0
    }

    // MARK: Cycles

    /// The operations along the circle that `id` after `other` would close, from `id` on; nil if there is none.
    ///
    /// Costs nothing where `id` has no dependents and is in no group: a new operation cannot be waited for.
    mutating func pathThatCloses(_ id: OperationID, _ other: OperationID) -> [OperationID]? {
        let record = store.pointer(id.slot)
        let isInside = record.pointee.queue != .max && queues[Int(record.pointee.queue)].kind == .inner
        guard record.pointee.firstDependent != .max || isInside else { return nil }
        nextMark &+= 1
        let mark = nextMark
        var stack: [(slot: UInt32, waits: [UInt32], next: Int)] = [(other.slot, waits(of: other.slot), 0)]
        store.pointer(other.slot).pointee.mark = mark
        while let top = stack.last {
            guard top.next < top.waits.count else {
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].next += 1
            let slot = top.waits[top.next]
            if slot == id.slot {
                return [id] + stack.map { store.id($0.slot) }
            }
            let reached = store.pointer(slot)
            guard reached.pointee.mark != mark else { continue }
            reached.pointee.mark = mark
            stack.append((slot, waits(of: slot), 0))
        }
        return nil
    }

    /// What has to finish before the operation can: its dependencies, and what is inside it.
    private func waits(of slot: UInt32) -> [UInt32] {
        let record = store.pointer(slot)
        guard record.pointee.phase != .finished else { return [] }
        var result: [UInt32] = []
        var index = record.pointee.firstDependency
        while index != .max {
            let edge = edges[index]
            if edge.outcome == nil { result.append(edge.from.slot) }
            index = edge.nextDependency
        }
        if let inner = extras(of: record)?.innerQueue, inner != .max {
            var inside = queues[Int(inner)].firstOperation
            while inside != .max {
                result.append(inside)
                inside = store.pointer(inside).pointee.nextInQueue
            }
        }
        return result
    }

    // MARK: Lists

    /// The edge between two operations.
    ///
    /// - Complexity: O(the smaller of the two degrees); where `other` has finished, only the first 64 dependencies
    ///   are looked at, so that wiring a sink to many finished operations stays linear.
    private func edge(from other: OperationID, to slot: UInt32) -> UInt32? {
        guard let otherRecord = store.live(other) else { return nil }
        let isFinished = otherRecord.pointee.phase == .finished
        var dependency = store.pointer(slot).pointee.firstDependency
        var dependent = otherRecord.pointee.firstDependent
        var steps = 0
        while dependency != .max {
            if edges[dependency].from == other { return dependency }
            dependency = edges[dependency].nextDependency
            if isFinished {
                steps += 1
                if steps == 64 { return nil }
                continue
            }
            if dependent == .max { return nil }
            if edges[dependent].to == slot { return dependent }
            dependent = edges[dependent].nextDependent
        }
        return nil
    }

    private mutating func appendDependency(_ index: UInt32, to record: UnsafeMutablePointer<OperationRecord>) {
        if record.pointee.lastDependency == .max {
            record.pointee.firstDependency = index
        } else {
            edges.with(record.pointee.lastDependency) { $0.nextDependency = index }
        }
        record.pointee.lastDependency = index
    }

    private mutating func appendDependent(_ index: UInt32, to record: UnsafeMutablePointer<OperationRecord>) {
        if record.pointee.lastDependent == .max {
            record.pointee.firstDependent = index
        } else {
            edges.with(record.pointee.lastDependent) { $0.nextDependent = index }
        }
        record.pointee.lastDependent = index
    }

    private mutating func unlinkDependency(_ index: UInt32, of record: UnsafeMutablePointer<OperationRecord>) {
        let next = edges[index].nextDependency
        var previous: UInt32 = .max
        var walk = record.pointee.firstDependency
        while walk != index {
            previous = walk
            walk = edges[walk].nextDependency
        }
        if previous == .max {
            record.pointee.firstDependency = next
        } else {
            edges.with(previous) { $0.nextDependency = next }
        }
        if record.pointee.lastDependency == index { record.pointee.lastDependency = previous }
    }
}
