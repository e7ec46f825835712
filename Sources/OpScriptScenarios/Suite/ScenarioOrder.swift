/// A series of random numbers that a seed decides (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The order in which scenarios run, the number of rounds, and how many run at once.
package struct ScenarioOrder: Sendable, Equatable {
    /// Decides the order of files, and of the scenarios of each; nil for the order in the files.
    package var shuffleSeed: UInt64?
    /// Whether it decides the order of files.
    package var shufflesFiles = true
    /// Whether it decides the order of the scenarios of a file.
    package var shufflesScenarios = true
    /// Whether the scenarios of a group are in the order of their names.
    package var isSorted = false
    /// How many times all scenarios run, at least 1.
    package var rounds = 1
    /// How many run at once, at least 1.
    package var jobs = 1
    /// Whether pending scenarios are not reported.
    package var hidesPending = false
    /// Whether the first failure ends the suite.
    package var failsFast = false

    /// In the order of the files, once, one after the other.
    package init() {}

    /// The same for another round, counted from 0.
    func inRound(_ round: Int) -> ScenarioOrder {
        var order = self
        order.shuffleSeed = shuffleSeed.map { $0 &+ UInt64(round) }
        return order
    }

    /// The elements in the order of a round.
    func arranged<Element>(_ elements: [Element], round: Int, salt: UInt64) -> [Element] {
        guard let shuffleSeed else { return elements }
        var numbers = SeededNumbers(seed: shuffleSeed &+ UInt64(round) &* 0x1_0000_0001 &+ salt)
        return elements.shuffled(using: &numbers)
    }
}
