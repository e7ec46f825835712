internal import Dispatch
internal import Foundation
internal import Scheduling
internal import Synchronization

extension Shape {
    /// How long an operation that is ready waits for its start while all workers are idle: nanoseconds of one
    /// operation.
    ///
    /// Between two operations, nothing is added for 0 to 300 µs, so that workers search, fall asleep or have
    /// slept for a while.
    static let waits: [Shape] = [("median", 0.5), ("longest", 1)].flatMap { name, share in
        [
            .waited("scheduling.wait.\(name)") { n, tally in
                let queue = ScheduledQueue(shared)
                return wait(n, share, tally) { body in queue.add { body() } }
            },
            .waited("dispatch.wait.\(name)") { n, tally in
                let queue = DispatchQueue.global()
                return wait(n, share, tally) { body in queue.async { body() } }
            },
            .waited("foundation.wait.\(name)") { n, tally in
                let queue = OperationQueue()
                return wait(n, share, tally) { body in queue.addOperation { body() } }
            },
        ]
    }

    /// Adds one operation after the other, each after the one before has run.
    ///
    /// - Parameter share: The share of all waits that are at most as long as the result.
    private static func wait(
        _ n: Int,
        _ share: Double,
        _ tally: Tally,
        _ add: (@escaping @Sendable () -> Void) -> Void
    ) -> Int {
        let clock = SchedulerClock.monotonic()
        let start = Atomic<Int64>(0)
        var waits: [Int64] = []
        for round in 0..<n {
            // 7 919 and 300 are coprime, so all pauses occur, in no particular order.
            let pause = clock.now + Int64(round * 7919 % 300) * 1000
            while clock.now < pause {}
            start.store(0, ordering: .relaxed)
            let added = clock.now
            add {
                tally.add()
                start.store(clock.now, ordering: .releasing)
            }
            while start.load(ordering: .acquiring) == 0 {}
            waits.append(start.load(ordering: .relaxed) - added)
        }
        waits.sort()
        return Int(waits[Int(Double(n - 1) * share)])
    }
}
