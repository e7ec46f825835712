internal import OpScript

/// Lists the scenarios.
package struct ScenarioList {
    /// The format of the list.
    package enum Format: Sendable {
        /// `job_spec.lua:12: a name #tag`.
        case readable
        /// An object of JSON for each.
        case json
    }

    /// Creates the lines of some files, and of the problems in them.
    package static func lines(
        _ files: [(file: ScenarioFile, listing: ScenarioListing)],
        _ format: Format
    ) -> (scenarios: [String], problems: [String]) {
        var scenarios: [String] = []
        var problems: [String] = []
        for (file, listing) in files {
            for scenario in listing.scenarios {
                switch format {
                case .readable:
                    let pending = scenario.isPending ? " (pending)" : ""
                    let place = scenario.position?.description ?? scenario.file
                    scenarios.append(VisibleText.line("\(place): \(scenario.name)\(pending)"))
                case .json:
                    var object = JSONReporter.object(scenario)
                    object.add("pending", scenario.isPending)
                    scenarios.append(object.text)
                }
            }
            for problem in listing.problems {
                let isPlaced = problem.position(in: file.path) != nil && problem.place == nil
                let place = problem.place ?? file.path
                let hasPlace = isPlaced || problem.message.hasPrefix("\(place):")
                problems.append(hasPlace ? problem.message : "\(place): \(problem.message)")
            }
        }
        return (scenarios, problems)
    }
}
