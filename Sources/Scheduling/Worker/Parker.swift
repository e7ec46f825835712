#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
// The headers of `CLinux` declare the C library's `timespec` once more.
internal import CLinux

/// A place where one thread sleeps until another thread wakes it.
///
/// A wake-up that comes before the sleep is not lost.
package final class Parker: @unchecked Sendable {
    // @unchecked because `mutex` guards `wakeCount`, and the pointers never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// Wake-ups that were not used yet.
    ///
    /// Guarded by `mutex`.
    private var wakeCount = 0

    package init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Wakes the sleeper, now or at its next `park`.
    package func unpark() {
        pthread_mutex_lock(mutex)
        wakeCount += 1
        // Under the mutex, so that the sleeper cannot free the condition while it is signalled.
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Sleeps until `unpark` is called.
    package func park() {
        pthread_mutex_lock(mutex)
        // `while` because a condition may wake spuriously.
        while wakeCount == 0 { pthread_cond_wait(condition, mutex) }
        wakeCount -= 1
        pthread_mutex_unlock(mutex)
    }

    /// Sleeps until `unpark` is called, at most `nanoseconds`.
    ///
    /// False if the time ran out.
    package func park(nanoseconds: Int64) -> Bool {
        let (sum, overflow) = SchedulerClock.systemNow.addingReportingOverflow(max(0, nanoseconds))
        let deadline = overflow ? Int64.max : sum
        var time = timespec()
        time.tv_sec = Int(deadline / 1_000_000_000)
        time.tv_nsec = Int(deadline % 1_000_000_000)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while wakeCount == 0 {
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT, wakeCount == 0 { return false }
        }
        wakeCount -= 1
        return true
    }
}
