import Dispatch
import Synchronization
import Testing

@testable import Scheduling

/// Calls at moments, on one thread.
@Suite(.timeLimit(.minutes(5)))
struct AlarmClockTests {
    /// Sets an alarm and waits for it.
    private static func wait(_ clock: AlarmClock, until moment: Int64) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            #expect(clock.set(at: moment) { done.resume() } != nil)
        }
    }

    @Test func `alarms ring in the order of their moments and never early`() async {
        let clock = AlarmClock()
        let rung = Mutex<[Int]>([])
        let start = SchedulerClock.systemNow
        // No alarm rings before all are set: the clock's thread is held meanwhile.
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { (isHeld: CheckedContinuation<Void, Never>) in
            _ = clock.set(at: start) {
                isHeld.resume()
                gate.wait()
            }
        }
        for place in [3, 1, 2] {
            _ = clock.set(at: start + Int64(place) * 1_000_000) {
                #expect(SchedulerClock.systemNow >= start + Int64(place) * 1_000_000)
                rung.withLock { $0.append(place) }
            }
        }
        gate.signal()
        await Self.wait(clock, until: start + 4_000_000)
        #expect(rung.withLock { $0 } == [1, 2, 3])
    }

    @Test func `a sooner alarm wakes the thread that sleeps for a later one`() async {
        let clock = AlarmClock()
        let late = clock.set(at: .max - 1) { Issue.record("the late alarm rang") }
        await Self.wait(clock, until: SchedulerClock.systemNow)
        if let late { clock.cancel(late) }
    }

    @Test func `a cancelled alarm does not ring, and the clock continues after a pause`() async throws {
        let clock = AlarmClock()
        let gate = DispatchSemaphore(value: 0)
        // The clock's thread is held by one alarm while the next one is set and cancelled.
        await withCheckedContinuation { (begun: CheckedContinuation<Void, Never>) in
            let held = clock.set(at: SchedulerClock.systemNow) {
                begun.resume()
                gate.wait()
            }
            #expect(held != nil)
        }
        let isCancelled = Atomic(false)
        let alarm = try #require(
            clock.set(at: SchedulerClock.systemNow) {
                if isCancelled.load(ordering: .acquiring) { Issue.record("it rang") }
            }
        )
        clock.cancel(alarm)
        isCancelled.store(true, ordering: .releasing)
        clock.cancel(alarm)
        gate.signal()
        await Self.wait(clock, until: SchedulerClock.systemNow)
        await Self.wait(clock, until: SchedulerClock.systemNow)
    }

    @Test func `an alarm may set the next one`() async {
        let clock = AlarmClock()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            @Sendable func next(_ rest: Int) {
                if rest == 0 { return done.resume() }
                #expect(clock.set(at: SchedulerClock.systemNow) { next(rest - 1) } != nil)
            }
            next(1_000)
        }
    }
}
