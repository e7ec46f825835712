#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
// The headers of `CLinux` declare the C library's `timespec` once more.
internal import CLinux
internal import Synchronization

/// The source of a scheduler's time: nanoseconds that never decrease.
public final class SchedulerClock: Sendable {
    /// The virtual time in nanoseconds; -1 for the system's clock.
    private let virtualNow: Atomic<Int64>

    private init(virtualNow: Int64) {
        self.virtualNow = Atomic(virtualNow)
    }

    /// The system's monotonic clock.
    public static func monotonic() -> SchedulerClock {
        SchedulerClock(virtualNow: -1)
    }

    /// A clock that stands still until it is advanced; starts at 0.
    public static func virtual() -> SchedulerClock {
        SchedulerClock(virtualNow: 0)
    }

    /// Whether time passes only by ``advance(to:)``.
    public var isVirtual: Bool { virtualNow.load(ordering: .relaxed) >= 0 }

    /// Nanoseconds since an arbitrary moment.
    public var now: Int64 {
        let virtual = virtualNow.load(ordering: .relaxed)
        return virtual >= 0 ? virtual : Self.systemNow
    }

    /// The system's monotonic clock.
    package static var systemNow: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The moment that lies some nanoseconds ahead; the largest number if that is too far away.
    package func moment(after nanoseconds: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(nanoseconds)
        return overflow ? .max : sum
    }

    /// Moves a virtual clock forward; a moment in the past has no effect.
    public func advance(to moment: Int64) {
        precondition(isVirtual, "the system's clock cannot be advanced")
        if moment > virtualNow.load(ordering: .relaxed) { virtualNow.store(moment, ordering: .relaxed) }
    }

    /// Seconds as nanoseconds: NaN and negative numbers give 0, too large a number gives about 146 years.
    public static func nanoseconds(_ seconds: Double) -> Int64 {
        let nanoseconds = seconds * 1e9
        if !(nanoseconds > 0) { return 0 }
        return nanoseconds < 4.6e18 ? Int64(nanoseconds) : 4_600_000_000_000_000_000
    }
}
