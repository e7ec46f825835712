#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import CLinux
internal import Synchronization

/// The scheduler's one lock: tries for a moment before it sleeps.
///
/// Critical sections are short (a fraction of a microsecond), so a thread that finds the lock taken does best
/// to retry. The standard library's `Mutex` hands itself over in order of priority, which costs a context
/// switch for each contended acquisition: measured here, some ten times the time per operation with two
/// workers. See decision 0007.
struct SchedulerLock: ~Copyable, @unchecked Sendable {
    // @unchecked because the pointers never change and the pointees are safe for several threads.

    /// Free; taken; taken, and a thread may sleep until it is free.
    private enum Word {
        static let free: UInt32 = 0
        static let taken: UInt32 = 1
        static let awaited: UInt32 = 2
    }

    /// In a cache line of its own: waiting threads do not contend for a line that the holder works on.
    private let word: UnsafeMutablePointer<Atomic<UInt32>>
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Signals that a thread that waits under `mutex` may recheck.
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        word = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
            .bindMemory(to: Atomic<UInt32>.self, capacity: 1)
        word.initialize(to: Atomic(Word.free))
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
        word.deinitialize(count: 1)
        UnsafeMutableRawPointer(word).deallocate()
    }

    /// Takes it.
    @inline(__always)
    func lock() {
        if !tryLock() { lockSlowly() }
    }

    @inline(__always)
    func unlock() {
        if word.pointee.exchange(Word.free, ordering: .releasing) == Word.awaited { wake() }
    }

    /// Takes it if it is free.
    @inline(__always)
    func tryLock() -> Bool {
        word.pointee.compareExchange(expected: Word.free, desired: Word.taken, ordering: .acquiring).exchanged
    }

    /// The first pause before another try, in nanoseconds; each is twice as long as the one before.
    private static let shortestPause: Int64 = 100
    private static let longestPause: Int64 = 3_200
    /// After waiting this long in all, the holder may have been preempted: then it is better to sleep.
    private static let longestWait: Int64 = 50_000

    /// Tries again after pauses: polling without a pause would keep the owner from its own cache line.
    @inline(never)
    private func lockSlowly() {
        var now = SchedulerClock.systemNow
        let end = now + Self.longestWait
        var pause = Self.shortestPause
        while now < end {
            let next = now + pause
            repeat {
                linux_pause()
                now = SchedulerClock.systemNow
            } while now < next
            pause = min(pause * 2, Self.longestPause)
            if word.pointee.load(ordering: .relaxed) == Word.free, tryLock() { return }
        }
        sleep()
    }

    /// Sleeps until it is free, and takes it.
    private func sleep() {
        pthread_mutex_lock(mutex)
        // A thread that unlocks after this exchange locks `mutex`, and gets it only once this thread waits.
        while word.pointee.exchange(Word.awaited, ordering: .acquiring) != Word.free {
            pthread_cond_wait(condition, mutex)
        }
        pthread_mutex_unlock(mutex)
    }

    @inline(never)
    private func wake() {
        pthread_mutex_lock(mutex)
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
