/// Decides when an engine without a thread of its own needs one: the calls of many threads become visits, one at a
/// time. A call during a visit is not lost: it prolongs the visit.
struct VisitMachine {
    private enum State {
        /// No thread is there, and none was requested.
        case away
        /// A thread was requested.
        case expected
        case visiting
        /// A call has come since the last check.
        case called
    }

    private var state = State.away

    /// A call comes; returns whether a thread has to be requested.
    mutating func call() -> Bool {
        switch state {
        case .away:
            state = .expected
            return true
        case .visiting: state = .called
        case .expected, .called: break
        }
        return false
    }

    /// The thread is there, and checks everything from now on.
    mutating func begin() {
        precondition(state == .expected, "two threads are in one engine")
        state = .visiting
    }

    /// The thread has nothing more to do; returns whether it may leave. Otherwise it checks everything again.
    mutating func mayLeave() -> Bool {
        if state == .called {
            state = .visiting
            return false
        }
        state = .away
        return true
    }

    /// The thread leaves, and the engine needs one again: it has more to do.
    mutating func leavesForLater() { state = .expected }

    /// The system refuses a thread; returns whether one was requested.
    mutating func refused() -> Bool {
        guard state == .expected else { return false }
        state = .away
        return true
    }
}
