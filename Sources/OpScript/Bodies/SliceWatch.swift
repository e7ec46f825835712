internal import LuaVM
internal import Scheduling
internal import Synchronization

/// Measures on a thread of its own how long Lua runs without a wait, and interrupts it at the limit.
///
/// Each slice costs the script thread two steps of a counter. The watching thread sleeps while nothing runs, and else
/// wakes four times per limit.
final class SliceWatch: Sendable {
    private let watch: LuaWatch
    private let limit: Int64
    private let parker = Parker()
    private let isAsleep = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)

    init(_ watch: LuaWatch, limit: Duration) {
        self.watch = watch
        self.limit = max(1_000_000, limit.nanoseconds)
        let started = SystemThread.start(name: "opscript-limit", stackSize: 256 << 10) { self.look() }
        // Not a precondition: this message is shown in optimized builds, too.
        if !started { fatalError("the system has no thread to give for the limit of a slice") }
    }

    /// Notes that a slice begins; called on the thread of the Lua state.
    func begin() {
        watch.step()
        if isAsleep.load(ordering: .sequentiallyConsistent),
            isAsleep.exchange(false, ordering: .acquiringAndReleasing)
        {
            parker.unpark()
        }
    }

    /// Whether a slice has begun and not ended; called on the thread of the Lua state.
    var isInSlice: Bool { watch.slice & 1 == 1 }

    /// Notes that the slice ends.
    func end() { watch.step() }

    /// Makes the thread end.
    func stop() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        parker.unpark()
    }

    private func look() {
        var seen: UInt64 = 0
        var since: Int64 = 0
        while !isOver.load(ordering: .acquiring) {
            let slice = watch.slice
            if slice & 1 == 0 {
                isAsleep.store(true, ordering: .sequentiallyConsistent)
                if watch.slice == slice { parker.park() }
                isAsleep.store(false, ordering: .relaxed)
                continue
            }
            let now = SchedulerClock.systemNow
            if slice != seen {
                seen = slice
                since = now
            } else if now - since >= limit {
                watch.expire(slice)
                // If the slice goes on, it is interrupted again: close variables that never end get one grace period.
                since = now
            }
            _ = parker.park(nanoseconds: limit / 4)
        }
    }
}
