/// Which scenarios are run.
package struct ScenarioSelection: Sendable, Equatable {
    /// A pattern is no regular expression.
    package struct Unusable: Error, Equatable {
        /// One sentence that names the pattern.
        package var message: String
    }

    /// A regular expression that the name has somewhere, groups in front and blanks between; nil for any name.
    package private(set) var pattern: String?
    /// It has one of these tags; empty for any.
    package var tags: Set<String> = []
    /// It has none of these.
    package var excludedTags: Set<String> = []

    /// All scenarios.
    package init() {}

    /// Chooses by names.
    package mutating func choose(pattern: String) throws(Unusable) {
        do {
            _ = try Regex(pattern)
        } catch {
            throw Unusable(message: "'\(pattern)' is no regular expression: \(error)")
        }
        self.pattern = pattern
    }

    /// Those of some scenarios that are run, in their order.
    package func chosen(of scenarios: [Scenario]) -> [Scenario] {
        // A regular expression may not go from one task to another, but its text may.
        let expression = pattern.flatMap { try? Regex($0) }
        return scenarios.filter { scenario in
            let own = scenario.tags
            if !tags.isEmpty, !own.contains(where: tags.contains) { return false }
            if own.contains(where: excludedTags.contains) { return false }
            guard let expression else { return true }
            return (try? expression.firstMatch(in: scenario.name)) != nil
        }
    }
}
