/// The commonest start and the commonest end of what the script thread runs, on the shortest way.
///
/// As in ``SchedulerMachine`` for workers: an operation without a time limit, a retry and resources, in a queue without a width and
/// without barriers. What these ways do is what the general ones do; the random graphs that are run against the reference model go
/// through both.
extension SchedulerMachine {
    /// Starts the next operation of a queue in which there is nothing to choose. Nil where there is more to ask, or nothing: then
    /// nothing was changed.
    @inline(__always)
    mutating func takePlainForScript(_ index: Int) -> OperationID? {
        let queue = queues.pointer(index)
        guard let list = queue.pointee.onlyList, queue.pointee.onlyLane == .script,
            queue.pointee.kind == .ordinary, queue.pointee.width < 0, !queue.pointee.isSuspended,
            queue.pointee.family == nil, let entry = list.pointee.firstInLine, isLive(entry)
        else { return nil }
        list.pointee.takeFirstInLine()
        queue.pointee.executingCount += 1
        let record = store.pointer(entry.slot)
        record.pointee.flags.remove(.retrying)
        record.pointee.flags.insert(.holdsSlot)
        record.pointee.phase = .executing
        record.pointee.attempt &+= 1
        if record.pointee.extras != .max { startTimeout(entry.slot) }
        report(.started, entry.slot)
        return OperationID(slot: entry.slot, generation: record.pointee.generation)
    }

    /// Takes the start of an operation out of the event log, if it is the last that happened.
    @inline(__always)
    func dropLastStart(of id: OperationID?) {
        let last = events.count - 1
        guard last >= 0, let id, events[last].id == id, events[last].kind == .started else { return }
        events.truncate(to: last)
    }

    private static let scriptFlags: OperationRecord.Flags = [.reports, .allowsFailure, .holdsSlot]

    /// The body of an executing operation succeeded. False where there is more to do: then nothing was changed.
    @inline(__always)
    mutating func plainScriptBodySucceeded(_ id: OperationID) -> Bool {
        guard let record = store.live(id), record.pointee.lane == .script, record.pointee.phase == .executing,
            record.pointee.flags.isSubset(of: Self.scriptFlags), record.pointee.flags.contains(.holdsSlot),
            record.pointee.extras == .max
        else { return false }
        let queue = queues.pointer(Int(record.pointee.queue))
        // The width may have been changed since it started.
        guard queue.pointee.width < 0, queue.pointee.kind == .ordinary, !queue.pointee.isDropped,
            queue.pointee.barriers.isEmpty, queue.pointee.family == nil
        else { return false }
        queue.pointee.executingCount -= 1
        record.pointee.flags.remove(.holdsSlot)
        record.pointee.phase = .finished
        record.pointee.outcome = .succeeded
        if record.pointee.firstDependency != .max { dropDependencies(id.slot) }
        record.pointee.unfinishedDependencies = 0
        report(.finished, id.slot, wasExecuting: true)
        takeOut(record, of: queue)
        queue.pointee.barriers.finishedWithoutBarriers()
        if record.pointee.firstDependent != .max {
            releaseDependents(id.slot, .succeeded)
            if !endings.isEmpty { drainEndings() }
        }
        return true
    }
}
