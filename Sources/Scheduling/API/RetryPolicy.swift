/// How often and after which delays a failed operation is tried again.
public struct RetryPolicy: Sendable, Equatable {
    /// How the delay grows from one attempt to the next.
    public enum Backoff: UInt8, Sendable {
        /// Always the same.
        case constant
        /// Once, twice, three times the delay.
        case linear
        /// Once, twice, four times the delay.
        case exponential
    }

    /// How many attempts there are in all, the first included; at least 1.
    public var attempts: Int
    /// Nanoseconds before the second attempt.
    public var delay: Int64
    /// How the delay grows.
    public var backoff: Backoff
    /// The longest delay, in nanoseconds.
    public var maximumDelay: Int64
    /// The share of the delay, from 0 to 1, by which chance may lengthen or shorten it.
    public var jitter: Double
    /// Whether the reader of events decides after each failure if another attempt makes sense.
    package var isJudged = false

    /// Creates a policy; by default it retries at once.
    public init(
        attempts: Int,
        delay: Int64 = 0,
        backoff: Backoff = .constant,
        maximumDelay: Int64 = .max,
        jitter: Double = 0
    ) {
        self.attempts = max(1, attempts)
        self.delay = max(0, delay)
        self.backoff = backoff
        self.maximumDelay = max(0, maximumDelay)
        self.jitter = min(1, max(0, jitter))
    }

    /// Nanoseconds to wait after attempt number `attempt` (from 1) failed.
    ///
    /// - Parameter chance: between 0 and 1; 0.5 means no jitter.
    package func delay(afterAttempt attempt: Int, chance: Double) -> Int64 {
        if delay == 0 { return 0 }
        let factor: Double =
            switch backoff {
            case .constant: 1
            case .linear: Double(attempt)
            case .exponential: attempt > 62 ? .infinity : Double(1 << (attempt - 1))
            }
        let plain = min(Double(delay) * factor, Double(maximumDelay))
        let jittered = plain * (1 + jitter * (2 * chance - 1))
        return Int64(min(max(0, jittered), Double(Int64.max / 4)))
    }
}

/// A retry policy in memory of its own, because few operations have one.
package final class RetryBox: Sendable {
    package let policy: RetryPolicy

    package init(_ policy: RetryPolicy) { self.policy = policy }
}
