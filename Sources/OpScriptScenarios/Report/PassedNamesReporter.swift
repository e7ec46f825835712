/// Passes all reports on to another reporter, and the names of scenarios that passed to a receiver.
package struct PassedNamesReporter: ScenarioReporter {
    private var reporter: any ScenarioReporter
    private let note: @Sendable (String) -> Void

    /// Makes a reporter in front of another one.
    ///
    /// - Parameter note: Receives each full name, in the order of the reports.
    package init(_ reporter: any ScenarioReporter, note: @escaping @Sendable (String) -> Void) {
        self.reporter = reporter
        self.note = note
    }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        reporter.fileBegan(path, listing)
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        reporter.problem(path, problem, output: output)
    }

    /// A note or a warning.
    package mutating func noted(_ path: String, _ note: String) { reporter.noted(path, note) }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        if result.outcome == .passed { note(result.scenario.name) }
        reporter.ended(result)
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) { reporter.finished(summary) }
}
