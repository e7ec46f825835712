public import Scheduling

/// Time for tests of Swift code that uses `Scheduling`: it starts at zero, and stands still until the test
/// moves it.
///
/// With a `SimulatedExecutor`, an hour of retries and timers takes no time, and one seed always produces the
/// same run:
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

    /// The time since zero, to the nanosecond.
    public var now: Duration { .nanoseconds(schedulerClock.now) }

    /// Moves it forward; a negative duration has no effect.
    ///
    /// Items that have become due start at the next check of the executor or the scheduler.
    /// `SimulatedExecutor.run()` moves the clock, too.
    public func advance(by duration: Duration) { advance(to: now + duration) }

    /// Moves it forward to a moment; a past moment has no effect. At most some 292 years.
    public func advance(to moment: Duration) {
        let (seconds, attoseconds) = moment.components
        guard seconds >= 0 else { return }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLate) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        schedulerClock.advance(to: overflow || isLate ? .max : sum)
    }

    /// A configuration for a scheduler without threads: a `SimulatedExecutor` runs its bodies, on this clock.
    ///
    /// - Parameter seed: Decides the choices that the rules leave open: which of several executing bodies
    ///   ends first, and which queue starts something next. Try several seeds; a seed that fails always fails
    ///   again.
    public func configuration(seed: UInt64 = 0) -> Scheduler.Configuration {
        var configuration = Scheduler.Configuration()
        configuration.clock = schedulerClock
        configuration.executor = .simulated(seed: seed)
        return configuration
    }
}
