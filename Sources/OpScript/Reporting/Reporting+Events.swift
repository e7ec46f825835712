internal import OpScriptRecord
internal import Scheduling

extension Reporting {
    /// Reports an event of an operation to subscribers, if there are any.
    ///
    /// - Parameter moment: When the script thread learned of it, in nanoseconds; nil for now.
    @inline(__always)
    func tell(_ kind: @autoclosure () -> EventRecord.Kind, _ view: OperationPointer, at moment: Int64? = nil)
    {
        guard link.events.isObserved else { return }
        gather(kind(), view, at: moment ?? scheduler.clock.now)
    }

    @inline(never)
    private func gather(_ kind: EventRecord.Kind, _ view: OperationPointer, at moment: Int64) {
        if let recording {
            recording.note(kind, view, at: moment)
            guard hasSinks || link.events.hasSubscribers else { return }
        }
        let moment = gatheredEvents.value.isOnVirtualTime ? scheduler.clock.now : moment
        let identity = Self.eventIdentity(view.pointee.id)
        if hasSinks { tellSinks(kind, runtime.operations.name(view), identity) }
        if view.pointee.flags.contains(.hasName) {
            gatheredEvents.value.note(kind, identity, moment, named: runtime.operations.name(view))
        } else {
            let work = view.pointee.work
            if !gatheredEvents.value.knows(work: work) {
                let name = runtime.operations.defaultName(view)
                gatheredEvents.value.learn(work: work, named: name)
            }
            gatheredEvents.value.note(kind, identity, moment)
        }
        if gatheredEvents.value.isFull { handOutEvents() }
    }

    /// The identity of an operation for subscribers.
    @inline(__always)
    static func eventIdentity(_ id: OperationID) -> UInt64 {
        UInt64(id.generation & 0x7fff_ffff) << 32 | UInt64(id.slot)
    }

    /// Reports to subscribers that an operation was added, and whether it is ready.
    @inline(__always)
    func tellAddition(_ view: OperationPointer) {
        guard link.events.isObserved else { return }
        let now = scheduler.clock.now
        gather(.added, view, at: now)
        if view.pointee.flags.contains(.isReady) { gather(.ready, view, at: now) }
    }

    /// Reports to subscribers that a timer has fired.
    func tellFire(of timer: TimerPointer) {
        guard link.events.isObserved else { return }
        if let recording {
            let number = UInt32(truncatingIfNeeded: runtime.timers.number(of: timer))
            recording.recorder.fired(number, at: scheduler.clock.now)
        }
        // Operations have the highest bit clear.
        let identity = 1 << 63 | runtime.timers.number(of: timer)
        if hasSinks { tellSinks(.fired, "timer", identity) }
        gatheredEvents.value.note(.fired, identity, scheduler.clock.now, named: "timer")
        if gatheredEvents.value.isFull { handOutEvents() }
    }

    /// Passes the gathered events to subscribers.
    func handOutEvents() {
        recording?.handOut()
        if !gatheredEvents.value.isEmpty { link.events.publish(gatheredEvents.value.take()) }
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
