/// An operation before the machine knows it, and while that only counts it.
///
/// All of this is under the scheduler's lock.
extension ScheduledOperation {
    // MARK: Being made known

    /// Makes it known to the machine; gives its identity.
    @inline(never)
    func introduce(to core: SchedulerCore) -> OperationID {
        if knownID == .inStretch {
            // All that had not ended are known; so it has.
            knownID = core.machine.endedUnknown()
        } else if let early = EarlyDependency(knownID) {
            introduce(dependingOn: early, to: core)
        } else {
            let isJoining = knownID == .joining
            create(in: core)
            // So that it is not added twice.
            if isJoining { _ = core.machine.joinsBatch(knownID) }
        }
        return knownID
    }

    private func create(in core: SchedulerCore) {
        knownID = core.machine.operationCreated(lane: end.lane)
        if name != Self.defaultName { core.shell.names[knownID.slot] = name }
    }

    // MARK: Additions together

    /// Whether it may be added with a batch that has begun; it may once.
    @inline(__always)
    func joinsBatch(_ core: SchedulerCore, _ scheduler: Scheduler) -> Bool {
        guard self.scheduler === scheduler else { return false }
        if knownID == .none || knownID == .dependedOn {
            knownID = .joining
            return true
        }
        return knownID != .joining && core.machine.joinsBatch(known(to: core))
    }

    /// The batch that it joined is not added.
    func leavesBatch() {
        if knownID == .joining { knownID = .dependedOn }
    }

    /// Whether it may be one of a stretch; it is from now on.
    @inline(__always)
    func joinsStretch(_ scheduler: Scheduler) -> Bool {
        guard knownID == .none || knownID == .dependedOn, self.scheduler === scheduler, end.lane == .worker
        else { return false }
        knownID = .inStretch
        return true
    }

    /// The same for one that has to depend on the one before it, and on nothing else.
    @inline(__always)
    func joinsStretch(_ scheduler: Scheduler, after previous: Unmanaged<ScheduledOperation>) -> Bool {
        guard dependsEarly(on: previous), self.scheduler === scheduler, end.lane == .worker else {
            return false
        }
        knownID = .inStretch
        // The stretch holds all of them.
        previous.release()
        return true
    }

    /// Whether it is known to nobody, and depends on this one alone.
    @inline(__always)
    func dependsEarly(on previous: Unmanaged<ScheduledOperation>) -> Bool {
        EarlyDependency(knownID)?.operation.toOpaque() == previous.toOpaque()
    }

    /// The stretch that it joined is not added.
    ///
    /// - Parameter previous: What it depended on, if on anything.
    func leavesStretch(after previous: Unmanaged<ScheduledOperation>?) {
        guard let previous else {
            knownID = .dependedOn
            return
        }
        knownID = EarlyDependency(on: previous.retain(), isDependedOn: true)?.packed ?? .none
    }

    /// The machine comes to know it, after it was one of a stretch. False if it has ended before.
    func becomesKnown() -> Bool { end.becomesKnown() }

    /// It is what the machine knows as `id`, after it was one of a stretch.
    func setKnown(as id: OperationID) { knownID = id }

    // MARK: Dependencies

    /// Depends on another from now on, without the machine: where that knows neither of them, this one depends on nothing and nobody on any of
    /// them. Under the lock. False otherwise: then nothing was changed.
    @inline(__always)
    func dependsEarly(newlyOn other: ScheduledOperation) -> Bool {
        guard knownID == .none, self !== other else { return false }
        let early = EarlyDependency(on: Unmanaged.passUnretained(other), isDependedOn: false)
        guard let early else { return false }
        if other.knownID == .none {
            other.knownID = .dependedOn
        } else {
            guard let others = EarlyDependency(other.knownID), !others.isDependedOn,
                let packed = EarlyDependency(on: others.operation, isDependedOn: true)?.packed
            else { return false }
            other.knownID = packed
        }
        _ = early.operation.retain()
        knownID = early.packed
        return true
    }

    /// Makes it known to the machine with what it depends on, and so on. Under the lock.
    private func introduce(dependingOn early: EarlyDependency, to core: SchedulerCore) {
        // One after the other, not by recursion: a chain may be long.
        var line = [self]
        var next: EarlyDependency? = early
        while let early = next {
            let operation = early.operation.takeUnretainedValue()
            line.append(operation)
            next = EarlyDependency(operation.knownID)
        }
        var before = line.removeLast()
        var beforeID = before.known(to: core)
        while let operation = line.popLast() {
            operation.create(in: core)
            let id = operation.knownID
            do throws(SchedulingFailure) {
                if let outcome = before.end.outcome {
                    try core.machine.dependencyAdded(id, onFinished: beforeID, outcome, when: .notFailed)
                } else if !core.machine.plainDependencyAdded(id, on: beforeID, when: .notFailed) {
                    try core.machine.dependencyAdded(id, on: beforeID, when: .notFailed)
                }
            } catch {
                preconditionFailure("a dependency that was taken before is refused now: \(error)")
            }
            // What held it is let go of outside the lock.
            core.letGoLater(Unmanaged.passUnretained(before))
            before = operation
            beforeID = id
        }
    }

    /// Lets go of what one that is gone depended on: one after the other, not by recursion.
    static func letGo(of early: EarlyDependency) {
        var operation = early.operation.takeRetainedValue()
        while isKnownUniquelyReferenced(&operation), let next = EarlyDependency(operation.knownID) {
            operation.knownID = .none
            operation = next.operation.takeRetainedValue()
        }
    }
}
