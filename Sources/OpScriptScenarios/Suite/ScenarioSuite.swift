/// Runs the scenarios of some files, and reports to a reporter.
package struct ScenarioSuite: Sendable {
    /// The files, in order.
    package var files: [ScenarioFile]
    /// The runner of scenarios.
    package var runner: ScenarioRunner
    /// The selection of scenarios.
    package var selection = ScenarioSelection()
    /// The order, the number of rounds, and how many run at once.
    package var order = ScenarioOrder()

    /// Whether the summary has the scenarios that took longest.
    package var tellsSlowest = false

    /// Receives the modules that each file has loaded; nil, the default, if they are not needed.
    package var modules: LoadedModules?

    /// Makes a suite.
    package init(files: [ScenarioFile], runner: ScenarioRunner) {
        self.files = files
        self.runner = runner
    }

    /// Finds the chosen scenarios of each file, without running any.
    package func list() async -> [(file: ScenarioFile, listing: ScenarioListing)] {
        var result: [(file: ScenarioFile, listing: ScenarioListing)] = []
        for file in files {
            var listing = await runner.list(file, selection)
            listing.scenarios = replayed(listing.scenarios)
            result.append((file, listing))
        }
        return result
    }

    /// The one scenario of a file that is replayed; all of them if none is.
    private func replayed(_ scenarios: [Scenario]) -> [Scenario] {
        runner.replay.map { replay in scenarios.filter { $0.index == replay.index } } ?? scenarios
    }

    /// Runs all scenarios; those that have not run when the task is cancelled are left out.
    ///
    /// The order of reports does not depend on the number of files or scenarios that run at once.
    package func run<Reporter: ScenarioReporter>(_ reporter: inout Reporter) async -> ScenarioSummary {
        let start = ContinuousClock.now
        let line = ResultLine(reporter, order, keepsSlowest: tellsSlowest)
        await withTaskCancellationHandler {
            await perform(line)
        } onCancel: {
            line.interrupt()
        }
        let summary: ScenarioSummary
        (reporter, summary) = line.finish { summary in
            summary.shuffleSeed = order.shuffleSeed
            summary.seconds = (ContinuousClock.now - start).inSeconds
            summary.wasCancelled = Task.isCancelled
        }
        return summary
    }

    private func perform(_ line: ResultLine<some ScenarioReporter>) async {
        let jobs = max(1, order.jobs)
        // Engines of files that have ended are closed while the next ones run.
        await withTaskGroup(of: [Task<Bool, Never>].self) { group in
            var running = 0
            var closings: [Task<Bool, Never>] = []
            rounds: for round in 0..<max(1, order.rounds) {
                for together in groups(round) {
                    while running >= jobs, let ended = await group.next() {
                        running -= 1
                        closings += ended
                    }
                    if Task.isCancelled || line.isOver { break rounds }
                    let lane = line.open(together[0].path, isKnown: round > 0)
                    running += 1
                    group.addTask {
                        if runner.runsApart {
                            defer { line.close(lane) }
                            await runApart(together[0], round: round, lane, line)
                            return []
                        }
                        return await runTogether(together, round: round, lane, line)
                    }
                }
            }
            if line.isOver { group.cancelAll() }
            while let ended = await group.next() {
                closings += ended
                if line.isOver { group.cancelAll() }
            }
            for closing in closings { _ = await closing.value }
        }
    }

    /// The files in the order of a round: those that share an engine in one list.
    private func groups(_ round: Int) -> [[ScenarioFile]] {
        let files = order.shufflesFiles ? order.arranged(files, round: round, salt: 0) : files
        if runner.project.sharesGlobals, !runner.runsApart { return files.isEmpty ? [] : [files] }
        return files.map { [$0] }
    }

    /// Runs the scenarios of files in one engine, and those that need their own afterwards.
    private func runTogether(
        _ files: [ScenarioFile],
        round: Int,
        _ lane: Int,
        _ line: ResultLine<some ScenarioReporter>
    ) async -> [Task<Bool, Never>] {
        let lanes = FileLanes(line, files, isKnown: round > 0, first: lane)
        let isRepeated = order.rounds > 1
        let run = FileRun(
            runner: runner.inRound(round),
            files: files,
            selection: selection,
            order: order.inRound(round)
        ) { place, event in
            let (lane, separate) = lanes.lane(of: place)
            switch event {
            case .problem(let problem, let output):
                // A problem of the file is reported once.
                if round == 0 { line.add(problem, output: output, to: lane) }
            case .result(var result):
                if isRepeated { result.round = round + 1 }
                line.add(result, to: lane)
            case .separate(let scenario): separate.append(scenario, line.reserve(in: lane))
            case .leftOut(let count): line.leaveOut(count, of: lane)
            case .modules(let paths): modules?.note(paths, of: files[place].path)
            case .note(let note): line.add(note, to: lane)
            case .ended: if place + 1 < files.count { line.close(lane) }
            }
        }
        let closings = await run.perform()
        for (file, lane, separate) in lanes.opened {
            await perform(separate.all, of: file, round: round, lane, line)
            line.close(lane)
        }
        return closings
    }

    /// Runs each scenario of a file in an engine of its own.
    private func runApart(
        _ file: ScenarioFile,
        round: Int,
        _ lane: Int,
        _ line: ResultLine<some ScenarioReporter>
    ) async {
        var listing = await runner.list(file, selection)
        let scenarios =
            order.shufflesScenarios
            ? order.arranged(listing.scenarios, round: round, salt: 1) : listing.scenarios
        listing.scenarios = replayed(scenarios)
        line.leaveOut(listing.leftOut, of: lane)
        // A problem of the file is reported once.
        if round > 0 { listing.problems = [] }
        if !listing.scenarios.isEmpty || !listing.problems.isEmpty { line.add(listing, to: lane) }
        let places = listing.scenarios.map { ($0, line.reserve(in: lane)) }
        await perform(places, of: file, round: round, lane, line)
    }

    private func perform(
        _ scenarios: [(Scenario, Int)],
        of file: ScenarioFile,
        round: Int,
        _ lane: Int,
        _ line: ResultLine<some ScenarioReporter>
    ) async {
        guard !scenarios.isEmpty else { return }
        let (runner, isRepeated) = (runner.inRound(round), order.rounds > 1)
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for (scenario, place) in scenarios {
                while running >= max(1, order.jobs), await group.next() != nil { running -= 1 }
                if Task.isCancelled || line.isOver { break }
                running += 1
                group.addTask {
                    var result = await runner.run(scenario, in: file)
                    if isRepeated { result.round = round + 1 }
                    line.fill(place, of: lane, result)
                }
            }
            while await group.next() != nil {
                if line.isOver { group.cancelAll() }
            }
        }
    }
}
