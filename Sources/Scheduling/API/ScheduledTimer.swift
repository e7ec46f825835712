internal import Synchronization

/// Calls a closure once, or again and again on a fixed grid.
///
/// A late fire does not push the next one; fires that were missed are skipped and counted. The closure runs as an
/// operation of a queue; while it has not finished, further fires are skipped.
public final class ScheduledTimer: Sendable {
    private let queue: ScheduledQueue
    private let repeats: Bool
    private let state: Mutex<State>

    private typealias Block = @Sendable (ScheduledTimer) throws -> Void

    /// Guarded by `state`.
    private struct State {
        var block: Block?
        var handle: TimerHandle?
        var grid: TimerGrid
        var fireCount = 0
        var missedCount = 0
        /// The operation of the last fire has not finished.
        var isRunning = false
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
        let interval = seconds > 0 ? max(1, SchedulerClock.nanoseconds(seconds)) : 100_000
        self.repeats = repeats
        let now = queue.scheduler.clock.now
        let grid = TimerGrid(now: now, delay: interval, interval: repeats ? interval : 0)
        state = Mutex(State(block: block, grid: grid))
        arm(for: grid.next)
    }

    /// Arms it for a deadline, unless it was invalidated meanwhile; `.max` means never.
    private func arm(for deadline: Int64) {
        if deadline == .max { return }
        let handle = queue.scheduler.visit { $0.shell.timers.schedule(at: deadline, self) }
        let isOver = state.withLock { state in
            // The timer may have fired already, and that fire may have armed it again.
            if state.grid.next == deadline, state.block != nil { state.handle = handle }
            return state.block == nil
        }
        if isOver { disarm(handle) }
    }

    private func disarm(_ handle: TimerHandle) {
        queue.scheduler.visit { _ = $0.shell.timers.cancel(handle) }
    }

    /// Whether it will fire again.
    public var isValid: Bool { state.withLock { $0.block != nil } }
    /// How often it fired.
    public var fireCount: Int { state.withLock { $0.fireCount } }
    /// How many fires were skipped: late fires, and fires during which the block was still running.
    public var missedCount: Int { state.withLock { $0.missedCount } }

    /// Stops it at once and for good, and releases its closure.
    public func invalidate() {
        let handle = state.withLock { state in
            state.block = nil
            return state.handle.take()
        }
        if let handle { disarm(handle) }
    }

    /// The timer is due.
    ///
    /// Called outside any lock by the thread that watches the clock.
    func fire(at now: Int64) {
        let (block, next) = state.withLock { state -> (Block?, Int64?) in
            guard let block = state.block else { return (nil, nil) }
            state.handle = nil
            if repeats {
                state.missedCount += max(0, state.grid.takeTicks(now) - 1)
            } else {
                state.block = nil
            }
            let next = repeats ? state.grid.next : nil
            if state.isRunning {
                state.missedCount += 1
                return (nil, next)
            }
            state.fireCount += 1
            state.isRunning = true
            return (block, next)
        }
        if let block {
            let operation = queue.add { [self] in try block(self) }
            operation.setCompletionBlock { [self] _ in state.withLock { $0.isRunning = false } }
        }
        if let next { arm(for: next) }
    }
}
