/// Measures how long one slice of Lua code runs: code that does not wait.
///
/// Pure: it has no threads and no clock. Callers pass moments in nanoseconds, and the count of beginnings and ends of
/// slices: odd while one runs.
struct SliceClock {
    /// The actions that are due.
    struct Step: Equatable {
        /// Whether the slice is to be interrupted.
        var interrupts = false
        /// Whether the slice continues although it was interrupted long ago.
        var refuses = false
    }

    /// The slice that ran at the last check, and the moment since which it is known to run.
    private var seen: UInt64 = 0
    private var since: Int64 = 0
    /// The moment of the first interruption of that slice; nil before it.
    private var interruptedAt: Int64?

    /// Checks the slice that runs.
    ///
    /// - Parameters:
    ///   - limit: How long a slice may run. One that continues is interrupted again after the same time, since
    ///     variables that it closes may run without an end, too.
    ///   - grace: How long it may continue after the first interruption; nil for any time.
    mutating func step(_ slice: UInt64, _ now: Int64, limit: Int64, grace: Int64?) -> Step {
        if slice != seen {
            (seen, since, interruptedAt) = (slice, now, nil)
            return Step()
        }
        var step = Step()
        if let grace, let interruptedAt { step.refuses = now - interruptedAt >= grace }
        guard now - since >= limit else { return step }
        since = now
        interruptedAt = interruptedAt ?? now
        step.interrupts = true
        return step
    }
}
