internal import Scheduling

/// Tells subscribers, and the host's logs, metrics and spans, what happens.
///
/// Owns the events that are told next, and those who hear of them. Every part calls it when something happens.
final class Reporting: RuntimePart {
    /// What subscribers are told next.
    let gatheredEvents: PlainMemory<EventGatherer>
    /// Who hears of each event at once.
    private var sinks: [any EventSink] = []
    /// What tells the host's backends of operations; nil where the host has no such backend.
    var telemetry: Telemetry?
    /// The backends of the run, or of the last request. They hear of what no other request has submitted.
    var audience: TelemetryAudience?
    /// The meters of that audience.
    var meters: OperationMeters?

    init(_ foundation: RuntimeFoundation, trace: ScriptTrace?) {
        gatheredEvents = PlainMemory(
            EventGatherer(isOnVirtualTime: foundation.configuration.clock == .virtual)
        )
        super.init(foundation)
        if let trace { add(trace) }
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
        let (shown, now) = (kind.shown(0), scheduler.clock.now)
        for sink in sinks { sink.note(shown, name, identity, at: now) }
    }
}
