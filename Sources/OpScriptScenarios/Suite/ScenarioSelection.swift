internal import OpScript

/// A selection of scenarios.
package struct ScenarioSelection: Sendable, Equatable {
    /// A pattern is not a valid Lua pattern.
    package struct Unusable: Error, Equatable {
        /// One sentence that names the pattern.
        package var message: String
    }

    /// Lua patterns, at least one of which the full name must contain: the names of the groups and its own,
    /// with blanks between; empty for any name.
    package private(set) var patterns: [String] = []
    /// Lua patterns that the full name must not contain.
    package private(set) var excludedPatterns: [String] = []
    /// Full names that are left out.
    package var excludedNames: Set<String> = []
    /// Tags, at least one of which the scenario must have; empty for any.
    package var tags: Set<String> = []
    /// Tags that the scenario must not have.
    package var excludedTags: Set<String> = []

    /// All scenarios.
    package init() {}

    /// Chooses by names.
    package mutating func choose(pattern: String) throws(Unusable) {
        try Self.check(pattern)
        patterns.append(pattern)
    }

    /// Leaves out by names.
    package mutating func exclude(pattern: String) throws(Unusable) {
        try Self.check(pattern)
        excludedPatterns.append(pattern)
    }

    private static func check(_ pattern: String) throws(Unusable) {
        guard let problem = LuaPattern.problem(in: pattern) else { return }
        throw Unusable(message: "'\(pattern)' is not a Lua pattern: \(problem)")
    }

    /// Adds it to the request to a run of a file.
    func write(into order: inout ScriptTable) {
        func list(_ words: some Sequence<String>) -> ScriptValue { .array(words.map { .text($0) }) }
        order["tags"] = list(tags.sorted())
        order["excludedTags"] = list(excludedTags.sorted())
        order["filters"] = list(patterns)
        order["filtersOut"] = list(excludedPatterns)
        if !excludedNames.isEmpty { order["excludedNames"] = list(excludedNames.sorted()) }
    }
}
