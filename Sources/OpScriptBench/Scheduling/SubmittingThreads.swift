internal import Dispatch
internal import Foundation
internal import Scheduling

extension Shape {
    /// Several threads that add to one queue, one operation after the other; the time includes creating and
    /// ending the threads.
    static let submitting: [Shape] = [2, 8, 64].flatMap { threads in
        [
            .timed("scheduling.threads.\(threads)") { n, tally in
                let queue = ScheduledQueue(shared)
                submit(n, from: threads) { queue.add { tally.add() } }
                queue.waitUntilAllOperationsAreFinished()
            },
            .timed("dispatch.threads.\(threads)") { n, tally in
                let queue = DispatchQueue.global()
                let group = DispatchGroup()
                submit(n, from: threads) { queue.async(group: group) { tally.add() } }
                group.wait()
            },
        ]
    }

    /// Calls `add` once for each operation, from several threads, and returns after the last call.
    private static func submit(_ n: Int, from threads: Int, _ add: @escaping @Sendable () -> Void) {
        let calls = DispatchGroup()
        for thread in 0..<threads {
            calls.enter()
            Thread.detachNewThread {
                for _ in 0..<(n * (thread + 1) / threads - n * thread / threads) { add() }
                calls.leave()
            }
        }
        calls.wait()
    }
}
