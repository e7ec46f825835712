/// The counts of results.
package struct ScenarioSummary: Sendable, Equatable {
    /// Scenarios that passed.
    package var passed = 0
    /// Scenarios that failed.
    package var failed = 0
    /// Scenarios that are pending.
    package var pending = 0
    /// Problems outside scenarios.
    package var problems = 0
    /// Scenarios that were not chosen.
    package var leftOut = 0
    /// Seconds that the whole suite took.
    package var seconds = 0.0
    /// Whether it was cancelled before all had run.
    package var wasCancelled = false
    /// Whether the first failure ended it.
    package var endedEarly = false
    /// The seed of the order, if it was shuffled.
    package var shuffleSeed: UInt64?

    /// The ten scenarios that took longest, the longest first; empty if they were not requested.
    package var slowest: [Slow] = []

    /// A scenario with the seconds that it took.
    package struct Slow: Sendable, Equatable {
        /// Its line and its name.
        package var name: String
        /// How long it took, in seconds of real time.
        package var seconds: Double
    }

    /// The scenarios that failed, in order.
    package var failures: [Failed] = []

    /// A scenario that failed.
    package struct Failed: Sendable, Equatable {
        /// The path of its file.
        package var file: String
        /// All its names in one line.
        package var name: String

        /// Creates a failed scenario.
        package init(file: String, name: String) {
            self.file = file
            self.name = name
        }
    }

    /// Creates an empty summary.
    package init() {}

    /// Whether nothing failed.
    package var isGood: Bool { failed == 0 && problems == 0 && !wasCancelled }
    /// Whether no scenario was run.
    package var isEmpty: Bool { passed + failed + pending == 0 }

    mutating func keepSlowest(_ result: ScenarioResult) {
        if slowest.count == 10, let last = slowest.last, last.seconds >= result.duration { return }
        let place = result.scenario.position.map { "\($0): " } ?? ""
        let own = Slow(name: place + result.name, seconds: result.duration)
        slowest.insert(own, at: slowest.firstIndex { $0.seconds < own.seconds } ?? slowest.count)
        if slowest.count > 10 { slowest.removeLast() }
    }

    mutating func count(_ result: ScenarioResult) {
        switch result.outcome {
        case .passed: passed += 1
        case .failed:
            failed += 1
            failures.append(Failed(file: result.scenario.file, name: result.scenario.name))
        case .pending: pending += 1
        }
    }
}
