/// The moments at which a repeating timer ticks; a late check does not delay the next tick.
package struct TimerGrid: Equatable, Sendable {
    /// The next tick that has not been counted, in nanoseconds on the scheduler's clock; `.max` for never.
    package private(set) var next: Int64
    /// Nanoseconds from one tick to the next; 0 for one tick in all.
    package let interval: Int64

    /// Begins `delay` nanoseconds after `now`.
    package init(now: Int64, delay: Int64, interval: Int64) {
        let (sum, overflow) = now.addingReportingOverflow(delay)
        next = overflow ? .max : sum
        self.interval = interval
    }

    /// Whether no tick is left.
    package var isOver: Bool { next == .max }

    /// Counts the ticks up to `now`, and forgets them.
    package mutating func takeTicks(_ now: Int64) -> Int {
        guard next != .max, next <= now else { return 0 }
        guard interval > 0 else {
            next = .max
            return 1
        }
        let count = (now - next) / interval + 1
        let (step, tooFar) = count.multipliedReportingOverflow(by: interval)
        let (sum, overflow) = next.addingReportingOverflow(step)
        next = tooFar || overflow ? .max : sum
        return Int(count)
    }
}
