import Synchronization
import Testing

@testable import Scheduling

@Suite(.timeLimit(.minutes(20))) struct SchedulerLockTests {
    /// A count that only the lock protects.
    private final class Guarded: @unchecked Sendable {
        // @unchecked because the lock is what is tested.
        let lock = SchedulerLock()
        var count = 0
        let leftCount = Atomic<Int>(0)
        let parker = Parker()
    }

    @Test func `one thread at a time is inside, whether others poll or sleep`() {
        let guarded = Guarded()
        let (threads, stays) = (4, 5_000)
        for number in 0..<threads {
            let started = SystemThread.start(name: "lock") {
                for stay in 0..<stays {
                    guarded.lock.lock()
                    let before = guarded.count
                    // Sometimes holds the lock long enough for all other threads to fall asleep.
                    if stay % 500 == number { _ = Parker().park(nanoseconds: 1_000_000) }
                    guarded.count = before + 1
                    guarded.lock.unlock()
                }
                if guarded.leftCount.add(1, ordering: .acquiringAndReleasing).newValue == threads {
                    guarded.parker.unpark()
                }
            }
            #expect(started)
        }
        #expect(guarded.parker.park(nanoseconds: 600_000_000_000))
        #expect(guarded.count == threads * stays)
    }
}
