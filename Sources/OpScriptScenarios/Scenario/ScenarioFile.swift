/// A file of scenarios, read once.
package struct ScenarioFile: Sendable {
    /// The path as it was found; modules lie beside it.
    package var path: String
    /// Its text.
    package var source: [UInt8]

    /// Makes a file of its text.
    package init(path: String, source: [UInt8]) {
        self.path = path
        self.source = source
    }

    /// What Lua calls it.
    var chunkName: String { "@\(path)" }
}

/// What a file holds.
package struct ScenarioListing: Sendable {
    /// Its scenarios, in order.
    package var scenarios: [Scenario] = []
    /// What went wrong outside of them; those that were found before are there.
    package var problems: [ScenarioProblem] = []
    /// What it printed.
    package var output: [UInt8] = []
    /// How many scenarios were not chosen.
    package var leftOut = 0
}
