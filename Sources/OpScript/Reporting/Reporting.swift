internal import Scheduling

/// Tells subscribers, and the host's logs, metrics and spans, what happens.
///
/// Owns what is told next and to whom. Called by the parts where something happens.
final class Reporting: RuntimePart {
    let virtualTime: VirtualTime

    /// What subscribers are told next.
    let gatheredEvents: PlainMemory<EventGatherer>
    /// Who hears of each event at once.
    private var sinks: [any EventSink] = []
    /// Whom to tell of operations; nil where the host has no backend for that.
    var telemetry: Telemetry?
    /// Whom to tell of what is submitted in nobody else's name: of the run, or of the last request.
    var audience: TelemetryAudience?
    /// Those of the last audience.
    var meters: OperationMeters?

    init(_ foundation: RuntimeFoundation, virtualTime: VirtualTime) {
        self.virtualTime = virtualTime
        gatheredEvents = PlainMemory(
            EventGatherer(isOnVirtualTime: foundation.configuration.clock == .virtual)
        )
        super.init(foundation)
        if let trace = virtualTime.trace { add(trace) }
    }

    /// A sink hears of all events from now on.
    func add(_ sink: any EventSink) {
        sinks.append(sink)
        link.events.watch()
    }

    /// A sink hears of no more events.
    func remove(_ sink: any EventSink) {
        guard let place = sinks.firstIndex(where: { $0 === sink }) else { return }
        sinks.remove(at: place)
        link.events.unwatch()
    }

    /// Whether somebody hears of events at once.
    var hasSinks: Bool { !sinks.isEmpty }

    /// Tells those of an event who hear of it at once.
    func tellSinks(_ kind: EventRecord.Kind, _ name: String, _ identity: UInt64) {
        let now = scheduler.clock.now
        for sink in sinks { sink.note(kind.shown(0), name, identity, at: now) }
    }
}
