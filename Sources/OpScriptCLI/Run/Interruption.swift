/// Decides the effect of a signal or the time limit on a run: the first one cancels it, the next one ends it.
///
/// Pure: inputs report events, and results are actions. Times are seconds on any monotonic clock.
struct Interruption {
    /// An action.
    enum Action: Equatable {
        case nothing
        /// Print this line, cancel the run and let completion blocks run.
        case cancel(String)
        /// Print this line, and end the process at once with this status.
        case end(Int32, String)
    }

    /// Two signals within this time count as one: `timeout` signals a process and then its whole group.
    static let repetition = 0.05
    /// How long after the time limit bodies and completion blocks may take, in seconds; and, after a signal, Lua code
    /// that does not wait.
    static let grace = 5.0
    /// How long after the first signal, or the time limit, Lua code that does not wait is interrupted, in seconds.
    static let patience = 2.0

    /// The exit status of a run that was interrupted; nil if it was not.
    private(set) var status: Int32?
    /// When ``deadlineReached(at:)`` is to be called; nil for never.
    private(set) var deadline: Double?

    private var lastSignal: (number: Int32, time: Double)?
    private var limit: Double?
    private var isTimeOver = false

    /// Begins at `start` with a limit in seconds.
    init(start: Double, limit: Double?) {
        self.limit = limit
        deadline = limit.map { start + $0 }
    }

    /// A signal that requests the end of the command has arrived.
    mutating func signalReceived(_ number: Int32, at now: Double) -> Action {
        let last = lastSignal
        lastSignal = (number, now)
        let signalStatus = ExitStatus.interrupted(by: number)
        guard let last else {
            let wasCancelled = status != nil
            // A signal takes precedence over the time limit.
            status = signalStatus
            if wasCancelled { return .end(signalStatus, "ended at once") }
            return .cancel("interrupted: cancelling the run (interrupt again to end it at once)")
        }
        if last.number == number, now - last.time < Self.repetition { return .nothing }
        status = signalStatus
        return .end(signalStatus, "ended at once")
    }

    /// Lua code that was interrupted ``patience`` after the cancellation still runs when ``grace`` is over.
    func interruptionRefused() -> Action {
        guard let status else { return .nothing }
        return .end(status, "the script does not stop: ended at once")
    }

    /// The moment in ``deadline`` has been reached.
    mutating func deadlineReached(at now: Double) -> Action {
        guard let reached = deadline, now >= reached else { return .nothing }
        if isTimeOver {
            deadline = nil
            return .end(
                status ?? ExitStatus.timeLimit,
                "still running \(SecondsText.short(Self.grace)) later: ended at once"
            )
        }
        isTimeOver = true
        deadline = reached + Self.grace
        let text = SecondsText.short(limit ?? 0)
        guard status == nil else { return .nothing }
        status = ExitStatus.timeLimit
        return .cancel("the time limit of \(text) has run out: cancelling the run")
    }
}
