internal import Scheduling

/// A plan for the exploration of interleavings.
package struct ExplorationPlan: Sendable, Equatable {
    /// The strategy: which interleavings are tried.
    package enum Strategy: String, Sendable, CaseIterable {
        /// Each choice is random.
        case random
        /// By priorities that change a few times. A defect that needs few changes is found with a known probability.
        case pct
        /// The interleavings that leave the contract's order in few places, one after the other.
        case dfs
    }

    /// How many turns an explored run may take by default: an interleaving may never end.
    package static let stepLimit = 100_000

    /// The strategy of the exploration.
    package var strategy: Strategy
    /// The most interleavings that are tried, at least 1.
    package var iterations: Int
    /// The changes of priority plus one (pct), or how many places leave the contract's order (dfs); at least 1.
    package var depth: Int
    /// The seed of the exploration's random numbers.
    package var seed: UInt64

    /// Makes a plan; a pct of depth 3 and 1 000 iterations by default.
    package init(_ strategy: Strategy = .pct, iterations: Int = 1000, depth: Int = 3, seed: UInt64 = 0) {
        self.strategy = strategy
        self.iterations = iterations
        self.depth = depth
        self.seed = seed
    }
}

/// Decides which interleaving runs next: first until one fails, then to find one that fails with fewer choices.
///
/// ```swift
/// while let choices = explorer.next() { explorer.ended(choices, failure: run(choices)) }
/// ```
package struct Explorer {
    /// An interleaving that fails.
    package struct Found: Sendable, Equatable {
        /// The shortest schedule that was found for it.
        package var schedule: Schedule
        /// The iteration that first found it, from 1.
        package var iteration: Int
        /// The description of its failure.
        package var failure: String
        /// How many choices of the first schedule left the contract's order.
        package var firstLength: Int
    }

    private static let shrinkingLimit = 500

    private let plan: ExplorationPlan
    private var random: RandomSequence
    /// How many runs looked for a failure.
    package private(set) var iterations = 0
    /// Whether every interleaving of the strategy has been tried.
    package private(set) var isExhausted = false
    /// The failing interleaving that was found.
    package private(set) var found: Found?
    /// The warnings of all runs, each once.
    package private(set) var warnings: [String] = []
    private var longest = 1
    /// The next picks of a dfs.
    private var picks: [Int]? = []
    /// How many turns of the schedule are left out at once while it is shrunk, and the first of them.
    private var chunk = 0
    private var place = 0
    private var shrinkings = 0

    /// Begins an exploration.
    package init(_ plan: ExplorationPlan) {
        self.plan = plan
        random = RandomSequence(seed: plan.seed ^ 0xe791_0000_0000_0001)
    }

    /// The choices of the next run; nil if nothing is left to do.
    package mutating func next() -> ChoiceSource? {
        if let found { return nextShorter(than: found) }
        guard iterations < plan.iterations, !isExhausted else { return nil }
        iterations += 1
        switch plan.strategy {
        case .dfs: return ChoiceSource(.prefix(picks ?? []))
        case .random, .pct:
            let seed = random.next()
            // The contract's own order is tried first.
            if iterations == 1 { return ChoiceSource(.prefix([])) }
            if plan.strategy == .random { return ChoiceSource(.random(seed: seed)) }
            return ChoiceSource(.pct(seed: seed, depth: plan.depth, length: longest))
        }
    }

    /// A run has ended, with or without a failure.
    ///
    /// - Parameter failure: Distinguishes the failure from other failures.
    package mutating func ended(_ choices: ChoiceSource, failure: String?) {
        let taken = choices.taken
        for warning in choices.warnings where !warnings.contains(warning) { warnings.append(warning) }
        if let found { return shrinkingEnded(found, choices.schedule, failure) }
        longest = max(longest, taken.count)
        if let failure {
            let schedule = choices.schedule
            found = Found(
                schedule: schedule,
                iteration: iterations,
                failure: failure,
                firstLength: schedule.turns.count
            )
            chunk = schedule.turns.count
            return
        }
        switch plan.strategy {
        case .dfs:
            picks = Self.following(taken, depth: plan.depth)
            isExhausted = picks == nil
        case .random, .pct: isExhausted = taken.isEmpty
        }
    }

    /// The next picks in the order of a bounded depth-first search.
    private static func following(_ taken: [ChoiceSource.Choice], depth: Int) -> [Int]? {
        var place = taken.count - 1
        while place >= 0 {
            let before = taken[..<place].count { $0.pick > 0 }
            if taken[place].pick + 1 < taken[place].count, before < depth {
                return taken[..<place].map(\.pick) + [taken[place].pick + 1]
            }
            place -= 1
        }
        return nil
    }

    // MARK: Shrinking

    /// Leaves out some turns of a schedule: all, halves, quarters, and so on down to single ones.
    private mutating func nextShorter(than found: Found) -> ChoiceSource? {
        let count = found.schedule.turns.count
        while chunk > 0, count > 0, shrinkings < Self.shrinkingLimit {
            if place < count {
                shrinkings += 1
                var shorter = Schedule()
                shorter.turns = Array(found.schedule.turns.prefix(place))
                shorter.turns += found.schedule.turns.dropFirst(place + chunk)
                return ChoiceSource(.attempt(shorter))
            }
            place = 0
            chunk /= 2
        }
        return nil
    }

    private mutating func shrinkingEnded(_ found: Found, _ schedule: Schedule, _ failure: String?) {
        guard failure == found.failure, schedule.turns.count < found.schedule.turns.count else {
            place += chunk
            return
        }
        self.found?.schedule = schedule
        chunk = min(chunk, schedule.turns.count)
    }
}
