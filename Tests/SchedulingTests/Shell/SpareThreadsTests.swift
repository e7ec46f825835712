import Dispatch
import Synchronization
import Testing

@testable import Scheduling

/// Reused threads.
@Suite(.timeLimit(.minutes(5)))
struct SpareThreadsTests {
    /// An object that a body keeps.
    private final class Captured: Sendable {}

    /// A reference that does not keep its object.
    private struct Trace: Sendable {
        weak let object: Captured?
    }

    /// Runs bodies that all have to be present before one of them ends; returns their threads.
    ///
    /// - Parameter begin: Called at the beginning of each body with its thread and an object that the body keeps.
    @discardableResult
    private static func meet(
        _ count: Int,
        _ begin: @escaping @Sendable (_ thread: Int32, _ captured: Captured) -> Void = { _, _ in }
    ) async -> [Int32] {
        let gate = DispatchSemaphore(value: 0)
        let threads = Mutex<[Int32]>([])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let ended = Mutex(0)
            for _ in 0..<count {
                let captured = Captured()
                let isStarted = SpareThreads.run(name: "test") {
                    begin(SystemThread.currentID, captured)
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

    /// A thread is started for a body and then takes others: what the first one captured is gone by then.
    @Test func `nothing of a body is kept after its end`() async {
        let traces = Mutex<[Int32: Trace]>([:])
        let checkedCount = Mutex(0)
        // Other tests take spare threads, too, so a round may get none of the threads of the round before.
        for _ in 1...100 {
            await Self.meet(40) { thread, captured in
                let earlier = traces.withLock { $0.updateValue(Trace(object: captured), forKey: thread) }
                guard let earlier else { return }
                #expect(earlier.object == nil)
                checkedCount.withLock { $0 += 1 }
            }
            if checkedCount.withLock({ $0 }) > 0 { return }
        }
        Issue.record("no thread was used twice")
    }
}
