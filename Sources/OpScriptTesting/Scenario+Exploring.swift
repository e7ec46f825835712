internal import OpScript
internal import OpScriptScenarios

extension Scenario {
    /// Which interleavings of a scenario are tried, and how many.
    ///
    /// On virtual time, the order of all that happens is a matter of choice. An exploration runs the scenario again and
    /// again, each time in another order that the contract allows, until one fails; then it looks for the shortest
    /// way to that failure. See the manual's page *Exploring*.
    public struct Exploration: Sendable, Hashable {
        enum Strategy: Sendable, Hashable { case pct, random, dfs }

        let strategy: Strategy
        let runs: Int
        let depth: Int
        let seed: UInt64

        /// By priorities that change a few times: a defect that needs `depth` things in a certain order is found with a
        /// known probability. The usual choice.
        ///
        /// - Parameters:
        ///   - runs: How many interleavings are tried at most; at least 1.
        ///   - depth: The number of changes of priority, plus 1; at least 1.
        ///   - seed: The seed of its random numbers. The same seed tries the same interleavings.
        public static func pct(runs: Int = 1000, depth: Int = 3, seed: UInt64 = 0) -> Exploration {
            Exploration(.pct, runs, depth, seed)
        }

        /// Each choice is random.
        public static func random(runs: Int = 1000, seed: UInt64 = 0) -> Exploration {
            Exploration(.random, runs, 1, seed)
        }

        /// All interleavings that differ from the usual order in at most `depth` places, one after the other.
        public static func dfs(runs: Int = 1000, depth: Int = 2) -> Exploration {
            Exploration(.dfs, runs, depth, 0)
        }

        private init(_ strategy: Strategy, _ runs: Int, _ depth: Int, _ seed: UInt64) {
            precondition(runs >= 1, "an exploration tries at least one interleaving")
            precondition(depth >= 1, "the depth of an exploration is at least 1")
            (self.strategy, self.runs, self.depth, self.seed) = (strategy, runs, depth, seed)
        }

        var plan: ExplorationPlan {
            let strategy: ExplorationPlan.Strategy =
                switch self.strategy {
                case .pct: .pct
                case .random: .random
                case .dfs: .dfs
                }
            return ExplorationPlan(strategy, iterations: runs, depth: depth, seed: seed)
        }
    }

    /// Runs it in many interleavings until one fails. Records an issue in the running test for each failure of that
    /// one, with the schedule, which ``run(replaying:)`` repeats.
    ///
    /// A scenario on the real clock (`it.real`) runs once: nothing controls its order.
    ///
    /// ```swift
    /// @Test(arguments: Scenario.all(in: "Scenarios"))
    /// func interleavings(_ scenario: Scenario) async { await scenario.run(exploring: .pct(runs: 200)) }
    /// ```
    @discardableResult
    public func run(exploring exploration: Exploration) async -> Outcome {
        await run { runner in
            runner.exploration = exploration.plan
            runner.stepLimit = runner.stepLimit ?? ExplorationPlan.stepLimit
        }
    }

    /// Runs it in the interleaving that an exploration has found.
    ///
    /// - Parameter schedule: The text that the exploration has printed, such as `2@3:1/2`. An invalid text, or one that
    ///   belongs to another scenario, is recorded as an issue.
    @discardableResult
    public func run(replaying schedule: String) async -> Outcome {
        guard let replay = ScenarioReplay(schedule) else {
            return refuse(
                "'\(schedule)' is no schedule: pass the text that the exploration has printed, such as \"2@3:1/2\""
            )
        }
        guard replay.index == index else {
            return refuse(
                "the schedule '\(schedule)' belongs to scenario \(replay.index) of the file, and this is scenario "
                    + "\(index)"
            )
        }
        return await run { $0.replay = replay }
    }
}
