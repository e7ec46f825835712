/// Decides when a run has taken too long. Pure: it has no threads and no clock; callers pass moments, in
/// nanoseconds.
struct RunDeadlines {
    /// The actions that are due at a moment.
    struct Step: Equatable {
        /// The limit that was met just now.
        var met: TimeWatch.Reason?
        /// Whether Lua code that runs is to be interrupted.
        var interrupts = false
    }

    /// How long Lua code may continue after an interruption before it is interrupted again.
    static let again: Int64 = 10_000_000

    private let gracePeriod: Int64?
    /// The number of the run, from 1; 0 before the first one.
    private(set) var run = 0
    private var isRunning = false
    private var runDeadline = Int64.max
    private var graceDeadline = Int64.max
    private var isForced = false
    /// Whether the run was cancelled, or met its limit.
    private(set) var isCancelled = false

    init(gracePeriod: Int64?) { self.gracePeriod = gracePeriod }

    /// The moment of the next check; `.max` for never.
    var next: Int64 { min(runDeadline, graceDeadline) }

    /// A run begins, with its limit of time; nil for none.
    mutating func runBegins(_ now: Int64, limit: Int64?) {
        runEnds()
        run += 1
        isRunning = true
        runDeadline = Self.moment(now, after: limit)
    }

    /// The run is over: nothing is due any more.
    mutating func runEnds() {
        isRunning = false
        runDeadline = .max
        graceDeadline = .max
        isForced = false
        isCancelled = false
    }

    /// The run was cancelled: its grace period counts from now. Later calls, and calls without a run, change nothing.
    mutating func graceBegins(_ now: Int64) {
        guard isRunning, graceDeadline == .max else { return }
        isCancelled = true
        graceDeadline = Self.moment(now, after: gracePeriod)
    }

    /// The actions that are due now.
    mutating func step(_ now: Int64) -> Step {
        if graceDeadline <= now {
            defer { (isForced, graceDeadline) = (true, now + Self.again) }
            return Step(met: isForced ? nil : .grace, interrupts: true)
        }
        guard runDeadline <= now else { return Step() }
        runDeadline = .max
        // A run that was cancelled has its grace period already.
        guard graceDeadline == .max else { return Step() }
        graceBegins(now)
        return Step(met: .run, interrupts: true)
    }

    private static func moment(_ now: Int64, after nanoseconds: Int64?) -> Int64 {
        guard let nanoseconds else { return .max }
        let (moment, overflow) = now.addingReportingOverflow(nanoseconds)
        return overflow ? .max : moment
    }
}
