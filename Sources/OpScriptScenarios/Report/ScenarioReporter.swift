/// Tells somebody what became of scenarios, in the order of the files.
package protocol ScenarioReporter {
    /// A file was looked at; its scenarios follow.
    mutating func fileBegan(_ path: String, _ listing: ScenarioListing)
    /// A scenario has ended.
    mutating func ended(_ result: ScenarioResult)
    /// There is nothing more to come.
    mutating func finished(_ summary: ScenarioSummary)
}
