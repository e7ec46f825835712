#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The scheduler's one lock: tries for a moment before it sleeps.
///
/// Stays in it are short (a fraction of a microsecond), so whoever finds it taken does best to look again. The standard library's
/// `Mutex` hands itself over in order of priority, which costs a change of threads for each contended stay: measured here,
/// some ten times the time per operation with two workers.
struct SchedulerLock: ~Copyable, @unchecked Sendable {
    // @unchecked because the pointer never changes and what it points to is made for several threads.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inline(__always)
    func lock() {
        if pthread_mutex_trylock(mutex) == 0 { return }
        lockSlowly()
    }

    @inline(never)
    private func lockSlowly() {
        // Looking without pause would keep the owner from its own cache line; and where bodies are short, two workers that take
        // turns get less done together than one alone, so whoever comes second leaves the first one a while: 0.1 to 3 µs.
        var pause = 4
        for _ in 0..<16 {
            for _ in 0..<pause { _ = SchedulerClock.systemNow }
            if pthread_mutex_trylock(mutex) == 0 { return }
            pause = min(pause * 2, 128)
        }
        pthread_mutex_lock(mutex)
    }

    @inline(__always)
    func unlock() {
        pthread_mutex_unlock(mutex)
    }
}
