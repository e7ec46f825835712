/// Gathers the events that the subscribers of the host receive in batches, on their own threads.
final class HostEvents: EventSubscriber {
    private let gathered = PlainMemory(EventGatherer())
    private let hub: BatchHub<EventBatch>

    init(_ hub: BatchHub<EventBatch>) { self.hub = hub }

    override func receive(_ event: EngineEvent) {
        guard hub.isObserved, let kind = ScriptEvent.Kind(event) else { return }
        let view = event.operation
        let hasName = view?.pointee.flags.contains(.hasName) ?? true
        gathered.value.note(
            kind,
            event.identity,
            event.moment,
            work: hasName ? nil : view?.pointee.work,
            named: view.map { runtime.operations.name($0) } ?? "timer"
        )
        if gathered.value.isFull { handOut() }
    }

    override func handOut() {
        if !gathered.value.isEmpty { hub.publish(gathered.value.take()) }
    }
}
