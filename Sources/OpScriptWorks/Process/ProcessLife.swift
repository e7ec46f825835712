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

    private enum Phase { case notStarted, running, lingering, leavingGroup, ended }

    /// How long output of other processes is awaited after the end of the process itself.
    static let lingering = Duration.milliseconds(500)

    /// How long killed processes may take to end.
    static let settling = Duration.seconds(1)

    private let grace: Duration
    private let lingering: Duration
    private var phase = Phase.notStarted
    private(set) var isCancelled = false
    private var isKilled = false
    private var deadline: ContinuousClock.Instant?

    /// - Parameters:
    ///   - grace: The time between SIGTERM and SIGKILL.
    ///   - lingering: How long output of other processes is awaited.
    init(grace: Duration, lingering: Duration = Self.lingering) {
        self.grace = grace
        self.lingering = lingering
    }

    mutating func started(at now: ContinuousClock.Instant) -> [Action] {
        guard phase == .notStarted else { return [] }
        phase = .running
        return isCancelled ? ask(at: now) : []
    }

    /// Its end is requested, once it has started. Only the first request counts.
    mutating func cancelled(at now: ContinuousClock.Instant) -> [Action] {
        guard !isCancelled, phase == .notStarted || phase == .running || phase == .lingering else {
            return []
        }
        isCancelled = true
        if phase == .lingering {
            phase = .leavingGroup
            return ask(at: now) + [.lookAtGroup]
        }
        return phase == .running ? ask(at: now) : []
    }

    private mutating func ask(at now: ContinuousClock.Instant) -> [Action] {
        deadline = now + grace
        return [.ask, .alarm(now + grace)]
    }

    /// The process has ended; processes that it had started may still run.
    ///
    /// - Parameter hasOutput: Whether such a process may still write output.
    mutating func processEnded(at now: ContinuousClock.Instant, hasOutput: Bool = false) -> [Action] {
        guard phase == .running else { return [] }
        guard isCancelled else {
            phase = hasOutput ? .lingering : .ended
            if !hasOutput { return [.finish] }
            deadline = now + lingering
            return [.alarm(now + lingering)]
        }
        phase = .leavingGroup
        // Again: a shell blocks signals while it starts a program, so that program may have missed the first request.
        return isKilled ? [.lookAtGroup] : [.ask, .lookAtGroup]
    }

    /// No process can write output any more.
    mutating func outputEnded() -> [Action] {
        guard phase == .lingering else { return [] }
        phase = .ended
        return [.finish]
    }

    /// No process of the group is left.
    mutating func groupIsEmpty() -> [Action] {
        guard phase == .leavingGroup else { return [] }
        phase = .ended
        return [.finish]
    }

    mutating func timeReached(_ now: ContinuousClock.Instant) -> [Action] {
        guard let deadline, phase != .notStarted, phase != .ended else { return [] }
        guard now >= deadline else { return [.alarm(deadline)] }
        if phase == .lingering {
            phase = .ended
            return [.finish]
        }
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
