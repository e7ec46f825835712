internal import Glibc

/// Lets a thread wait for another one at a place where a task cannot wait: in arguments of tests.
final class Waiter: Sendable {
    // nonisolated(unsafe) because the pointer never changes, and the functions on it are safe for several
    // threads.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    /// False if no signal came within this many seconds.
    func wait(_ seconds: Double) -> Bool {
        var moment = timespec()
        clock_gettime(CLOCK_REALTIME, &moment)
        let whole = min(seconds, 1e9)
        let nanoseconds = moment.tv_nsec + Int((whole - whole.rounded(.down)) * 1e9)
        moment.tv_sec += Int(whole) + nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        while sem_timedwait(semaphore, &moment) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
