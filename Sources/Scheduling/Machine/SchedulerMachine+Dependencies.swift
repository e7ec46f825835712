extension SchedulerMachine {
    /// `id` starts only after `other` has finished.
    ///
    /// If the dependency exists already, the later condition replaces the earlier one, unless the earlier one came with
    /// an argument (`keepsStricter`).
    /// - Parameters:
    ///   - isKnownToReader: The reader of events knows that `id` is not ready then, so no event reports it.
    ///   - endIsUnseen: If `other` has finished, the reader has not seen that yet.
    /// - Complexity: O(degree) for a repeated dependency, otherwise O(1); if an operation waits for `id`
    ///   already, all operations reachable from `other` are searched for a cycle.
    mutating func dependencyAdded(
        _ id: OperationID,
        on other: OperationID,
        when condition: DependencyCondition,
        keepsStricter: Bool = false,
        isKnownToReader: Bool = false,
        endIsUnseen: Bool = false
    ) throws(SchedulingFailure) {
        let wasHeld = reopenSkip(id)
        defer { if wasHeld { settleReopened(id.slot) } }
        let record = try wirable(id)
        if id == other { throw .dependsOnItself }
        if let existing = edge(from: other, to: id.slot) {
            let edge = edges.pointer(existing)
            if edge.pointee.isStrict || keepsStricter && edge.pointee.condition == .succeeded { return }
            edge.pointee.condition = condition
            if edge.pointee.outcome != nil { reconsider(id.slot) }
            return
        }
        guard let otherRecord = store.live(other) else { throw .unknownOperation }
        if otherRecord.pointee.phase == .finished {
            let outcome = otherRecord.pointee.outcome
            let letsRun = condition.verdict(for: outcome) == .run
            // Nothing has to be stored then.
            if letsRun, !endIsUnseen { return }
            // Its outcome may still change, if the reader cancels it before it sees the end.
            otherRecord.pointee.flags.insert(.hadDependents)
            appendDecided(id, on: other, outcome, when: condition)
            if endIsUnseen, record.pointee.unfinishedDependencies == 0 {
                if !isKnownToReader { report(.notReady, id.slot) }
                if isLogging { noteCause(.dependency, other) }
                report(.ready, id.slot)
            }
            if !letsRun { reconsider(id.slot) }
            return
        }
        if let path = pathThatCloses(id, other) { throw .cycle(path) }
        let index = edges.allocate(Edge(from: other, to: id.slot, condition: condition))
        appendDependency(index, to: record)
        appendDependent(index, to: otherRecord)
        record.pointee.unfinishedDependencies += 1
        if record.pointee.unfinishedDependencies == 1 {
            if record.pointee.phase == .ready {
                removeFromReady(record, level: record.pointee.priority.level)
            } else if record.pointee.phase == .offered {
                unoffer(record)
                waitsAgainExternally(record, id)
            }
            if !isKnownToReader { report(.notReady, id.slot) }
        }
    }

    /// The same for an `other` that has finished, even if the machine has forgotten it.
    mutating func dependencyAdded(
        _ id: OperationID,
        onFinished other: OperationID,
        _ outcome: OperationOutcome,
        when condition: DependencyCondition
    ) throws(SchedulingFailure) {
        _ = try wirable(id)
        // If the outcome lets the dependent run, nothing has to be stored.
        if condition.verdict(for: outcome) == .run { return }
        appendDecided(id, on: other, outcome, when: condition)
        reconsider(id.slot)
    }

    /// Stores a dependency on an operation that has finished.
    private mutating func appendDecided(
        _ id: OperationID,
        on other: OperationID,
        _ outcome: OperationOutcome,
        when condition: DependencyCondition
    ) {
        let index = edges.allocate(Edge(from: other, to: id.slot, condition: condition))
        edges.pointer(index).pointee.decide(outcome, generation: other.generation)
        appendDependency(index, to: store.pointer(id.slot))
    }

    /// The same for a dependency that cannot be refused. The reader assumes that the operation is not ready; an event
    /// corrects this if the other operation has ended meanwhile.
    mutating func plainDependencyAdded(_ dependency: borrowing Submission) {
        let id = dependency.id
        do throws(SchedulingFailure) {
            try dependencyAdded(
                id,
                on: dependency.other,
                when: dependency.condition,
                isKnownToReader: dependency.isKnownToReader,
                endIsUnseen: true
            )
        } catch {
            assertionFailure("a plain dependency that is refused: \(error)")
            return
        }
        if dependency.isStrict { strictDependency(id, on: dependency.other) }
    }

    /// The record of an operation whose dependencies may still change.
    private func wirable(
        _ id: OperationID
    ) throws(SchedulingFailure) -> UnsafeMutablePointer<OperationRecord> {
        guard let record = store.live(id) else { throw .unknownOperation }
        switch record.pointee.phase {
        case .created, .waiting, .ready, .offered, .free: break
        case .claimed, .executing: throw .alreadyExecuting(id)
        case .finished, .ending: throw .alreadyFinished(id)
        }
        if record.pointee.flags.contains(.retrying) { throw .alreadyExecuting(id) }
        return record
    }

    /// The condition on which `id` was made to wait for `other`, and whether it came with an argument; nil if the
    /// machine does not know it, or not any more.
    mutating func dependency(of id: OperationID, on other: OperationID)
        -> (condition: DependencyCondition, isStrict: Bool)?
    {
        guard store.live(id) != nil, let index = edge(from: other, to: id.slot) else { return nil }
        return (edges[index].condition, edges[index].isStrict)
    }

    /// The dependency came with an argument: a later call cannot weaken it.
    mutating func strictDependency(_ id: OperationID, on other: OperationID) {
        guard store.live(id) != nil, let index = edge(from: other, to: id.slot) else { return }
        edges.pointer(index).pointee.isStrict = true
    }

    /// The verdict on an operation may have changed after its dependencies had let it pass.
    mutating func reconsider(_ slot: UInt32) {
        let record = store.pointer(slot)
        guard record.pointee.unfinishedDependencies == 0,
            [.ready, .waiting, .offered].contains(record.pointee.phase),
            verdict(slot).0 != .run
        else { return }
        leaveReady(record)
        settle(slot)
        drainEndings()
    }

    /// The dependency was removed; `id` may become ready.
    ///
    /// Returns false if there was no dependency.
    /// - Complexity: O(the smaller of the two degrees); O(degree of `id`) where `other` has finished.
    @discardableResult
    mutating func dependencyRemoved(_ id: OperationID, on other: OperationID) -> Bool {
        guard let record = store.live(id), let index = edge(from: other, to: id.slot, isExhaustive: true)
        else {
            return false
        }
        let wasUnfinished = edges[index].outcome == nil
        unlinkDependency(index, of: record)
        if wasUnfinished {
            unlinkDependent(index)
            record.pointee.unfinishedDependencies -= 1
            if isLogging { noteCause(.owner) }
            if record.pointee.unfinishedDependencies == 0 { dependenciesReleased(id.slot) }
        }
        edges.free(index)
        drainEndings()
        if wasUnfinished { freeIfForgotten(other.slot) }
        return true
    }

    // MARK: Deciding

    /// The verdict of the dependencies, and the first one that caused it.
    @inline(__always)
    func verdict(_ slot: UInt32) -> (DependencyVerdict, OperationID) {
        var worst = DependencyVerdict.run
        var cause = OperationID.none
        var index = store.pointer(slot).pointee.firstDependency
        while index != .max {
            let edge = edges.pointer(index)
            if let outcome = edge.pointee.outcome {
                let verdict = edge.pointee.condition.verdict(for: outcome)
                if verdict.rawValue > worst.rawValue {
                    worst = verdict
                    cause = edges.origin(edge, in: store)
                }
            }
            index = edge.pointee.nextDependency
        }
        return (worst, cause)
    }

    /// Notifies the dependents of a finished operation.
    mutating func releaseDependents(_ slot: UInt32, _ outcome: OperationOutcome) {
        if has(.cancelledKeepsDependents), outcome == .cancelled { return }
        let record = store.pointer(slot)
        let generation = record.pointee.generation
        var index = record.pointee.firstDependent
        record.pointee.firstDependent = .max
        record.pointee.flags.insert(.hadDependents)
        while index != .max {
            let edge = edges.pointer(index)
            let next = edge.pointee.nextDependent
            let dependent = edge.pointee.to
            edge.pointee.decide(outcome, generation: generation)
            let record = store.pointer(dependent)
            let left = record.pointee.unfinishedDependencies - 1
            record.pointee.unfinishedDependencies = left
            if left == 0 {
                if isLogging { noteCause(.dependency, OperationID(slot: slot, generation: generation)) }
                dependenciesReleased(dependent)
            }
            index = next
        }
    }

    /// The operations that wait for an operation.
    ///
    /// - Complexity: O(degree).
    func dependents(of id: OperationID) -> [OperationID] {
        var dependents: [OperationID] = []
        var index = store.live(id)?.pointee.firstDependent ?? .max
        while index != .max {
            dependents.append(store.id(edges[index].to))
            index = edges[index].nextDependent
        }
        return dependents
    }

    /// Frees the edges to the dependencies of an operation.
    ///
    /// - Complexity: O(1) if all dependencies have finished, otherwise O(degree).
    mutating func dropDependencies(_ slot: UInt32) {
        let record = store.pointer(slot)
        var index = record.pointee.firstDependency
        guard index != .max else { return }
        record.pointee.firstDependency = .max
        if record.pointee.unfinishedDependencies == 0 { return edges.freeList(index) }
        while index != .max {
            let edge = edges[index]
            if edge.outcome == nil {
                unlinkDependent(index)
                if store.pointer(edge.from).pointee.flags.contains(.released) {
                    possiblyForgotten.append(store.id(edge.from))
                }
            }
            edges.free(index)
            index = edge.nextDependency
        }
    }

    // MARK: Lists

    /// The edge between two operations.
    ///
    /// - Complexity: O(the smaller of the two degrees); where `other` has finished, only the first 64
    ///   dependencies are examined unless the search `isExhaustive`, so that wiring a sink to many finished
    ///   operations stays linear.
    private mutating func edge(from other: OperationID, to slot: UInt32, isExhaustive: Bool = false)
        -> UInt32?
    {
        let otherRecord = store.live(other)
        var dependent = otherRecord?.pointee.firstDependent ?? .max
        let isFinished = otherRecord == nil || otherRecord?.pointee.phase == .finished
        var dependency = store.pointer(slot).pointee.firstDependency
        var steps = 0
        while dependency != .max {
            let candidate = edges.pointer(dependency)
            if edges.origin(candidate, in: store) == other { return dependency }
            dependency = candidate.pointee.nextDependency
            if isFinished {
                steps += 1
                if steps == 64, !isExhaustive { return nil }
                continue
            }
            if dependent == .max { return nil }
            if edges.pointer(dependent).pointee.to == slot { return dependent }
            dependent = edges.pointer(dependent).pointee.nextDependent
        }
        return nil
    }

    @inline(__always)
    mutating func appendDependency(_ index: UInt32, to record: UnsafeMutablePointer<OperationRecord>) {
        let first = record.pointee.firstDependency
        if first == .max {
            record.pointee.firstDependency = index
            edges.pointer(index).pointee.previousDependency = index
        } else {
            let last = edges.pointer(first).pointee.previousDependency
            edges.pointer(index).pointee.previousDependency = last
            edges.pointer(last).pointee.nextDependency = index
            edges.pointer(first).pointee.previousDependency = index
        }
    }

    @inline(__always)
    mutating func appendDependent(_ index: UInt32, to record: UnsafeMutablePointer<OperationRecord>) {
        let first = record.pointee.firstDependent
        if first == .max {
            record.pointee.firstDependent = index
            edges.pointer(index).pointee.previousDependent = index
        } else {
            let last = edges.pointer(first).pointee.previousDependent
            edges.pointer(index).pointee.previousDependent = last
            edges.pointer(last).pointee.nextDependent = index
            edges.pointer(first).pointee.previousDependent = index
        }
    }

    private func unlinkDependency(_ index: UInt32, of record: UnsafeMutablePointer<OperationRecord>) {
        let (previous, next) = (edges[index].previousDependency, edges[index].nextDependency)
        let isFirst = record.pointee.firstDependency == index
        if isFirst { record.pointee.firstDependency = next }
        if next != .max {
            edges.pointer(next).pointee.previousDependency = previous
        } else if !isFirst {
            edges.pointer(record.pointee.firstDependency).pointee.previousDependency = previous
        }
        if !isFirst { edges.pointer(previous).pointee.nextDependency = next }
    }

    /// Takes an edge out of the list of its unfinished `from`.
    private func unlinkDependent(_ index: UInt32) {
        let (previous, next) = (edges[index].previousDependent, edges[index].nextDependent)
        let record = store.pointer(edges[index].from)
        let isFirst = record.pointee.firstDependent == index
        if isFirst { record.pointee.firstDependent = next }
        if next != .max {
            edges.pointer(next).pointee.previousDependent = previous
        } else if !isFirst {
            edges.pointer(record.pointee.firstDependent).pointee.previousDependent = previous
        }
        if !isFirst { edges.pointer(previous).pointee.nextDependent = next }
    }
}
