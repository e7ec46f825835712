/// Receives each event of operations and timers at once, on the script thread.
///
/// Subscribers of the host (`engine.events`) receive events in batches, on their own threads, and sinks of
/// the host (`RunSink`) receive facts in batches, on the script thread. To receive each event at once, inside
/// the engine, add such a type in a file of its own, and one call of ``Reporting/add(_:)``. Without a sink
/// and a subscriber, no event is created.
protocol EventSink: AnyObject {
    /// - Parameters:
    ///   - name: The name of the operation; `timer` for a timer.
    ///   - identity: Distinguishes operations and timers; a timer's identity has the highest bit set.
    ///   - moment: When the script thread learned of it, in nanoseconds on the scheduler's clock.
    func note(_ kind: ScriptEvent.Kind, _ name: String, _ identity: UInt64, at moment: Int64)
}
