/// Decides when an engine without a thread of its own needs one: the calls of many threads become visits, one at a
/// time. A call during a visit is not lost: it prolongs the visit.
struct VisitMachine {
    private enum State {
        /// No thread is there, and none was asked for.
        case away
        /// A thread was asked for.
        case expected
        case visiting
        /// Something has called since the last look.
        case called
    }

    private var state = State.away

    /// Something has to be looked at; says whether a thread has to be asked for.
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

    /// The thread is there, and looks at everything from now on.
    mutating func begin() {
        precondition(state == .expected, "two threads are in one engine")
        state = .visiting
    }

    /// The thread has nothing more to do; says whether it may leave. Otherwise it looks at everything again.
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

    /// There is no thread to be had; says whether one was asked for.
    mutating func refused() -> Bool {
        guard state == .expected else { return false }
        state = .away
        return true
    }
}
