/// What has to be done for one process, from its start to the end of its group: facts come in, what is to be done comes
/// out.
///
/// It knows no process, no descriptor and no clock.
struct ProcessLife {
    enum Action: Equatable {
        /// Sends SIGTERM to the group.
        case ask
        /// Sends SIGKILL to the group.
        case kill
        /// Tells ``timeReached(_:)`` then, and no alarm set before.
        case alarm(ContinuousClock.Instant)
        /// Looks who is left of the group besides the process itself.
        case lookAtGroup
        /// Lets go of it.
        case finish
    }

    private enum Phase { case notStarted, running, leavingGroup, ended }

    /// How long those that were killed may take to be gone.
    static let settling = Duration.seconds(1)

    private let grace: Duration
    private var phase = Phase.notStarted
    private(set) var isCancelled = false
    private var isKilled = false
    private var deadline: ContinuousClock.Instant?

    /// - Parameter grace: The time between the request to end and the order to.
    init(grace: Duration) { self.grace = grace }

    mutating func started(at now: ContinuousClock.Instant) -> [Action] {
        guard phase == .notStarted else { return [] }
        phase = .running
        return isCancelled ? ask(at: now) : []
    }

    /// It is to end, once it has started. Only the first time counts.
    mutating func cancelled(at now: ContinuousClock.Instant) -> [Action] {
        guard !isCancelled, phase == .notStarted || phase == .running else { return [] }
        isCancelled = true
        return phase == .running ? ask(at: now) : []
    }

    private mutating func ask(at now: ContinuousClock.Instant) -> [Action] {
        deadline = now + grace
        return [.ask, .alarm(now + grace)]
    }

    /// The process has ended, but for those that it had started and that may have stayed.
    mutating func processEnded() -> [Action] {
        guard phase == .running else { return [] }
        guard isCancelled else {
            phase = .ended
            return [.finish]
        }
        phase = .leavingGroup
        return [.lookAtGroup]
    }

    /// Nobody is left of the group.
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
        // One that the kernel itself cannot end is waited for as long as it is the process, not as its group.
        guard phase == .leavingGroup else {
            self.deadline = now + Self.settling
            return [.alarm(now + Self.settling)]
        }
        phase = .ended
        return [.finish]
    }
}
