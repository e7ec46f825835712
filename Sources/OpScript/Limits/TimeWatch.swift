internal import LuaVM
internal import Scheduling
internal import Synchronization

/// Measures how long Lua runs without a wait and how long a run takes, and interrupts Lua at the limits.
///
/// Each slice costs the script thread two steps of a counter. The process's `AlarmClock` calls at the next moment that
/// matters; while a slice with a limit runs, that is four times per limit.
final class TimeWatch: Sendable {
    /// The limit that interrupts Lua.
    enum Reason: Int {
        case slice
        case run
        /// The run has not ended within its grace period.
        case grace
        /// The run was cancelled, and its Lua code has not waited for a while.
        case loop
        /// A person stops the code that runs at the moment; the run continues.
        case person
    }

    private let watch: LuaWatch
    private let sliceLimit: Int64?
    private let runLimit: Int64?
    /// The limit of a slice in a run that was cancelled; nil for that of any other run.
    private let loops: LoopInterruption?
    /// Whether no check is planned: then a slice that begins has to request one.
    private let isAsleep = Atomic<Bool>(true)
    private let isOver = Atomic<Bool>(false)
    private let reasonValue = Atomic<Int>(0)
    private let deadlines: Mutex<RunDeadlines>
    private let looking = Mutex(Looking())
    /// Called on the clock's thread with the number of the run.
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
        loops = configuration.loopInterruption
        let gracePeriod = (configuration.gracePeriod ?? (runLimit == nil ? nil : .seconds(1)))
            .map { max(0, $0.nanoseconds) }
        deadlines = Mutex(RunDeadlines(gracePeriod: gracePeriod))
        guard sliceLimit != nil || runLimit != nil || gracePeriod != nil || loops != nil else { return nil }
    }

    private struct Looking {
        var machine = VisitMachine()
        var alarm: TimerHandle?
        var slice = SliceClock()
    }

    /// The limit of the last interrupt.
    var reason: Reason { Reason(rawValue: reasonValue.load(ordering: .acquiring)) ?? .slice }

    // MARK: On the thread of the Lua state

    /// Notes that a slice begins.
    func begin() {
        watch.step()
        if sliceLimit != nil, isAsleep.load(ordering: .sequentiallyConsistent),
            isAsleep.exchange(false, ordering: .acquiringAndReleasing)
        {
            call()
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
        if runLimit != nil { call() }
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
        if next != .max || loops != nil { call() }
    }

    /// Interrupts the Lua code that runs at the moment, if any does; later code is not affected.
    func interrupt() {
        let slice = watch.slice
        guard slice & 1 == 1 else { return }
        if reason == .slice { reasonValue.store(Reason.person.rawValue, ordering: .releasing) }
        watch.expire(slice)
    }

    /// Nothing is watched any more.
    func stop() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        let alarm = looking.withLock { $0.alarm.take() }
        if let alarm { AlarmClock.shared.cancel(alarm) }
    }

    /// Requests a check soon on the clock's thread.
    private func call() {
        if looking.withLock({ $0.machine.call() }) { askForVisit() }
    }

    private func askForVisit() {
        let alarm = AlarmClock.shared.set(at: SchedulerClock.systemNow) { self.visit() }
        guard alarm == nil else { return }
        // The system refuses a thread for the clock.
        Task {
            try? await Task.sleep(for: ScriptThreads.refusalPause)
            self.askForVisit()
        }
    }

    // MARK: On the clock's thread

    private func visit() {
        let old = looking.withLock { looking in
            looking.machine.begin()
            return looking.alarm.take()
        }
        if let old { AlarmClock.shared.cancel(old) }
        while true {
            let next = isOver.load(ordering: .acquiring) ? .max : look()
            let leaves = looking.withLock { looking in
                guard looking.machine.mayLeave() else { return false }
                if next != .max {
                    looking.alarm = AlarmClock.shared.set(at: next) { [weak self] in self?.call() }
                }
                return true
            }
            if leaves { return }
        }
    }

    /// Serves everything that is due; returns the moment of the next check, `.max` if only a call requests
    /// one.
    private func look() -> Int64 {
        let slice = watch.slice
        let now = SchedulerClock.systemNow
        let next = meetDeadlines(now, slice)
        let isCancelled = deadlines.withLock { $0.isCancelled }
        let loops = isCancelled ? loops : nil
        guard let limit = [sliceLimit, loops?.delay.nanoseconds].compactMap(\.self).min() else { return next }
        if slice & 1 == 0 {
            // After a cancellation it looks now and then until the run ends.
            if loops != nil { return min(next, now + limit / 4) }
            isAsleep.store(true, ordering: .sequentiallyConsistent)
            // A slice that began since then has seen that a check is planned.
            guard watch.slice != slice, isAsleep.exchange(false, ordering: .acquiringAndReleasing) else {
                return next
            }
            return now
        }
        let step = looking.withLock { looking in
            looking.slice.step(slice, now, limit: limit, grace: loops?.grace.nanoseconds)
        }
        if step.interrupts {
            if limit != sliceLimit, reason == .slice || reason == .person {
                reasonValue.store(Reason.loop.rawValue, ordering: .releasing)
            }
            watch.expire(slice)
        }
        if step.refuses { loops?.onRefusal() }
        return min(next, now + limit / 4)
    }

    /// Serves everything that is due; returns the moment of the next check.
    private func meetDeadlines(_ now: Int64, _ slice: UInt64) -> Int64 {
        let (step, run, next) = deadlines.withLock { deadlines in
            (deadlines.step(now), deadlines.run, deadlines.next)
        }
        if let met = step.met {
            // The grace period after a limit of the run still belongs to that limit.
            if reason == .slice || reason == .person {
                reasonValue.store(met.rawValue, ordering: .releasing)
            }
            onLimit(met, run)
        }
        if step.interrupts, slice & 1 == 1 { watch.expire(slice) }
        return next
    }
}
