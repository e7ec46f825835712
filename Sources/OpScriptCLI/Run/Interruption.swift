/// Decides what a signal or the time limit does to a run: first it is cancelled, then it is ended.
///
/// Pure: it is told what has happened and answers what to do; times are seconds on any clock that only goes forward.
struct Interruption {
    /// What is to be done.
    enum Action: Equatable {
        case nothing
        /// Cancel what runs and let completion blocks run, after saying this.
        case cancel(String)
        /// End the process at once with this status, after saying this.
        case end(Int32, String)
    }

    /// What is sent twice within this time was sent once: `timeout` signals a process and then its whole group.
    static let repetition = 0.05
    /// How long after the time limit bodies and completion blocks may take.
    static let grace = 5.0

    /// The exit status of a run that was interrupted; nil if it was not.
    private(set) var status: Int32?
    /// When ``deadlineReached(at:)`` is to be called; nil for never.
    private(set) var deadline: Double?

    private var lastSignal: (number: Int32, time: Double)?
    private var limit: Double?
    private var isTimeOver = false

    /// Begins at `start` with a limit of so many seconds.
    init(start: Double, limit: Double?) {
        self.limit = limit
        deadline = limit.map { start + $0 }
    }

    /// A signal has come that asks the command to end.
    mutating func signalReceived(_ number: Int32, at now: Double) -> Action {
        let last = lastSignal
        lastSignal = (number, now)
        let signalStatus = ExitStatus.interrupted(by: number)
        guard let last else {
            let wasCancelled = status != nil
            // A signal counts before the time limit.
            status = signalStatus
            if wasCancelled { return .end(signalStatus, "ended at once") }
            return .cancel("interrupted: cancelling what runs (once more to end at once)")
        }
        if last.number == number, now - last.time < Self.repetition { return .nothing }
        status = signalStatus
        return .end(signalStatus, "ended at once")
    }

    /// The moment in ``deadline`` has come.
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
        return .cancel("the time limit of \(text) has run out: cancelling what runs")
    }
}
