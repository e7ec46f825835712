import Scheduling
import Synchronization

/// Holds a thread back while it computes: one that sleeps would give its share of threads to another after some
/// milliseconds.
final class BusyGate: Sendable {
    private let isOpen = Atomic<Bool>(false)

    func open() { isOpen.store(true, ordering: .releasing) }

    func pass() {
        let deadline = SchedulerClock.systemNow + 60_000_000_000
        while !isOpen.load(ordering: .acquiring), SchedulerClock.systemNow < deadline {}
    }
}

final class Notes: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}
