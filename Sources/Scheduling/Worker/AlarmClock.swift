internal import Synchronization

/// Calls functions at moments of the system's clock, on one thread for the whole process.
///
/// The thread exists while an alarm is set. A function has to return at once: the functions after it wait.
/// - Complexity: O(log *n*) to set and to cancel, for *n* alarms.
package final class AlarmClock: Sendable {
    package static let shared = AlarmClock()

    private struct State: ~Copyable {
        var alarms = TimerHeap<@Sendable () -> Void>()
        var isServed = false
        /// The moment at which the thread wakes without being woken.
        var wakesAt = Int64.max
    }

    private let state = Mutex(State())
    private let parker = Parker()

    /// Calls a function at a moment, or soon after it.
    ///
    /// - Returns: A function that cancels the alarm; nil if the system refused a thread, so that no alarm was
    ///   set.
    package func set(at moment: Int64, _ body: @escaping @Sendable () -> Void) -> TimerHandle? {
        let (handle, isServed, isSooner) = state.withLock { state in
            let handle = state.alarms.schedule(at: moment, body)
            defer { state.isServed = true }
            return (handle, state.isServed, moment < state.wakesAt)
        }
        if isServed {
            if isSooner { parker.unpark() }
            return handle
        }
        if SpareThreads.run(name: "opscript-alarm", { self.serve() }) { return handle }
        state.withLock { state in
            state.alarms.cancel(handle)
            state.isServed = false
        }
        return nil
    }

    /// Cancels an alarm. A call that has begun continues.
    package func cancel(_ alarm: TimerHandle) {
        state.withLock { state in _ = state.alarms.cancel(alarm) }
    }

    private func serve() {
        while true {
            let (due, next) = state.withLock { state -> ([@Sendable () -> Void], Int64?) in
                var due: [@Sendable () -> Void] = []
                let now = SchedulerClock.systemNow
                while let (_, body) = state.alarms.popDue(now) { due.append(body) }
                let next = state.alarms.nextDeadline
                state.wakesAt = due.isEmpty ? next ?? .max : .min
                if due.isEmpty, next == nil { state.isServed = false }
                return (due, next)
            }
            for body in due { body() }
            if !due.isEmpty { continue }
            guard let next else { return }
            _ = parker.park(nanoseconds: next - SchedulerClock.systemNow)
        }
    }
}
