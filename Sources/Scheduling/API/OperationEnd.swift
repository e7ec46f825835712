internal import Synchronization

/// How an operation with a handle ended, who wants to know, and what else only some operations have.
///
/// Most operations end with nobody waiting: then the end is one exchange of a word, and no lock is taken.
struct OperationEnd: ~Copyable {
    /// The parts of `word`: some bits, the address of the rest, some more bits.
    private enum Bit {
        /// The outcome is decided; its number stands above. The error shows.
        static let decided: UInt = 1
        /// The end was told to who wants to know.
        static let told: UInt = 2
        static let outcomeShift: UInt = 48
        static let laneShift: UInt = 52
        /// Objects lie at multiples of 16, and below 2^48 on all machines that Swift knows.
        static let address: UInt = 0xffff_ffff_fff0
    }

    /// What only some operations have, in memory of its own.
    final class Rest: Sendable {
        struct State {
            var error: (any Error)?
            var context: OperationContext?
            var task: Task<Void, any Error>?
            var body: OddBody?
            var completionBlock: (@Sendable (ScheduledOperation) -> Void)?
            var parkers: [Parker] = []
            var continuations: [CheckedContinuation<Void, Never>] = []
            /// The end was told: nothing is to be added.
            var isClosed = false
        }

        let state = Mutex(State())
    }

    /// A body of another kind than most.
    enum OddBody: Sendable {
        case withContext(@Sendable (OperationContext) throws -> Void)
        case async(@Sendable () async throws -> Void)
    }

    private let word: Atomic<UInt>

    init(lane: ExecutionLane) {
        word = Atomic(UInt(lane.rawValue) << Bit.laneShift)
    }

    deinit {
        if let pointer = UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & Bit.address) {
            Unmanaged<Rest>.fromOpaque(pointer).release()
        }
    }

    /// Where its body runs.
    var lane: ExecutionLane {
        ExecutionLane(rawValue: UInt8(word.load(ordering: .relaxed) >> Bit.laneShift & 0xf)) ?? .worker
    }

    /// Whether the end was told.
    var isTold: Bool { word.load(ordering: .acquiring) & Bit.told != 0 }

    /// The outcome as soon as it is decided.
    var outcome: OperationOutcome? {
        let word = word.load(ordering: .acquiring)
        return word & Bit.decided == 0
            ? nil : OperationOutcome(rawValue: UInt8(word >> Bit.outcomeShift & 0xf))
    }

    /// Remembers the outcome, and what the body threw; nobody is told yet.
    func decide(_ outcome: OperationOutcome, _ error: (any Error)?) {
        if let error { made().state.withLock { $0.error = error } }
        word.bitwiseOr(
            UInt(outcome.rawValue) << Bit.outcomeShift | Bit.decided,
            ordering: .acquiringAndReleasing
        )
    }

    /// The end is told from here on; gives who wants to know.
    ///
    /// The error is all that stays of the rest.
    @inline(__always)
    func tell() -> Rest.State? {
        let before = word.bitwiseOr(Bit.told, ordering: .acquiringAndReleasing).oldValue
        guard let rest = Self.rest(before) else { return nil }
        return rest.state.withLock { state in
            let before = state
            state = Rest.State()
            state.error = before.error
            state.isClosed = true
            return before
        }
    }

    /// Adds to what is to be done at the end, or looks at it. False if the end was told before: then nothing was added.
    @discardableResult
    func beforeEnd(_ body: (inout Rest.State) -> Void) -> Bool {
        if isTold { return false }
        // The end may be told meanwhile; who tells it closes the rest.
        return made().state.withLock { state in
            if state.isClosed || isTold { return false }
            body(&state)
            return true
        }
    }

    /// What the body threw, once the outcome is decided.
    var error: (any Error)? {
        let word = word.load(ordering: .acquiring)
        guard word & Bit.decided != 0, let rest = Self.rest(word) else { return nil }
        return rest.state.withLock { $0.error }
    }

    /// Whether a completion block is to be called.
    var hasCompletionBlock: Bool {
        Self.rest(word.load(ordering: .acquiring))?.state.withLock { $0.completionBlock != nil } ?? false
    }

    /// The body, where it is none of the commonest kind.
    var oddBody: OddBody? { Self.rest(word.load(ordering: .acquiring))?.state.withLock { $0.body } }

    /// The rest, made where there is none.
    private func made() -> Rest {
        var found = word.load(ordering: .acquiring)
        if let rest = Self.rest(found) { return rest }
        let made = Unmanaged.passRetained(Rest())
        let address = UInt(bitPattern: made.toOpaque())
        precondition(address & ~Bit.address == 0, "an object lies where none was expected")
        while true {
            let (isDone, now) = word.compareExchange(
                expected: found,
                desired: found | address,
                ordering: .acquiringAndReleasing
            )
            if isDone { return made.takeUnretainedValue() }
            found = now
            if let rest = Self.rest(found) {
                made.release()
                return rest
            }
        }
    }

    private static func rest(_ word: UInt) -> Rest? {
        UnsafeRawPointer(bitPattern: word & Bit.address).map {
            Unmanaged<Rest>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
