internal import Scheduling

extension ScriptRuntime {
    /// Tells subscribers of an operation, if there are any.
    ///
    /// - Parameter moment: When the script thread learned of it, in nanoseconds; else now.
    @inline(__always)
    func tell(_ kind: @autoclosure () -> ScriptEvent.Kind, _ block: OperationPointer, at moment: Int64? = nil) {
        if link.events.isObserved { gather(kind(), block, at: moment ?? scheduler.clock.now) }
    }

    @inline(never)
    private func gather(_ kind: ScriptEvent.Kind, _ block: OperationPointer, at moment: Int64) {
        let identity = eventIdentity(block.pointee.id)
        if trace != nil || driver != nil { record(kind, name(block), identity) }
        // Virtual time may have gone on since, and says what is seen.
        let moment = gatheredEvents.moment(scheduler.clock.isVirtual ? scheduler.clock.now : moment)
        if block.pointee.flags.contains(.hasName) {
            gatheredEvents.note(.init(kind), identity, moment, name: name(block))
        } else {
            gatheredEvents.note(.init(kind), identity, moment, work: block.pointee.work) { defaultName(block) }
        }
        if gatheredEvents.isFull { handOutEvents() }
    }

    /// What tells an operation apart for subscribers.
    func eventIdentity(_ id: OperationID) -> UInt64 {
        UInt64(id.generation & 0x7fff_ffff) << 32 | UInt64(id.slot)
    }

    /// Tells subscribers that an operation was added, and whether it is ready.
    @inline(__always)
    func tellAddition(_ block: OperationPointer) {
        guard link.events.isObserved else { return }
        let now = scheduler.clock.now
        gather(.added, block, at: now)
        if block.pointee.flags.contains(.isReady) { gather(.ready, block, at: now) }
    }

    /// Tells subscribers of a timer.
    func tellFire(of timer: ScriptTimer) {
        guard link.events.isObserved else { return }
        if timer.number == 0 {
            timerCount += 1
            timer.number = timerCount
        }
        // Operations have the highest bit clear.
        let identity = 1 << 63 | timer.number
        record(.fired, "timer", identity)
        gatheredEvents.note(.fired, identity, gatheredEvents.moment(scheduler.clock.now), name: "timer")
        if gatheredEvents.isFull { handOutEvents() }
    }

    /// Tells those of an event who hear of it at once.
    private func record(_ kind: ScriptEvent.Kind, _ name: String, _ identity: UInt64) {
        let now = scheduler.clock.now
        trace?.note(kind, name, identity, at: now)
        driver?.record(ScriptEvent(kind, name: name, identity: identity, time: Double(now) / 1e9))
    }

    /// Gives subscribers what was gathered.
    func handOutEvents() {
        if !gatheredEvents.isEmpty { link.events.publish(gatheredEvents.take()) }
    }
}

extension ScriptOperation.Outcome {
    init(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        case .skipped, .skippedQuietly: self = .skipped
        }
    }
}
