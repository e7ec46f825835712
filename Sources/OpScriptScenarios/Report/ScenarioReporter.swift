/// Reports the results of scenarios, in the order of the files.
package protocol ScenarioReporter: Sendable {
    /// A file was loaded; its scenarios follow.
    mutating func fileBegan(_ path: String, _ listing: ScenarioListing)
    /// A problem outside scenarios was found, after the scenarios that have ended; with the output before it.
    mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8])
    /// A note or a warning that belongs to no scenario.
    mutating func noted(_ path: String, _ note: String)
    /// A scenario has ended.
    mutating func ended(_ result: ScenarioResult)
    /// No more results follow.
    mutating func finished(_ summary: ScenarioSummary)
}

extension ScenarioReporter {
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {}
    package mutating func noted(_ path: String, _ note: String) {}
}
