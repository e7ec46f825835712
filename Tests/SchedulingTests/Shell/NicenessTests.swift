import CLinux
import Glibc
import Synchronization
import Testing

@testable import Scheduling

@Suite struct NicenessTests {
    /// A thread inherits the niceness of the one that starts it, so the thread of a script became as nice as the worker
    /// that had called it.
    @Test func `a nice thread starts threads that are not nice`() {
        @Sendable func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
        let own = niceness()
        let found = Mutex<[Int32]>([])
        let done = Counter()
        let isStarted = SystemThread.start(name: "nice", niceness: 19) {
            found.withLock { $0.append(niceness()) }
            _ = SystemThread.start(name: "plain") {
                found.withLock { $0.append(niceness()) }
                done.add()
            }
        }
        #expect(isStarted)
        #expect(done.wait(for: 1))
        #expect(found.withLock { $0 } == [19, own])
    }
}
