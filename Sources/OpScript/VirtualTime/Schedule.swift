/// The order that a run took: the choices at which it left the contract's own order, with the alternatives
/// that it took.
///
/// As text `3:1/2,17:2/4`: the third choice took alternative 1 of two (0 is the contract's own), the seventeenth
/// alternative 2 of four, all others 0; `none` if all took 0.
package struct Schedule: Sendable, Equatable, CustomStringConvertible {
    /// A choice that did not take the first alternative.
    package struct Turn: Sendable, Equatable {
        /// The number of the choice in the run, from 1.
        package var number: Int
        /// The number of the alternative, from 0.
        package var pick: Int
        /// How many alternatives there were.
        package var count: Int
    }

    /// The turns, in the order of the run.
    package var turns: [Turn] = []

    /// The contract's own order.
    package init() {}

    /// The schedule of the choices of a run.
    init(_ choices: [ChoiceSource.Choice]) {
        for (place, choice) in choices.enumerated() where choice.pick > 0 {
            turns.append(Turn(number: place + 1, pick: choice.pick, count: choice.count))
        }
    }

    /// Reads the text of a schedule; nil for anything else.
    package init?(_ text: String) {
        if text == "none" { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, let number = Self.number(halves[0]), number > (turns.last?.number ?? 0)
            else {
                return nil
            }
            let rest = halves[1].split(separator: "/", omittingEmptySubsequences: false)
            guard rest.count == 2, let pick = Self.number(rest[0]), let count = Self.number(rest[1]),
                pick > 0,
                pick < count
            else { return nil }
            turns.append(Turn(number: number, pick: pick, count: count))
        }
    }

    private static func number(_ text: Substring) -> Int? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
    }

    package var description: String {
        turns.isEmpty ? "none" : turns.map { "\($0.number):\($0.pick)/\($0.count)" }.joined(separator: ",")
    }
}
