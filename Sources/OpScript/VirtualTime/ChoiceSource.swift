internal import Scheduling
internal import Synchronization

/// Makes every choice of one run that the contract with scripts leaves open, and records the choices.
///
/// Alternative 0 is always the choice of a run that is not explored. Priorities, first in first out, and the
/// order of ends and of timers are never choices. Choices are made on the script thread; after the run, any
/// thread may read them.
package final class ChoiceSource: Sendable {
    /// The way in which the source chooses.
    package enum Way: Sendable {
        /// As a schedule says; the schedule has to fit.
        case replay(Schedule)
        /// As a schedule says, as far as it fits.
        case attempt(Schedule)
        /// These picks, and then always 0.
        case prefix([Int])
        /// All alternatives are equally likely.
        case random(seed: UInt64)
        /// By priorities drawn for each actor, which change `depth` - 1 times within `length` choices.
        case pct(seed: UInt64, depth: Int, length: Int)
    }

    struct Choice: Sendable {
        var pick: Int
        var count: Int
    }

    private struct State {
        var way: Way
        var random: RandomSequence
        var taken: [Choice] = []
        /// The next turn of a schedule.
        var next = 0
        var misfit: String?
        var warnings: [String] = []
        var priorities: [UInt64: UInt64] = [:]
        /// The choices at which the priority of the foremost actor falls.
        var changes: [Int] = []
    }

    private let state: Mutex<State>

    /// Makes the source of one run.
    package init(_ way: Way) {
        var state = State(way: way, random: RandomSequence(seed: 0))
        switch way {
        case .random(let seed): state.random = RandomSequence(seed: seed)
        case .pct(let seed, let depth, let length):
            state.random = RandomSequence(seed: seed)
            for _ in 1..<max(1, depth) {
                state.changes.append(Int(state.random.next() % UInt64(max(1, length))))
            }
        case .replay, .attempt, .prefix: break
        }
        self.state = Mutex(state)
    }

    /// Chooses one of several actors, by its place.
    func choose(_ actors: [UInt64]) -> Int {
        state.withLock { state in
            let pick = actors.count < 2 ? 0 : Self.pick(&state, actors)
            if actors.count > 1 { state.taken.append(Choice(pick: pick, count: actors.count)) }
            return pick
        }
    }

    /// Chooses whether something happens; alternative 0 is that it does not.
    func happens(probability: Double) -> Bool {
        if probability <= 0 { return false }
        if probability >= 1 { return true }
        return state.withLock { state in
            let pick: Int
            switch state.way {
            case .random, .pct: pick = state.random.nextUnit() < probability ? 1 : 0
            case .replay, .attempt, .prefix: pick = Self.pick(&state, [0, 1])
            }
            state.taken.append(Choice(pick: pick, count: 2))
            return pick == 1
        }
    }

    private static func pick(_ state: inout State, _ actors: [UInt64]) -> Int {
        let number = state.taken.count
        switch state.way {
        case .random: return Int(state.random.next() % UInt64(actors.count))
        case .prefix(let picks): return number < picks.count ? min(picks[number], actors.count - 1) : 0
        case .attempt(let schedule):
            guard let turn = turn(of: schedule, number, &state) else { return 0 }
            return min(turn.pick, actors.count - 1)
        case .replay(let schedule):
            guard let turn = turn(of: schedule, number, &state) else { return 0 }
            if turn.count == actors.count { return turn.pick }
            state.misfit =
                state.misfit
                ?? "choice \(turn.number) has \(actors.count) alternatives here, and the schedule knows of "
                + "\(turn.count)"
            return 0
        case .pct:
            for actor in actors where state.priorities[actor] == nil {
                state.priorities[actor] = state.random.next() | 1 << 63
            }
            var best = best(of: actors, state.priorities)
            for (place, change) in state.changes.enumerated() where change == number {
                state.priorities[actors[best]] = UInt64(place)
                best = Self.best(of: actors, state.priorities)
            }
            return best
        }
    }

    private static func turn(of schedule: Schedule, _ number: Int, _ state: inout State) -> Schedule.Turn? {
        guard state.next < schedule.turns.count, schedule.turns[state.next].number == number + 1 else {
            return nil
        }
        state.next += 1
        return schedule.turns[state.next - 1]
    }

    private static func best(of actors: [UInt64], _ priorities: [UInt64: UInt64]) -> Int {
        actors.indices.reduce(0) { best, place in
            priorities[actors[place], default: 0] > priorities[actors[best], default: 0] ? place : best
        }
    }

    /// Records a warning about the run for the exploration.
    func warn(_ text: String) { state.withLock { $0.warnings.append(text) } }

    /// Whether there is a warning.
    var hasWarnings: Bool { state.withLock { !$0.warnings.isEmpty } }

    // MARK: After the run

    /// The warnings about the run for the exploration.
    package var warnings: [String] { state.withLock { $0.warnings } }

    /// The choices of the run.
    var taken: [Choice] { state.withLock { $0.taken } }

    /// The choices that differ from the contract's own order.
    package var schedule: Schedule { Schedule(taken) }

    /// The reason why a schedule does not fit, as far as is known; nil if it fits.
    var misfit: String? { state.withLock { $0.misfit } }

    /// The reason why the schedule did not fit the whole run; nil if it fitted.
    package var misfitAtEnd: String? {
        state.withLock { state in
            if let misfit = state.misfit { return misfit }
            guard case .replay(let schedule) = state.way, state.next < schedule.turns.count else {
                return nil
            }
            return
                "the run has \(state.taken.count) choices, and the schedule knows of choice "
                + "\(schedule.turns[state.next].number)"
        }
    }
}
