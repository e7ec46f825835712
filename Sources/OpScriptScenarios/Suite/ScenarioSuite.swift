/// Runs the scenarios of some files, and tells a reporter.
package struct ScenarioSuite: Sendable {
    /// The files, in order.
    package var files: [ScenarioFile]
    /// How each scenario is run.
    package var runner: ScenarioRunner
    /// Which scenarios are run.
    package var selection = ScenarioSelection()
    /// In which order, how often, how many at once.
    package var order = ScenarioOrder()

    /// Makes a suite.
    package init(files: [ScenarioFile], runner: ScenarioRunner) {
        self.files = files
        self.runner = runner
    }

    /// Finds the chosen scenarios of each file, without running any.
    package func list() async -> [(file: ScenarioFile, listing: ScenarioListing)] {
        var result: [(file: ScenarioFile, listing: ScenarioListing)] = []
        for file in files {
            var listing = await runner.list(file)
            listing.scenarios = selection.chosen(of: replayed(listing.scenarios))
            result.append((file, listing))
        }
        return result
    }

    /// Of some scenarios of a file the one that is replayed; all of them where none is.
    private func replayed(_ scenarios: [Scenario]) -> [Scenario] {
        runner.replay.map { replay in scenarios.filter { $0.index == replay.index } } ?? scenarios
    }

    /// Runs all; what was not run when the task is cancelled is left out.
    ///
    /// What is told has the same order whatever the number of scenarios that run at once.
    package func run(_ reporter: inout some ScenarioReporter) async -> ScenarioSummary {
        let start = ContinuousClock.now
        var line = ResultOrder(reporter, failsFast: order.failsFast)
        line.summary.shuffleSeed = order.shuffleSeed
        await withTaskGroup(of: (Int, ScenarioResult).self) { group in
            var listings: [String: ScenarioListing] = [:]
            var running = 0
            rounds: for round in 0..<max(1, order.rounds) {
                for file in order.arranged(files, round: round, salt: 0) {
                    if Task.isCancelled || line.isOver { break rounds }
                    let isKnown = listings[file.path] != nil
                    var listing: ScenarioListing
                    if let known = listings[file.path] {
                        listing = known
                    } else {
                        listing = await runner.list(file)
                    }
                    listings[file.path] = listing
                    let all = replayed(listing.scenarios)
                    listing.scenarios = order.arranged(selection.chosen(of: all), round: round, salt: 1)
                    if !isKnown { line.summary.leftOut += all.count - listing.scenarios.count }
                    // What is wrong with the file is told once; a file of which nothing is chosen is not told at all.
                    if isKnown { listing.problems = [] }
                    if listing.scenarios.isEmpty, listing.problems.isEmpty, isKnown || !all.isEmpty {
                        continue
                    }
                    line.add(file.path, listing)
                    for scenario in listing.scenarios {
                        while running >= max(1, order.jobs), let (place, result) = await group.next() {
                            running -= 1
                            line.fill(place, result)
                        }
                        if Task.isCancelled || line.isOver { break rounds }
                        let place = line.reserve()
                        let (runner, total) = (runner.inRound(round), order.rounds)
                        running += 1
                        group.addTask {
                            var result = await runner.run(scenario, in: file)
                            if total > 1 { result.round = round + 1 }
                            return (place, result)
                        }
                    }
                }
            }
            if line.isOver { group.cancelAll() }
            while let (place, result) = await group.next() {
                line.fill(place, result)
                if line.isOver { group.cancelAll() }
            }
        }
        line.summary.seconds = (ContinuousClock.now - start).inSeconds
        line.summary.wasCancelled = Task.isCancelled
        reporter = line.reporter
        reporter.finished(line.summary)
        return line.summary
    }
}
