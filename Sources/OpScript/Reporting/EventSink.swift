/// Hears of each event of operations and timers at once, on the script thread.
///
/// Subscribers of the host (`engine.events`) hear of them in batches, and on their own threads. A sink inside the
/// engine is a type in a file of its own, and one call of ``Reporting/add(_:)``. While there is no sink and no
/// subscriber, no event is made.
protocol EventSink: AnyObject {
    /// - Parameters:
    ///   - name: Of the operation; `timer` for a timer.
    ///   - identity: What tells operations and timers apart; a timer's has the highest bit set.
    ///   - moment: When the script thread learned of it, in nanoseconds on the scheduler's clock.
    func note(_ kind: ScriptEvent.Kind, _ name: String, _ identity: UInt64, at moment: Int64)
}
