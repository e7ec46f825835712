import Scheduling
import Synchronization

/// Holds threads back until it is opened.
///
/// Waiting has a limit, so that a mistake fails a test instead of hanging it.
final class Gate: Sendable {
    private let parkers = Mutex<[Parker]?>([])

    /// Lets all present and later waiters continue.
    func open() {
        let waiting = parkers.withLock { parkers in
            defer { parkers = nil }
            return parkers ?? []
        }
        for parker in waiting { parker.unpark() }
    }

    /// Waits until it is open. False if that took too long.
    @discardableResult
    func pass(seconds: Int64 = 60) -> Bool {
        let parker = Parker()
        let isOpen = parkers.withLock { parkers in
            parkers?.append(parker)
            return parkers == nil
        }
        return isOpen || parker.park(nanoseconds: seconds * 1_000_000_000)
    }
}

/// Counts, and lets others wait for a count.
final class Counter: Sendable {
    private struct State {
        var count = 0
        var waiting: [(Int, Gate)] = []
        var tasks: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func add(_ number: Int = 1) {
        let (gates, tasks) = state.withLock { state in
            state.count += number
            let count = state.count
            let reached = (state.waiting.filter { $0.0 <= count }, state.tasks.filter { $0.0 <= count })
            state.waiting.removeAll { $0.0 <= count }
            state.tasks.removeAll { $0.0 <= count }
            return reached
        }
        for (_, gate) in gates { gate.open() }
        for (_, task) in tasks { task.resume() }
    }

    /// Waits, as a task, until the count is `count`.
    func reached(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count >= count { return true }
                state.tasks.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Waits until the count is `count`. False if that took too long.
    func wait(for count: Int, seconds: Int64 = 60) -> Bool {
        let gate = Gate()
        let isThere = state.withLock { state in
            if state.count >= count { return true }
            state.waiting.append((count, gate))
            return false
        }
        return isThere || gate.pass(seconds: seconds)
    }
}

/// A list of events in order, noted from any thread.
final class EventLog: Sendable {
    private let words = Mutex<[String]>([])

    var all: [String] { words.withLock { $0 } }

    func note(_ word: String) { words.withLock { $0.append(word) } }
}
