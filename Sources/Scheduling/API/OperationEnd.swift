internal import Synchronization

/// The end of an operation that has a handle, its waiters, and fields that only some operations need.
///
/// Most operations end without a waiter: for such an operation, the end is one atomic change of a word,
/// without a lock.
struct OperationEnd: ~Copyable {
    /// The parts of `word`: some bits, the address of the rest, some more bits.
    private enum Bit {
        /// The outcome is decided: its number is at `outcomeShift`, and the error is visible.
        static let decided: UInt = 1
        /// The end was announced to the waiters.
        static let told: UInt = 2
        static let outcomeShift: UInt = 48
        static let laneShift: UInt = 52
        /// Objects are aligned to 16 bytes, and lie below 2^48 on all machines that Swift supports.
        static let address: UInt = 0xffff_ffff_fff0
    }

    /// Fields that only some operations have, in memory of their own.
    final class Rest: Sendable {
        struct State {
            var error: (any Error)?
            var context: OperationContext?
            var task: Task<Void, any Error>?
            var body: OddBody?
            var completionBlock: (@Sendable (ScheduledOperation) -> Void)?
            var parkers: [Parker] = []
            var continuations: [CheckedContinuation<Void, Never>] = []
            /// The end was announced: nothing may be added.
            var isClosed = false
        }

        let state = Mutex(State())
    }

    /// A body of a less common kind.
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

    /// Whether the end was announced.
    var isTold: Bool { word.load(ordering: .acquiring) & Bit.told != 0 }

    /// The outcome as soon as it is decided.
    var outcome: OperationOutcome? {
        let word = word.load(ordering: .acquiring)
        return word & Bit.decided == 0
            ? nil : OperationOutcome(rawValue: UInt8(word >> Bit.outcomeShift & 0xf))
    }

    /// Stores the outcome, and the error that the body threw; no waiter is notified yet.
    func decide(_ outcome: OperationOutcome, _ error: (any Error)?) {
        if let error { made().state.withLock { $0.error = error } }
        word.bitwiseOr(
            UInt(outcome.rawValue) << Bit.outcomeShift | Bit.decided,
            ordering: .acquiringAndReleasing
        )
    }

    /// Marks the end as announced, and returns the blocks to call and the waiters to wake.
    ///
    /// Of the rest, only the error is kept.
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

    /// Reads or changes the completion block and the waiters. False, with no effect, if the end was announced
    /// before.
    @discardableResult
    func beforeEnd(_ body: (inout Rest.State) -> Void) -> Bool {
        if isTold { return false }
        // The end may be announced meanwhile; then the announcing thread closes the rest.
        return made().state.withLock { state in
            if state.isClosed || isTold { return false }
            body(&state)
            return true
        }
    }

    /// The error that the body threw, once the outcome is decided.
    var error: (any Error)? {
        let word = word.load(ordering: .acquiring)
        guard word & Bit.decided != 0, let rest = Self.rest(word) else { return nil }
        return rest.state.withLock { $0.error }
    }

    /// Whether the operation has a completion block to call.
    var hasCompletionBlock: Bool {
        Self.rest(word.load(ordering: .acquiring))?.state.withLock { $0.completionBlock != nil } ?? false
    }

    /// The body, if it is of a less common kind.
    var oddBody: OddBody? { Self.rest(word.load(ordering: .acquiring))?.state.withLock { $0.body } }

    /// The rest, created if there is none.
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
