import OpScriptScenarios

/// Runs whole suites that are given as text.
enum Suites {
    /// A suite of files, by their names.
    static func make(_ files: KeyValuePairs<String, String>) -> ScenarioSuite {
        ScenarioSuite(
            files: files.map { ScenarioFile(path: $0.key, source: Array($0.value.utf8)) },
            runner: Scenarios.runner()
        )
    }

    /// The reports of a suite: the names of the scenarios in the order of their reports.
    static func names(_ suite: ScenarioSuite) async -> (names: [String], summary: ScenarioSummary) {
        var reporter = Names()
        let summary = await suite.run(&reporter)
        return (reporter.names, summary)
    }

    private struct Names: ScenarioReporter {
        var names: [String] = []

        mutating func fileBegan(_ path: String, _ listing: ScenarioListing) { names.append(path) }
        mutating func ended(_ result: ScenarioResult) { names.append(result.name) }
        mutating func finished(_ summary: ScenarioSummary) {}
    }
}
