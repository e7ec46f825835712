internal import LuaVM
internal import Scheduling

/// Inputs of the script, whose effects the script sees at once.
extension Operations {
    /// Feeds the scheduler with an input of the script, and makes its effects visible, unless they also follow from
    /// ends that the script does not see yet. The callbacks have their turns when the events are taken in.
    @discardableResult
    func feed<Result>(_ input: (SchedulerCore) -> Result) -> Result {
        var effects: [ReaderEffect] = []
        let result = feed(&effects, input)
        show(effects)
        return result
    }

    /// The same, except that the caller makes the effects visible.
    func feed<Result>(_ effects: inout [ReaderEffect], _ input: (SchedulerCore) -> Result) -> Result {
        let seen = agenda.seenEvents
        return scheduler.feed { core in core.readerInput(seenEvents: seen, &effects) { input(core) } }
    }

    /// Makes the effects of an input visible.
    func show(_ effects: [ReaderEffect]) {
        for effect in effects {
            let event = effect.event
            guard let id = entries.identity(of: event), let view = liveView(id) else { continue }
            if let fact = effect.fact { agenda.setFact(fact, of: id) }
            defer { if effect.fact != nil { agenda.dropFact() } }
            switch event.kind {
            case .ready: setReady(view, true)
            case .notReady: setReady(view, false)
            case .cancelled:
                markCancelled(view)
                if event.wasExecuting { runtime.bodies.interrupt(id) }
            case .finished:
                guard !view.pointee.isFinished else { continue }
                // The start is not visible yet.
                if event.wasExecuting { markStarted(view, at: scheduler.clock.now) }
                showEnd(view, event.outcome, at: scheduler.clock.now)
            case .started, .attemptFailed, .retrying, .timedOut, .readerTicket, .externalTicket: break
            }
        }
    }

    /// Takes in the report of a change of readiness that the script has caused and seen, which it may have
    /// changed again.
    func confirmReady(_ view: OperationPointer, _ isReady: Bool) {
        let id = view.pointee.id
        guard view.pointee.flags.contains(.isReady) != isReady, !view.pointee.isFinished,
            scheduler.feed({ $0.isReady(id) }) == isReady
        else { return }
        setReady(view, isReady)
    }
}
