internal import Synchronization

/// The scenarios of a file that wait for engines of their own, with their places among the results.
final class SeparateScenarios: Sendable {
    private let scenarios = Mutex<[(Scenario, Int)]>([])

    var all: [(Scenario, Int)] { scenarios.withLock { $0 } }

    func append(_ scenario: Scenario, _ place: Int) { scenarios.withLock { $0.append((scenario, place)) } }
}
