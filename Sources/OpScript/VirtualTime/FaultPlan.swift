internal import LuaVM
internal import Scheduling

/// The faults that are injected into works under virtual time. Confined to the script thread.
struct FaultPlan {
    /// The function `raise` raises an error instead of the body.
    struct Failure {
        var probability: Double
        var raise: LuaReference
    }

    private struct Rule<Content> {
        var pattern: NamePattern
        var content: Content
    }

    private var failures: [Rule<Failure>] = []
    private var delays: [Rule<ClosedRange<Double>>] = []
    private var holds: [NamePattern] = []
    /// Operations that have started and are held, in the order of their starts.
    private(set) var held: [(id: OperationID, name: String)] = []
    private var random: RandomSequence

    init(seed: UInt64) { random = RandomSequence(seed: seed ^ 0xfa17_0000_0000_0001) }

    /// Whether works of this name may be subject to a fault.
    func concerns(_ name: String) -> Bool {
        failures.contains { $0.pattern.matches(name) } || delays.contains { $0.pattern.matches(name) }
            || isHeld(name)
    }

    // MARK: Rules

    mutating func fail(_ pattern: NamePattern, _ failure: Failure) {
        failures.removeAll { $0.pattern == pattern }
        failures.append(Rule(pattern: pattern, content: failure))
    }

    mutating func delay(_ pattern: NamePattern, _ seconds: ClosedRange<Double>) {
        delays.removeAll { $0.pattern == pattern }
        delays.append(Rule(pattern: pattern, content: seconds))
    }

    mutating func hold(_ pattern: NamePattern) {
        if !holds.contains(pattern) { holds.append(pattern) }
    }

    /// Returns the operations that no hold applies to any more; nil if no hold has this pattern.
    mutating func release(_ pattern: NamePattern) -> [OperationID]? {
        guard holds.contains(pattern) else { return nil }
        holds.removeAll { $0 == pattern }
        let free = held.filter { !isHeld($0.name) }.map(\.id)
        held = held.filter { isHeld($0.name) }
        return free
    }

    var heldPatterns: [String] { holds.map(\.text) }

    // MARK: Operations

    func isHeld(_ name: String) -> Bool { holds.contains { $0.matches(name) } }

    mutating func hold(_ id: OperationID, _ name: String) { held.append((id, name)) }

    func holds(_ id: OperationID) -> Bool { held.contains { $0.id == id } }

    /// Stops holding an operation; false if it was not held.
    mutating func drop(_ id: OperationID) -> Bool {
        let count = held.count
        held.removeAll { $0.id == id }
        return held.count < count
    }

    /// The seconds by which an operation of this name is delayed.
    mutating func drawDelay(_ name: String, _ choices: ChoiceSource?) -> Double {
        guard let range = delays.last(where: { $0.pattern.matches(name) })?.content else { return 0 }
        let length = range.upperBound - range.lowerBound
        guard length > 0 else { return range.lowerBound }
        guard let choices else { return range.lowerBound + length * random.nextUnit() }
        // Only five delays, few enough to be explored.
        return range.lowerBound + length * Double(choices.choose(Self.delayActors)) / 4
    }

    private static let delayActors: [UInt64] = (0...4).map { 1 << 62 | $0 }

    /// The function that raises the error of an operation of this name; nil if the operation does not fail.
    mutating func drawFailure(_ name: String, _ choices: ChoiceSource?) -> LuaReference? {
        guard let failure = failures.last(where: { $0.pattern.matches(name) })?.content else { return nil }
        let happens =
            choices?.happens(probability: failure.probability) ?? (random.nextUnit() < failure.probability)
        return happens ? failure.raise : nil
    }
}
