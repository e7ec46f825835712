internal import Scheduling

extension ScriptRuntime {
    /// How many events are gathered before subscribers get them, while there is more to do.
    private static let eventBatchSize = 512

    /// Tells subscribers of an operation, if there are any.
    @inline(__always)
    func tell(_ kind: @autoclosure () -> ScriptEvent.Kind, _ block: OperationPointer) {
        if link.events.isObserved { gather(kind(), block) }
    }

    @inline(never)
    private func gather(_ kind: ScriptEvent.Kind, _ block: OperationPointer) {
        gather(kind, name(block), eventIdentity(block.pointee.id))
    }

    /// What tells an operation apart for subscribers.
    func eventIdentity(_ id: OperationID) -> UInt64 {
        UInt64(id.generation & 0x7fff_ffff) << 32 | UInt64(id.slot)
    }

    /// Tells subscribers that an operation was added, and whether it is ready.
    @inline(__always)
    func tellAddition(_ block: OperationPointer) {
        guard link.events.isObserved else { return }
        gather(.added, block)
        if block.pointee.flags.contains(.isReady) { gather(.ready, block) }
    }

    /// Tells subscribers of a timer.
    func tellFire(of timer: ScriptTimer) {
        guard link.events.isObserved else { return }
        if timer.number == 0 {
            timerCount += 1
            timer.number = timerCount
        }
        // Operations have the highest bit clear.
        gather(.fired, "timer", 1 << 63 | timer.number)
    }

    private func gather(_ kind: ScriptEvent.Kind, _ name: String, _ identity: UInt64) {
        trace?.note(kind, name, identity, at: scheduler.clock.now)
        let time = Double(scheduler.clock.now) / 1e9
        let event = ScriptEvent(kind, name: name, identity: identity, time: time)
        driver?.record(event)
        gatheredEvents.append(event)
        if gatheredEvents.count >= Self.eventBatchSize { handOutEvents() }
    }

    /// Gives subscribers what was gathered.
    func handOutEvents() {
        guard !gatheredEvents.isEmpty else { return }
        link.events.publish(gatheredEvents)
        gatheredEvents = []
        gatheredEvents.reserveCapacity(Self.eventBatchSize)
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
