internal import Scheduling

/// The waits of coroutines: `await` and everything that is built on it.
///
/// Owns the list of waits and the shields. Called by every binding that waits, and by every part that ends waits.
final class Waits: RuntimePart {
    let operations: Operations

    let list = WaitList()
    /// The waits of `await.any`, by task, which know the operation that finished first.
    var anyWaits: [ObjectIdentifier: Wait] = [:]
    var shields = Shields()
    var nextWaitSequence: UInt64 = 0
    /// Waits of `clock.run()`.
    var clockRuns: [Wait] = []

    init(_ foundation: RuntimeFoundation, operations: Operations) {
        self.operations = operations
        super.init(foundation)
    }

    /// Ends the run's waits without resuming their coroutines.
    func abandonAll() {
        for wait in list.all {
            wait.outcome = .timedOut
            if let timer = wait.timer.take() { agenda.dueTimes.cancel(timer) }
        }
        list.removeAll()
        anyWaits = [:]
        shields.removeAll()
        clockRuns = []
    }

    /// Ends the waits of `clock.run()`. False if there are none.
    func endClockRuns() -> Bool {
        guard !clockRuns.isEmpty else { return false }
        for wait in clockRuns { end(wait, .reached) }
        clockRuns = []
        return true
    }
}
