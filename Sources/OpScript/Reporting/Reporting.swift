internal import Scheduling

/// Reports events to subscribers, and to the host's logs, metrics and spans.
///
/// Owns the events that are reported next, and their receivers. Every part calls it to report an event.
final class Reporting: RuntimePart {
    /// The events that subscribers receive next.
    let gatheredEvents: PlainMemory<EventGatherer>
    /// The sinks that receive each event at once.
    private var sinks: [any EventSink] = []
    /// Reports operations to the host's backends; nil if the host has no such backend.
    var telemetry: Telemetry?
    /// The backends of the run, or of the last request. They receive the operations that no other request has
    /// submitted.
    var audience: TelemetryAudience?
    /// The meters of ``audience``.
    var meters: OperationMeters?

    /// Keeps the record of the run, and has the sinks of the host; nil if the record has no receiver.
    let recording: RunRecording?

    override init(_ foundation: RuntimeFoundation) {
        gatheredEvents = PlainMemory(
            EventGatherer(isOnVirtualTime: foundation.configuration.clock == .virtual)
        )
        var sinks = foundation.configuration.sinks
        if let trace = foundation.configuration.traceSink { sinks.append(trace) }
        recording = foundation.configuration.needsRecording ? RunRecording(foundation, sinks: sinks) : nil
        super.init(foundation)
        if recording != nil { link.events.watch() }
    }

    /// Makes a sink receive all events from now on.
    func add(_ sink: any EventSink) {
        sinks.append(sink)
        link.events.watch()
    }

    /// Makes a sink receive no more events.
    func remove(_ sink: any EventSink) {
        guard let place = sinks.firstIndex(where: { $0 === sink }) else { return }
        sinks.remove(at: place)
        link.events.unwatch()
    }

    /// Whether there is any sink.
    var hasSinks: Bool { !sinks.isEmpty }

    /// Passes an event to the sinks.
    func tellSinks(_ kind: EventRecord.Kind, _ name: String, _ identity: UInt64) {
        let (shown, now) = (kind.shown(0), scheduler.clock.now)
        for sink in sinks { sink.note(shown, name, identity, at: now) }
    }
}
