import Synchronization
import Testing

@testable import Scheduling

/// If the system refuses threads, everything continues as soon as it provides them.
@Suite(.timeLimit(.minutes(5))) struct RefusedThreadTests {
    /// Refuses threads, and counts the requests.
    private final class MiserlyThreads: ThreadStarter {
        private struct State {
            var isRefusing = true
            var requests = 0
            /// The number of the request from which on it provides threads.
            var patience = Int.max
        }

        private let state = Mutex(State())

        var requests: Int { state.withLock { $0.requests } }

        /// Provides threads after this many more requests.
        func refuses(_ more: Int) { state.withLock { $0.patience = $0.requests + more } }

        private func gives() -> Bool {
            state.withLock { state in
                state.requests += 1
                return state.requests > state.patience
            }
        }

        func startWorker(of lane: ExecutionLane, for scheduler: Scheduler) -> Bool {
            gives() && SystemThreads().startWorker(of: lane, for: scheduler)
        }

        func startService(_ life: @escaping @Sendable () -> Void) -> Bool {
            gives() && SystemThreads().startService(life)
        }
    }

    private let threads = MiserlyThreads()
    private let scheduler: Scheduler

    init() {
        var configuration = Scheduler.Configuration()
        configuration.threads = threads
        scheduler = Scheduler(configuration)
    }

    @Test(arguments: [0, 1, 2, 3, 10]) func `added operations run once there is one`(refused: Int) {
        let queue = ScheduledQueue(scheduler)
        let operation = queue.add {}
        // A worker, and the service thread that would request again: once each.
        #expect((2...4).contains(threads.requests))
        threads.refuses(refused)
        #expect(operation.waitUntilFinished(timeout: 60))
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }

    @Test func `a thread that waits for the end of a queue requests again`() {
        let queue = ScheduledQueue(scheduler)
        queue.add(blocks: (0..<100).map { _ in {} })
        threads.refuses(4)
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
    }

    @Test func `a timer fires once there is one`() {
        let queue = ScheduledQueue(scheduler)
        let fired = Gate()
        let timer = ScheduledTimer(queue, interval: 0.001) { _ in fired.open() }
        #expect(threads.requests == 1)
        threads.refuses(3)
        // Every waiting thread requests again.
        let other = queue.add {}
        #expect(other.waitUntilFinished(timeout: 60))
        #expect(fired.pass())
        #expect(!timer.isValid)
    }

    @Test func `sources are refused with a reason`() throws {
        #expect(throws: SystemFailure.self) { try scheduler.eventMonitor() }
        threads.refuses(0)
        _ = try scheduler.eventMonitor()
    }
}
