import Dispatch
import Synchronization
import Testing

@testable import Scheduling

/// Reused threads.
@Suite(.timeLimit(.minutes(5)))
struct SpareThreadsTests {
    /// An object that a body keeps; reports its release.
    private final class Captured: Sendable {
        private let released: CheckedContinuation<Void, Never>

        init(_ released: CheckedContinuation<Void, Never>) { self.released = released }

        deinit { released.resume() }
    }

    /// Runs bodies that all have to be present before one of them ends; returns their threads.
    private static func meet(_ count: Int) async -> [Int32] {
        let gate = DispatchSemaphore(value: 0)
        let threads = Mutex<[Int32]>([])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let ended = Mutex(0)
            for _ in 0..<count {
                let isStarted = SpareThreads.run(name: "test") {
                    let arrived = threads.withLock { threads in
                        threads.append(SystemThread.currentID)
                        return threads.count
                    }
                    if arrived == count { for _ in 0..<count { gate.signal() } }
                    gate.wait()
                    let isLast = ended.withLock { ended in
                        ended += 1
                        return ended == count
                    }
                    if isLast { done.resume() }
                }
                #expect(isStarted)
            }
        }
        return threads.withLock { $0 }
    }

    @Test func `bodies that run at the same time have threads of their own`() async {
        let threads = await Self.meet(20)
        #expect(Set(threads).count == 20)
    }

    @Test func `threads are used again`() async {
        var all: Set<Int32> = []
        // Other tests take spare threads, too, so the one that was just used may be gone.
        for round in 1...100 {
            all.formUnion(await Self.meet(1))
            if all.count < round { return }
        }
        Issue.record("no thread was used twice")
    }

    @Test func `nothing of a body is kept after its end`() async {
        await withCheckedContinuation { (released: CheckedContinuation<Void, Never>) in
            let captured = Captured(released)
            let isStarted = SpareThreads.run(name: "test") { withExtendedLifetime(captured) {} }
            #expect(isStarted)
        }
    }
}
