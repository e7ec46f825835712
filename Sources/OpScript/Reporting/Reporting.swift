internal import LuaVM
internal import Scheduling

/// Reports events to everything that observes the engine.
///
/// Owns the outlet of events. Every part calls it to report an event, once for each event.
final class Reporting: RuntimePart {
    let outlet: EventOutlet
    /// The same as that of the outlet.
    private let demand: EventDemand
    private let isOnVirtualTime: Bool
    /// Keeps the record of the run, and has the sinks of the host; nil if the record has no receiver.
    let recording: RunRecording?
    let telemetry: Telemetry

    override init(_ foundation: RuntimeFoundation) {
        let (link, configuration) = (foundation.link, foundation.configuration)
        demand = link.demand
        outlet = EventOutlet(demand)
        isOnVirtualTime = configuration.clock == .virtual
        recording = configuration.needsRecording ? RunRecording(foundation) : nil
        telemetry = Telemetry(link, foundation.scheduler.clock)
        super.init(foundation)
        if let recording { outlet.add(recording, to: [.life, .record]) }
        outlet.add(HostEvents(link.events), to: .life, isIdle: true)
        if let notableEnd = configuration.notableEnd {
            outlet.add(NotableEnds(runState, notableEnd), to: .bodies)
        }
    }

    /// Reports an event. Without a subscriber for events of its kind, that is one check.
    ///
    /// - Parameters:
    ///   - operation: Nil for events of timers, queues and the run.
    ///   - moment: When the script thread learned of it, in nanoseconds; needed for the audience `life`.
    @inline(__always)
    func tell(
        _ kind: EngineEvent.Kind,
        _ operation: OperationPointer? = nil,
        at moment: @autoclosure () -> Int64 = 0
    ) {
        guard demand.contains(kind.audience) else { return }
        report(kind, operation, moment())
    }

    @inline(never)
    private func report(_ kind: EngineEvent.Kind, _ operation: OperationPointer?, _ moment: Int64) {
        // Virtual time may have advanced since an event was fetched.
        let moment = isOnVirtualTime && kind.audience == .life ? scheduler.clock.now : moment
        outlet.report(EngineEvent(kind: kind, operation: operation, moment: moment))
    }

    /// Reports that an operation was added, and whether it is ready.
    @inline(__always)
    func tellAddition(_ view: OperationPointer) {
        guard demand.contains(.life) else { return }
        let now = scheduler.clock.now
        report(.added, view, now)
        if view.pointee.flags.contains(.isReady) { report(.ready, view, now) }
    }

    /// Reports an event of each operation at consecutive stack indices.
    func tell(_ kind: EngineEvent.Kind, ofEach indices: ClosedRange<Int32>, _ state: LuaState) {
        guard demand.contains(kind.audience) else { return }
        for index in indices {
            if let view = runtime.operations.operation(state, index) { report(kind, view, 0) }
        }
    }

    // MARK: Logs, metrics and spans

    /// The audience for the operations of a request; nil if it has no backends.
    func audience(of backends: TelemetryBackends?) -> TelemetryAudience? {
        guard let backends else { return nil }
        outlet.add(telemetry, to: [.life, .submission])
        return telemetry.audience(of: backends)
    }

    /// Ends the telemetry: no submitted operation reports again.
    func closeTelemetry() {
        telemetry.close()
        outlet.remove(telemetry)
    }
}
