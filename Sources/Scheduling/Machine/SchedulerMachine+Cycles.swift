extension SchedulerMachine {
    /// The operations along the circle that running `id` after `other` would close, from `id` on; nil if there is none.
    ///
    /// Costs nothing if no operation waits for `id` or for a group around it: then no path leads back to it.
    mutating func pathThatCloses(_ id: OperationID, _ other: OperationID) -> [OperationID]? {
        let record = store.pointer(id.slot)
        let hasDependents = record.pointee.firstDependent != .max
        let inner = innerQueue(around: id.slot)
        if !hasDependents {
            guard let inner, isWaitedFor(inner, by: other) else { return nil }
        }
        // Without dependents, the path back leads through the group around it; nothing else inside can wait for that.
        beginWalk()
        guard let path = walk(from: other, to: id.slot, outside: hasDependents ? nil : inner) else {
            return nil
        }
        return [id] + path
    }

    /// The operations along the circle that putting `id` into a group would close, from the group on.
    ///
    /// Several calls in succession may share one `beginWalk`.
    mutating func pathThatCloses(_ id: OperationID, into inner: UInt32) -> [OperationID]? {
        guard isWaitedFor(inner, by: id) else { return nil }
        let group = queues[Int(inner)].ownerGroup
        if id == group { return [group] }
        guard let path = walk(from: id, to: group.slot, outside: inner) else { return nil }
        return [group] + path
    }

    /// Starts a walk that has visited nothing.
    mutating func beginWalk() {
        nextMark &+= 1
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

    /// A place on the path of a walk, and what is still to be tried from there.
    private struct Step {
        var slot: UInt32
        var edge: UInt32
        var inside: UInt32
    }

    /// The path from an operation to `target`, along what it waits for, without the target; visits each operation once.
    ///
    /// - Parameter outside: The inner queue of a group whose operations are known to have no path to the target.
    private mutating func walk(
        from start: OperationID,
        to target: UInt32,
        outside inner: UInt32?
    ) -> [OperationID]? {
        let first = store.pointer(start.slot)
        if first.pointee.mark == nextMark || (inner != nil && first.pointee.queue == inner) { return nil }
        var way = [step(at: start.slot)]
        while let last = way.indices.last {
            guard let next = advance(&way[last]) else {
                way.removeLast()
                continue
            }
            if next == target { return way.map { store.id($0.slot) } }
            let reached = store.pointer(next)
            if reached.pointee.mark == nextMark || (inner != nil && reached.pointee.queue == inner) {
                continue
            }
            way.append(step(at: next))
        }
        return nil
    }

    private mutating func step(at slot: UInt32) -> Step {
        let record = store.pointer(slot)
        record.pointee.mark = nextMark
        walkedCount += 1
        let phase = record.pointee.phase
        guard phase != .finished, phase != .ending else { return Step(slot: slot, edge: .max, inside: .max) }
        var inside = UInt32.max
        if let inner = extras(of: record)?.innerQueue, inner != .max {
            inside = queues[Int(inner)].firstOperation
        }
        return Step(slot: slot, edge: record.pointee.firstDependency, inside: inside)
    }

    /// The next operation that the one at a step waits for: a dependency, or one inside it.
    private func advance(_ step: inout Step) -> UInt32? {
        while step.edge != .max {
            let edge = edges.pointer(step.edge)
            step.edge = edge.pointee.nextDependency
            if edge.pointee.outcome == nil { return edge.pointee.from }
        }
        guard step.inside != .max else { return nil }
        let slot = step.inside
        step.inside = store.pointer(slot).pointee.nextInQueue
        return slot
    }
}
