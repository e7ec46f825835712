/// Decides the actions for one process, from its start to the end of its group: inputs are facts, results are
/// actions.
///
/// It knows no process, no descriptor and no clock.
struct ProcessLife {
    enum Action: Equatable {
        /// Sends SIGTERM to the group.
        case ask
        /// Sends SIGKILL to the group.
        case kill
        /// Reports ``timeReached(_:)`` then, and forgets earlier alarms.
        case alarm(ContinuousClock.Instant)
        /// Checks which processes of the group are left besides the process itself.
        case lookAtGroup
        /// Releases the process.
        case finish
    }

    private enum Phase { case notStarted, running, leavingGroup, ended }

    /// How long killed processes may take to end.
    static let settling = Duration.seconds(1)

    private let grace: Duration
    private var phase = Phase.notStarted
    private(set) var isCancelled = false
    private var isKilled = false
    private var deadline: ContinuousClock.Instant?

    /// - Parameter grace: The time between SIGTERM and SIGKILL.
    init(grace: Duration) { self.grace = grace }

    mutating func started(at now: ContinuousClock.Instant) -> [Action] {
        guard phase == .notStarted else { return [] }
        phase = .running
        return isCancelled ? ask(at: now) : []
    }

    /// Its end is requested, once it has started. Only the first request counts.
    mutating func cancelled(at now: ContinuousClock.Instant) -> [Action] {
        guard !isCancelled, phase == .notStarted || phase == .running else { return [] }
        isCancelled = true
        return phase == .running ? ask(at: now) : []
    }

    private mutating func ask(at now: ContinuousClock.Instant) -> [Action] {
        deadline = now + grace
        return [.ask, .alarm(now + grace)]
    }

    /// The process has ended; processes that it had started may still run.
    mutating func processEnded() -> [Action] {
        guard phase == .running else { return [] }
        guard isCancelled else {
            phase = .ended
            return [.finish]
        }
        phase = .leavingGroup
        // Again: a shell blocks signals while it starts a program, so that program may have missed the first request.
        return isKilled ? [.lookAtGroup] : [.ask, .lookAtGroup]
    }

    /// No process of the group is left.
    mutating func groupIsEmpty() -> [Action] {
        guard phase == .leavingGroup else { return [] }
        phase = .ended
        return [.finish]
    }

    mutating func timeReached(_ now: ContinuousClock.Instant) -> [Action] {
        guard let deadline, phase == .running || phase == .leavingGroup else { return [] }
        guard now >= deadline else { return [.alarm(deadline)] }
        if !isKilled {
            isKilled = true
            self.deadline = now + Self.settling
            return [.kill, .alarm(now + Self.settling)]
        }
        // A process that the kernel cannot end is awaited if it is the process itself, but not if it only
        // belongs to the group.
        guard phase == .leavingGroup else {
            self.deadline = now + Self.settling
            return [.alarm(now + Self.settling)]
        }
        phase = .ended
        return [.finish]
    }
}
