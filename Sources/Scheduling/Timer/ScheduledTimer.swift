internal import Synchronization

/// Calls a closure once, or again and again on a fixed grid.
///
/// A late fire does not push the next one; fires that were missed are skipped and counted. The closure runs as an operation of
/// a queue; while it has not finished, further fires are skipped.
public final class ScheduledTimer: Sendable {
    private let queue: ScheduledQueue
    private let interval: Int64
    private let repeats: Bool
    private let state: Mutex<State>

    /// Guarded by `state`.
    private struct State {
        var block: (@Sendable (ScheduledTimer) throws -> Void)?
        var handle: TimerHandle?
        var deadline: Int64 = 0
        var fireCount = 0
        var missedCount = 0
        var running: ScheduledOperation?
    }

    /// Makes and schedules a timer.
    ///
    /// The first fire is one interval from now.
    ///
    /// - Parameter interval: Seconds; at or below zero it is 0.1 ms, as in Foundation.
    public init(
        _ queue: ScheduledQueue,
        interval seconds: Double,
        repeats: Bool = false,
        block: @escaping @Sendable (ScheduledTimer) throws -> Void
    ) {
        self.queue = queue
        interval = seconds > 0 ? max(1, SchedulerClock.nanoseconds(seconds)) : 100_000
        self.repeats = repeats
        state = Mutex(State())
        let deadline = queue.scheduler.clock.now + interval
        let handle = queue.scheduler.feed { $0.timers.schedule(at: deadline, self) }
        state.withLock {
            $0.block = block
            $0.handle = handle
            $0.deadline = deadline
        }
    }

    /// Whether it will fire again.
    public var isValid: Bool { state.withLock { $0.block != nil } }
    /// How often it fired.
    public var fireCount: Int { state.withLock { $0.fireCount } }
    /// How many fires were skipped: late ones, and those that found the block still running.
    public var missedCount: Int { state.withLock { $0.missedCount } }

    /// Stops it at once and for good, and lets go of its closure.
    public func invalidate() {
        let handle = state.withLock { state in
            state.block = nil
            return state.handle.take()
        }
        if let handle { queue.scheduler.feed { _ = $0.timers.cancel(handle) } }
    }

    /// It is due.
    ///
    /// Called outside any lock by whoever watches the clock.
    func fire(at now: Int64) {
        let block = state.withLock { state -> (@Sendable (ScheduledTimer) throws -> Void)? in
            guard let block = state.block else { return nil }
            state.handle = nil
            if repeats {
                let late = max(0, now - state.deadline) / interval
                state.missedCount += Int(late)
                state.deadline += (late + 1) * interval
            } else {
                state.block = nil
            }
            if let running = state.running, running.state != .finished {
                state.missedCount += 1
                return nil
            }
            state.fireCount += 1
            return block
        }
        if let block {
            let operation = queue.add { [self] in try block(self) }
            state.withLock { $0.running = operation }
        }
        guard repeats else { return }
        let deadline = state.withLock { $0.block == nil ? nil : $0.deadline }
        guard let deadline else { return }
        let handle = queue.scheduler.feed { $0.timers.schedule(at: deadline, self) }
        let isDead = state.withLock { state in
            state.handle = handle
            return state.block == nil
        }
        if isDead { queue.scheduler.feed { _ = $0.timers.cancel(handle) } }
    }
}
