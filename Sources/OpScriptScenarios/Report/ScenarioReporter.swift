/// Tells somebody what became of scenarios, in the order of the files.
package protocol ScenarioReporter: Sendable {
    /// A file was looked at; its scenarios follow.
    mutating func fileBegan(_ path: String, _ listing: ScenarioListing)
    /// Something is wrong outside of scenarios, behind those that have ended; with what was printed before.
    mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8])
    /// Something should be known that belongs to no scenario.
    mutating func noted(_ path: String, _ note: String)
    /// A scenario has ended.
    mutating func ended(_ result: ScenarioResult)
    /// There is nothing more to come.
    mutating func finished(_ summary: ScenarioSummary)
}

extension ScenarioReporter {
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {}
    package mutating func noted(_ path: String, _ note: String) {}
}
