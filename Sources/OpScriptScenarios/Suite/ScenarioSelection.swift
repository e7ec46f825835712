internal import OpScript

/// Which scenarios are run.
package struct ScenarioSelection: Sendable, Equatable {
    /// A pattern is none of Lua's.
    package struct Unusable: Error, Equatable {
        /// One sentence that names the pattern.
        package var message: String
    }

    /// Lua patterns of which the name has one somewhere, groups in front and blanks between; empty for any name.
    package private(set) var patterns: [String] = []
    /// Lua patterns of which the name has none.
    package private(set) var excludedPatterns: [String] = []
    /// It has one of these tags; empty for any.
    package var tags: Set<String> = []
    /// It has none of these.
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
        throw Unusable(message: "'\(pattern)' is no pattern of Lua: \(problem)")
    }

    /// Adds it to what a run of a file is told.
    func write(into order: inout ScriptTable) {
        func list(_ words: some Sequence<String>) -> ScriptValue { .array(words.map { .text($0) }) }
        order["tags"] = list(tags.sorted())
        order["excludedTags"] = list(excludedTags.sorted())
        order["filters"] = list(patterns)
        order["filtersOut"] = list(excludedPatterns)
    }
}
