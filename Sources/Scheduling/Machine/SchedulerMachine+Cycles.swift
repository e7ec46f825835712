extension SchedulerMachine {
    /// The operations along the cycle that running `id` after `other` would close, from `id` on; nil if there is none.
    ///
    /// Costs nothing if no operation waits for `id`, for a group around it, or for the start of `id` as a group: then
    /// no path leads back to it.
    mutating func pathThatCloses(_ id: OperationID, _ other: OperationID) -> [OperationID]? {
        let record = store.pointer(id.slot)
        let hasDependents = record.pointee.firstDependent != .max
        let inner = innerQueue(around: id.slot)
        let holdsMore = holdsOperations(id.slot)
        if !hasDependents, !holdsMore {
            guard let inner, isWaitedFor(inner, by: other) else { return nil }
        }
        // Without dependents, the path back leads through the group around it; nothing else inside can wait for that.
        beginWalk()
        let isFree = hasDependents || holdsMore
        guard
            let path = walk(from: other, to: id.slot, outside: isFree ? nil : inner, startsInside: holdsMore)
        else { return nil }
        return [id] + path
    }

    /// The operations along the cycle that putting `id` into a group would close, from the group on.
    ///
    /// Several calls in succession may share one `beginWalk`.
    mutating func pathThatCloses(_ id: OperationID, into inner: UInt32) -> [OperationID]? {
        let group = queues[Int(inner)].ownerGroup
        if let path = pathFromStart(of: group, to: id) { return path }
        guard isWaitedFor(inner, by: id) else { return nil }
        if id == group { return [group] }
        guard let path = walk(from: id, to: group.slot, outside: inner) else { return nil }
        return [group] + path
    }

    /// The path from an operation through the dependencies of a group that has not started, back to that
    /// operation or to what is inside of it.
    private mutating func pathFromStart(of group: OperationID, to id: OperationID) -> [OperationID]? {
        guard waitsToStart(group.slot), hasDependents(id.slot) || holdsOperations(id.slot) else { return nil }
        beginWalk()
        // The marks of this walk mean nothing to the next one.
        defer { beginWalk() }
        var way = [startStep(of: group.slot)]
        guard let path = walk(&way, to: id.slot, outside: nil, startsInside: holdsOperations(id.slot)) else {
            return nil
        }
        return [id] + path
    }

    private func hasDependents(_ slot: UInt32) -> Bool { store.pointer(slot).pointee.firstDependent != .max }

    /// Whether an operation is a group that has not started, with operations inside that wait for that.
    private func holdsOperations(_ slot: UInt32) -> Bool {
        let record = store.pointer(slot)
        guard record.pointee.extras != .max, let inner = extras(of: record)?.innerQueue, inner != .max else {
            return false
        }
        return queues[Int(inner)].firstOperation != .max
    }

    /// Whether a group, or one around it, has dependencies and has not started.
    private func waitsToStart(_ group: UInt32) -> Bool {
        var next: UInt32? = group
        while let slot = next {
            let record = store.pointer(slot)
            if record.pointee.phase == .executing { return false }
            if record.pointee.firstDependency != .max { return true }
            next = innerQueue(around: slot).map { queues[Int($0)].ownerGroup.slot }
        }
        return false
    }

    /// Whether an operation is inside of a group, at any depth.
    private func isInside(_ slot: UInt32, _ group: UInt32) -> Bool {
        var next = innerQueue(around: slot)
        while let inner = next {
            let owner = queues[Int(inner)].ownerGroup
            guard store.live(owner) != nil else { return false }
            if owner.slot == group { return true }
            next = innerQueue(around: owner.slot)
        }
        return false
    }

    /// Starts a walk that has visited nothing.
    mutating func beginWalk() {
        nextMark &+= 1
        walkedStarts.removeAll(keepingCapacity: true)
    }

    /// Whether the group of an inner queue, or one around that, has dependents or is `id`.
    private func isWaitedFor(_ inner: UInt32, by id: OperationID) -> Bool {
        var queue: UInt32? = inner
        while let inner = queue {
            let group = queues[Int(inner)].ownerGroup
            guard let record = store.live(group) else { return false }
            if group == id || record.pointee.firstDependent != .max { return true }
            queue = innerQueue(around: group.slot)
        }
        return false
    }

    /// The inner queue of the group that contains the operation.
    private func innerQueue(around slot: UInt32) -> UInt32? {
        let queue = store.pointer(slot).pointee.queue
        return queue != .max && queues[Int(queue)].kind == .inner ? queue : nil
    }

    /// A place on the path of a walk, and the steps that are still to be tried from there.
    private struct Step {
        var slot: UInt32
        var edge: UInt32
        var inside: UInt32
        /// The group around it whose start it waits for.
        var group: UInt32
    }

    /// The next step of a walk: an operation, or the start of a group.
    private enum Place {
        case operation(UInt32)
        case start(UInt32)
    }

    /// The path from an operation to `target`, along everything that it waits for, without the target; visits
    /// each operation once.
    ///
    /// - Parameters:
    ///   - outside: The inner queue of a group whose operations are known to have no path to the target.
    ///   - startsInside: Whether a path to an operation inside the target counts, too, since that operation
    ///     waits for the start of the target.
    private mutating func walk(
        from start: OperationID,
        to target: UInt32,
        outside inner: UInt32?,
        startsInside: Bool = false
    ) -> [OperationID]? {
        let first = store.pointer(start.slot)
        if first.pointee.mark == nextMark || (inner != nil && first.pointee.queue == inner) { return nil }
        var way = [step(at: start.slot)]
        if startsInside, isInside(start.slot, target) { return way.map { store.id($0.slot) } }
        return walk(&way, to: target, outside: inner, startsInside: startsInside)
    }

    private mutating func walk(
        _ way: inout [Step],
        to target: UInt32,
        outside inner: UInt32?,
        startsInside: Bool
    ) -> [OperationID]? {
        while let last = way.indices.last {
            guard let place = advance(&way[last]) else {
                way.removeLast()
                continue
            }
            switch place {
            case .start(let group):
                if walkedStarts.insert(group).inserted { way.append(startStep(of: group)) }
            case .operation(let next):
                if next == target { return way.map { store.id($0.slot) } }
                let reached = store.pointer(next)
                if reached.pointee.mark == nextMark || (inner != nil && reached.pointee.queue == inner) {
                    continue
                }
                way.append(step(at: next))
                if startsInside, isInside(next, target) { return way.map { store.id($0.slot) } }
            }
        }
        return nil
    }

    private mutating func step(at slot: UInt32) -> Step {
        let record = store.pointer(slot)
        record.pointee.mark = nextMark
        walkedCount += 1
        let phase = record.pointee.phase
        guard phase != .finished, phase != .ending else {
            return Step(slot: slot, edge: .max, inside: .max, group: .max)
        }
        var inside = UInt32.max
        if let inner = extras(of: record)?.innerQueue, inner != .max {
            inside = queues[Int(inner)].firstOperation
        }
        return Step(
            slot: slot,
            edge: record.pointee.firstDependency,
            inside: inside,
            group: groupToStart(slot)
        )
    }

    /// The start of a group waits for its dependencies, and for the start of the group around it.
    private func startStep(of group: UInt32) -> Step {
        let edge = store.pointer(group).pointee.firstDependency
        return Step(slot: group, edge: edge, inside: .max, group: groupToStart(group))
    }

    /// The group whose start an operation inside of it waits for; `.max` if there is none.
    private func groupToStart(_ slot: UInt32) -> UInt32 {
        guard let inner = innerQueue(around: slot) else { return .max }
        let group = queues[Int(inner)].ownerGroup
        guard let record = store.live(group), record.pointee.phase != .executing else { return .max }
        return group.slot
    }

    /// The next thing that the operation at a step waits for: a dependency, an operation inside it, or the
    /// start of its group.
    private func advance(_ step: inout Step) -> Place? {
        while step.edge != .max {
            let edge = edges.pointer(step.edge)
            step.edge = edge.pointee.nextDependency
            if edge.pointee.outcome == nil { return .operation(edge.pointee.from) }
        }
        if step.inside != .max {
            let slot = step.inside
            step.inside = store.pointer(slot).pointee.nextInQueue
            return .operation(slot)
        }
        guard step.group != .max else { return nil }
        defer { step.group = .max }
        return .start(step.group)
    }
}
