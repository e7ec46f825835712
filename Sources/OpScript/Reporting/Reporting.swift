/// Tells subscribers, and the host's logs, metrics and spans, what happens.
///
/// Owns what is told next and to whom. Called by the parts where something happens.
final class Reporting: RuntimePart {
    let virtualTime: VirtualTime

    /// What subscribers are told next.
    let gatheredEvents: PlainMemory<EventGatherer>
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
    }
}
