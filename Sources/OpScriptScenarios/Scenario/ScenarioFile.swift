/// A file of scenarios, read once.
package struct ScenarioFile: Sendable {
    /// The path as it was found; modules are searched beside it.
    package var path: String
    /// Its text.
    package var source: [UInt8]

    /// Creates a file from its text.
    package init(path: String, source: [UInt8]) {
        self.path = path
        self.source = source
    }

    /// Its name in Lua.
    var chunkName: String { "@\(path)" }
}

/// The contents of a file.
package struct ScenarioListing: Sendable {
    /// Its scenarios, in order.
    package var scenarios: [Scenario] = []
    /// The problem outside scenarios, if there is one; scenarios that were found before it are included.
    package var problems: [ScenarioProblem] = []
    /// Its output.
    package var output: [UInt8] = []
    /// How many scenarios were not chosen.
    package var leftOut = 0
}
