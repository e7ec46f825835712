/// How many scenarios ended in which way.
package struct ScenarioSummary: Sendable, Equatable {
    /// Scenarios that passed.
    package var passed = 0
    /// Scenarios that failed.
    package var failed = 0
    /// Scenarios that are pending.
    package var pending = 0
    /// What went wrong outside of scenarios.
    package var problems = 0
    /// Scenarios that were not chosen.
    package var leftOut = 0
    /// Seconds that all took.
    package var seconds = 0.0
    /// Whether it was cancelled before all had run.
    package var wasCancelled = false
    /// Whether the first failure ended it.
    package var endedEarly = false
    /// What decided the order, where it was shuffled.
    package var shuffleSeed: UInt64?

    /// The ten scenarios that took longest, the longest first; empty where nobody asked.
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

        /// Makes one.
        package init(file: String, name: String) {
            self.file = file
            self.name = name
        }
    }

    /// Makes one of nothing.
    package init() {}

    /// Whether all is well.
    package var isGood: Bool { failed == 0 && problems == 0 && !wasCancelled }
    /// Whether none was run.
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
