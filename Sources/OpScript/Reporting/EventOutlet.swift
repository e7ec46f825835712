internal import Scheduling

/// The one way of events out of the engine: owns the subscribers, and passes each event to those of its audience.
///
/// Confined to the script thread, except `demand`.
final class EventOutlet {
    private struct Place: BitwiseCopyable {
        // Safe because `subscribers` holds it, and none is added or removed during an event.
        let subscriber: Unmanaged<EventSubscriber>
        let audience: EngineEvent.Audience
    }

    /// The audiences that have subscribers. It is checked before an event is made.
    let demand: EventDemand
    private var subscribers: [EventSubscriber] = []
    private let places = PlainBuffer<Place>(capacity: 8)
    private let latest = PlainMemory(Int64.min)
    // unowned(unsafe) as in `EventSubscriber`.
    private unowned(unsafe) var joined: ScriptRuntime?

    init(_ demand: EventDemand) { self.demand = demand }

    /// The runtime has all its parts.
    func join(_ runtime: ScriptRuntime) {
        joined = runtime
        for subscriber in subscribers { subscriber.join(runtime) }
    }

    /// Makes a subscriber receive the events of these audiences from now on, each after the subscribers that were added
    /// before it. One that was added already stays as it is.
    ///
    /// - Parameter isIdle: Whether it wants them only while it has set the demand by itself.
    func add(_ subscriber: EventSubscriber, to audience: EngineEvent.Audience, isIdle: Bool = false) {
        if subscribers.contains(where: { $0 === subscriber }) { return }
        if let joined { subscriber.join(joined) }
        subscribers.append(subscriber)
        places.append(Place(subscriber: .passUnretained(subscriber), audience: audience))
        if !isIdle { demand.set(audience, of: subscriber) }
    }

    /// Makes a subscriber receive no more events.
    func remove(_ subscriber: EventSubscriber) {
        guard let index = subscribers.firstIndex(where: { $0 === subscriber }) else { return }
        demand.set([], of: subscriber)
        let rest = places.elements.indices.filter { $0 != index }.map { places[$0] }
        places.truncate()
        for place in rest { places.append(place) }
        subscribers.remove(at: index)
    }

    /// Passes an event on. Moments of events of the audience `life` never decrease.
    func report(_ event: EngineEvent) {
        let audience = event.kind.audience
        var event = event
        if audience == .life {
            event.moment = max(event.moment, latest.value)
            latest.value = event.moment
        }
        for place in places.elements where place.audience.contains(audience) {
            place.subscriber._withUnsafeGuaranteedRef { $0.receive(event) }
        }
    }

    /// Makes all subscribers deliver the events that they have gathered.
    func handOut() {
        for subscriber in subscribers { subscriber.handOut() }
    }
}
