/// Receives the events of an engine, each at once, on the script thread.
///
/// To make another kind of subscriber, inherit from this in a file of its own, and add it to an ``EventOutlet``.
/// A subscriber whose receivers are on other threads hands them batches. It is a class and not a protocol: only a
/// class can be called without counting references.
class EventSubscriber {
    // unowned(unsafe) because the runtime owns the outlet, which owns this, and no event is reported before the
    // runtime has all its parts or after it is gone. Set once, by the outlet.
    private final unowned(unsafe) var joined: ScriptRuntime?

    /// For rare uses only: each use counts references.
    final var runtime: ScriptRuntime {
        guard let joined else {
            preconditionFailure("an event was reported before the runtime had all its parts")
        }
        return joined
    }

    /// The runtime has all its parts.
    final func join(_ runtime: ScriptRuntime) { joined = runtime }

    /// An event of an audience to which this was added.
    func receive(_ event: EngineEvent) {}

    /// The script waits, or a run has ended: gathered events are due.
    func handOut() {}
}
