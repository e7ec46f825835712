public import Scheduling

/// Time for tests of Swift code that uses `Scheduling`: it stands still until somebody moves it, and starts at zero.
///
/// With a `SimulatedExecutor` an hour of retries and timers takes no time, and one seed is always the same run:
///
/// ```swift
/// let clock = VirtualClock()
/// let scheduler = Scheduler(clock.configuration(seed: 7))
/// let executor = SimulatedExecutor(scheduler)
/// let queue = ScheduledQueue(scheduler, width: 1)
/// // … add operations and timers, as the code under test does
/// executor.run()
/// #expect(clock.now == .seconds(3600))
/// ```
///
/// A value is a handle: copies are the same clock. From any thread.
public struct VirtualClock: Sendable {
    /// The clock for `Scheduler.Configuration.clock`.
    public let schedulerClock: SchedulerClock

    /// Makes a clock that stands at zero.
    public init() { schedulerClock = .virtual() }

    /// How far it has gone, to the nanosecond.
    public var now: Duration { .nanoseconds(schedulerClock.now) }

    /// Moves it forward; a negative duration changes nothing.
    ///
    /// What has become due starts when the executor or the scheduler looks next. While `SimulatedExecutor.run()` goes
    /// on it is moved by that.
    public func advance(by duration: Duration) { advance(to: now + duration) }

    /// Moves it forward to a moment; one that has passed changes nothing. At most some 292 years.
    public func advance(to moment: Duration) {
        let (seconds, attoseconds) = moment.components
        guard seconds >= 0 else { return }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLate) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        schedulerClock.advance(to: overflow || isLate ? .max : sum)
    }

    /// A configuration for a scheduler that runs nothing on threads: a `SimulatedExecutor` runs its bodies, by this
    /// clock.
    ///
    /// - Parameter seed: Decides what the rules leave open: which of several executing bodies ends first, which queue
    ///   starts something next. Try several; one that fails fails again.
    public func configuration(seed: UInt64 = 0) -> Scheduler.Configuration {
        var configuration = Scheduler.Configuration()
        configuration.clock = schedulerClock
        configuration.executor = .simulated(seed: seed)
        return configuration
    }
}
