/// Decides for one event source how events are merged, when the source is armed, and which handler is called
/// next.
///
/// Pure: its inputs report events, and its results are the actions of the caller. It knows no descriptor, no
/// thread and no handler.
///
/// Handlers are called one at a time, in this order: registration once, events as long as there are any, cancel once.
/// After that there are no more calls.
package struct SourceMachine {
    /// How events that have not been served yet are merged into one.
    package enum Merge: Sendable {
        /// The numbers are added.
        case add
        /// Their bits are united.
        case or
        /// The last one counts; 0 discards all earlier events.
        case replace
        /// There is only one possible event, which lasts until it is served: the source is re-armed after each event.
        case level
    }

    /// The next call.
    package enum Call: Equatable, Sendable {
        case registration
        /// The merged number; 1 for `level`.
        case event(Int)
        case cancel
    }

    /// An action of the caller.
    package struct Orders: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Have the system watch for events.
        package static let arm = Orders(rawValue: 1)
        /// Have the system stop watching.
        package static let disarm = Orders(rawValue: 2)
        /// Make sure that ``nextCall()`` is called where handlers run.
        package static let call = Orders(rawValue: 4)
        /// The source is retired: release the handlers.
        package static let retire = Orders(rawValue: 8)
    }

    private enum Phase {
        case inactive, active, cancelled, retired
    }

    package let merge: Merge
    private var phase = Phase.inactive
    private var pending = 0
    private var registrationIsDue = false
    /// A call was requested and has not been fetched.
    private var isAsked = false
    /// The call that was fetched and has not ended.
    private var calling: Call?
    private(set) var isArmed = false
    /// How often it was suspended and not resumed.
    package private(set) var suspendCount = 0
    /// Whether the queue of its handlers is suspended: a requested call has to wait there.
    package private(set) var isQueueSuspended = false
    /// No more events will come: the file is gone, the other end has hung up, or the only tick is over.
    package private(set) var isExhausted = false
    /// Whether there is an event handler. Without one, events are kept.
    private var hasHandler = false

    package init(_ merge: Merge) { self.merge = merge }

    package var isInactive: Bool { phase == .inactive }
    package var isActive: Bool { phase == .active }
    package var isCancelled: Bool { phase == .cancelled || phase == .retired }
    package var isRetired: Bool { phase == .retired }
    package var isSuspended: Bool { suspendCount > 0 }
    /// Whether a handler runs, or one is to be called.
    package var isBusy: Bool { calling != nil || isAsked }
    /// Whether it has to be kept alive without references: an event may still come, or a call is on its way.
    package var isHeld: Bool { isBusy || (phase == .active && suspendCount == 0 && !isExhausted) }
    /// Whether a handler may still be called because of an event from outside.
    package var isExpecting: Bool {
        phase == .active && suspendCount == 0 && !isQueueSuspended && !isExhausted && hasHandler
    }
    /// Whether there are events for which the event handler has not been called.
    package var hasEvent: Bool { pending != 0 && hasHandler }

    // MARK: Inputs

    /// Whether there is an event handler.
    package mutating func handlerChanged(isThere: Bool) -> Orders {
        hasHandler = isThere
        return settle()
    }

    package mutating func activated() -> Orders {
        guard phase == .inactive else { return [] }
        phase = .active
        registrationIsDue = true
        return settle()
    }

    package mutating func suspended() -> Orders {
        suspendCount += 1
        return settle()
    }

    /// An inactive source that is not suspended becomes active. Returns `nil` if it was neither suspended nor inactive.
    package mutating func resumed() -> Orders? {
        if suspendCount == 0 {
            guard phase == .inactive else { return nil }
            return activated()
        }
        suspendCount -= 1
        return settle()
    }

    /// The queue of its handlers, or a queue above that one, was suspended or resumed.
    package mutating func queueSuspensionChanged(to isSuspended: Bool) -> Orders {
        isQueueSuspended = isSuspended
        return settle()
    }

    package mutating func cancelled() -> Orders {
        guard !isCancelled else { return [] }
        phase = .cancelled
        pending = 0
        return settle()
    }

    /// The run is over: no handler is called any more.
    package mutating func abandoned() { phase = .retired }

    /// An event came, or data was merged.
    package mutating func happened(_ number: Int) -> Orders {
        guard !isCancelled else { return [] }
        switch merge {
        case .add:
            let (sum, overflow) = pending.addingReportingOverflow(number)
            pending = overflow ? .max : sum
        case .or: pending |= number
        case .replace: pending = number
        case .level: pending = 1
        }
        return settle()
    }

    /// No more events will come; earlier events are still served.
    package mutating func exhausted() -> Orders {
        isExhausted = true
        return settle()
    }

    /// The thing that the source waits for has changed. Events that were not served are dropped, and new ones
    /// may come. The caller has disarmed the source.
    package mutating func changed() -> Orders {
        guard !isCancelled else { return [] }
        isExhausted = false
        pending = 0
        isArmed = false
        return settle()
    }

    /// The requested call can now be made; nil if there is nothing left to call.
    package mutating func nextCall() -> Call? {
        isAsked = false
        guard calling == nil else { return nil }
        switch phase {
        case .inactive, .retired: return nil
        case .cancelled: calling = .cancel
        case .active:
            guard suspendCount == 0 else { return nil }
            if registrationIsDue {
                registrationIsDue = false
                calling = .registration
            } else if hasEvent {
                calling = .event(pending)
                pending = 0
            }
        }
        return calling
    }

    /// The call that ``nextCall()`` returned has returned or failed.
    package mutating func callEnded() -> Orders {
        guard let ended = calling.take() else { return [] }
        if ended == .cancel {
            phase = .retired
            return settle().union(.retire)
        }
        return settle()
    }

    /// The requested call will not be made: the operation that was to make it has been cancelled.
    package mutating func callWasLost() -> Orders {
        isAsked = false
        return settle()
    }

    // MARK: Consequences

    /// Events that are merged are accepted at any time; a lasting event is watched for only when it could be
    /// served.
    private var wantsToBeArmed: Bool {
        guard phase == .active, !isExhausted else { return false }
        guard case .level = merge else { return true }
        return suspendCount == 0 && !isQueueSuspended && pending == 0 && calling == nil
    }

    private var wantsCall: Bool {
        guard calling == nil, !isAsked else { return false }
        switch phase {
        case .inactive, .retired: return false
        case .cancelled: return true
        case .active: return suspendCount == 0 && (registrationIsDue || hasEvent)
        }
    }

    private mutating func settle() -> Orders {
        var orders: Orders = []
        if wantsToBeArmed != isArmed {
            isArmed.toggle()
            orders.insert(isArmed ? .arm : .disarm)
        }
        if wantsCall {
            isAsked = true
            orders.insert(.call)
        }
        return orders
    }
}
