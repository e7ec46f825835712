internal import Synchronization

/// How an operation with a handle ended, and who wants to know.
///
/// Most operations end with nobody waiting: then the end is one exchange of a byte, and no lock is taken.
struct OperationEnd: ~Copyable {
    /// The bits of `state`.
    private enum Bit {
        /// The outcome is decided; its number stands above.
        static let decided: UInt8 = 1
        /// The end was told: outcome and error show.
        static let told: UInt8 = 2
        /// There is something in `rest`.
        static let rest: UInt8 = 4
        static let outcomeShift: UInt8 = 4
    }

    /// What only some operations have, in memory of its own.
    final class Rest {
        var error: (any Error)?
        var context: OperationContext?
        var task: Task<Void, any Error>?
        var completionBlock: (@Sendable (ScheduledOperation) -> Void)?
        var parkers: [Parker] = []
        var continuations: [CheckedContinuation<Void, Never>] = []

        init(error: (any Error)? = nil) { self.error = error }
    }

    private let state = Atomic<UInt8>(0)
    private let rest = Mutex<Rest?>(nil)

    /// Whether the end was told.
    var isTold: Bool { state.load(ordering: .acquiring) & Bit.told != 0 }

    /// The outcome as soon as it is decided.
    var decidedOutcome: OperationOutcome? {
        let state = state.load(ordering: .acquiring)
        return state & Bit.decided == 0 ? nil : OperationOutcome(rawValue: state >> Bit.outcomeShift)
    }

    /// The outcome once the end was told.
    var outcome: OperationOutcome? { isTold ? decidedOutcome : nil }

    /// Remembers the outcome; nobody is told yet.
    func decide(_ outcome: OperationOutcome) {
        state.bitwiseOr(outcome.rawValue << Bit.outcomeShift | Bit.decided, ordering: .acquiringAndReleasing)
    }

    /// The end is told from here on; gives who wants to know.
    ///
    /// What keeps the error is all that stays of the rest.
    func tell(_ error: (any Error)?) -> Rest? {
        if let error { withRest { $0.error = error } }
        let before = state.bitwiseOr(Bit.told, ordering: .acquiringAndReleasing).oldValue
        guard before & Bit.rest != 0 else { return nil }
        return rest.withLock { rest in
            let before = rest.take()
            rest = Rest(error: error)
            return before
        }
    }

    /// Adds to what is to be done at the end, or looks at it. False if the end was told before: then nothing was added.
    @discardableResult
    func beforeEnd(_ body: (Rest) -> Void) -> Bool {
        rest.withLock { rest in
            let changed = rest ?? Rest()
            // Before the mark is set the end may be told without a look at the rest; so the mark decides.
            let before = state.bitwiseOr(Bit.rest, ordering: .acquiringAndReleasing).oldValue
            if before & Bit.told != 0 { return false }
            body(changed)
            rest = changed
            return true
        }
    }

    /// What the body threw, once the end was told.
    var error: (any Error)? {
        guard isTold, state.load(ordering: .acquiring) & Bit.rest != 0 else { return nil }
        return rest.withLock { $0?.error }
    }

    private func withRest(_ body: (Rest) -> Void) {
        rest.withLock { rest in
            let changed = rest ?? Rest()
            body(changed)
            rest = changed
        }
        state.bitwiseOr(Bit.rest, ordering: .acquiringAndReleasing)
    }
}
