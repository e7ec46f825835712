internal import LuaVM
internal import Scheduling
internal import Synchronization

/// Measures on a thread of its own how long Lua runs without a wait and how long a run takes, and interrupts Lua at the
/// limits.
///
/// Each slice costs the script thread two steps of a counter. The watching thread sleeps until the next moment that
/// matters; while a slice with a limit runs, it wakes four times per limit.
final class TimeWatch: Sendable {
    /// Which limit interrupts Lua.
    enum Reason: Int {
        case slice
        case run
        /// The run has not ended within its grace period.
        case grace
    }

    private let watch: LuaWatch
    private let sliceLimit: Int64?
    private let runLimit: Int64?
    private let parker = Parker()
    private let isAsleep = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let reasonValue = Atomic<Int>(0)
    private let deadlines: Mutex<RunDeadlines>
    /// Called on the watching thread with the number of the run.
    private let onLimit: @Sendable (_ reason: Reason, _ run: Int) -> Void

    /// nil if nothing has a limit.
    init?(
        _ watch: LuaWatch,
        _ configuration: ScriptEngine.Configuration,
        onLimit: @escaping @Sendable (_ reason: Reason, _ run: Int) -> Void
    ) {
        self.watch = watch
        self.onLimit = onLimit
        sliceLimit = configuration.sliceLimit.map { max(1_000_000, $0.nanoseconds) }
        runLimit = configuration.runLimit.map { max(0, $0.nanoseconds) }
        let gracePeriod = (configuration.gracePeriod ?? (runLimit == nil ? nil : .seconds(1)))
            .map { max(0, $0.nanoseconds) }
        deadlines = Mutex(RunDeadlines(gracePeriod: gracePeriod))
        guard sliceLimit != nil || runLimit != nil || gracePeriod != nil else { return nil }
        let started = SystemThread.start(name: "opscript-limit", stackSize: 256 << 10) { self.look() }
        // Not a precondition: this message is shown in optimized builds, too.
        if !started { fatalError("the system has no thread to give for the limits of time") }
    }

    /// Which limit the last interrupt was for.
    var reason: Reason { Reason(rawValue: reasonValue.load(ordering: .acquiring)) ?? .slice }

    // MARK: On the thread of the Lua state

    /// Notes that a slice begins.
    func begin() {
        watch.step()
        if sliceLimit != nil, isAsleep.load(ordering: .sequentiallyConsistent),
            isAsleep.exchange(false, ordering: .acquiringAndReleasing)
        {
            parker.unpark()
        }
    }

    /// Whether a slice has begun and not ended.
    var isInSlice: Bool { watch.slice & 1 == 1 }

    /// Notes that the slice ends.
    func end() { watch.step() }

    /// Notes that a run begins; returns its number.
    func runBegins() -> Int {
        reasonValue.store(Reason.slice.rawValue, ordering: .releasing)
        let run = deadlines.withLock { deadlines in
            deadlines.runBegins(SchedulerClock.systemNow, limit: runLimit)
            return deadlines.run
        }
        parker.unpark()
        return run
    }

    /// Notes that the run is over: nothing is interrupted any more on its behalf.
    func runEnds() {
        deadlines.withLock { $0.runEnds() }
        reasonValue.store(Reason.slice.rawValue, ordering: .releasing)
    }

    // MARK: From any thread

    /// Notes that the run was cancelled: from now on its grace period counts. Later calls change nothing.
    func graceBegins() {
        let next = deadlines.withLock { deadlines in
            deadlines.graceBegins(SchedulerClock.systemNow)
            return deadlines.next
        }
        if next != .max { parker.unpark() }
    }

    /// Makes the thread end.
    func stop() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        parker.unpark()
    }

    // MARK: On the watching thread

    private func look() {
        var seen: UInt64 = 0
        var since: Int64 = 0
        while !isOver.load(ordering: .acquiring) {
            let slice = watch.slice
            let now = SchedulerClock.systemNow
            var next = meetDeadlines(now, slice)
            if let sliceLimit, slice & 1 == 1 {
                if slice != seen {
                    seen = slice
                    since = now
                } else if now - since >= sliceLimit {
                    watch.expire(slice)
                    // If the slice goes on, it is interrupted again: close variables that never end get one grace
                    // period.
                    since = now
                }
                next = min(next, now + sliceLimit / 4)
            } else {
                isAsleep.store(true, ordering: .sequentiallyConsistent)
                // A slice that began since then has seen that this thread was awake.
                if sliceLimit != nil, watch.slice != slice { next = now }
            }
            if next == .max { parker.park() } else if next > now { _ = parker.park(nanoseconds: next - now) }
            isAsleep.store(false, ordering: .relaxed)
        }
    }

    /// Does what is due; returns when to look again.
    private func meetDeadlines(_ now: Int64, _ slice: UInt64) -> Int64 {
        let (step, run, next) = deadlines.withLock { deadlines in
            (deadlines.step(now), deadlines.run, deadlines.next)
        }
        if let met = step.met {
            // The grace period after a limit of the run still belongs to that limit.
            if reason == .slice { reasonValue.store(met.rawValue, ordering: .releasing) }
            onLimit(met, run)
        }
        if step.interrupts, slice & 1 == 1 { watch.expire(slice) }
        return next
    }
}
