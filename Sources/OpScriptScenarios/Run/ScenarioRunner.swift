package import OpScript

/// Runs scenarios: those of a file one after the other, or each in an engine of its own, as often as somebody likes.
package struct ScenarioRunner: Sendable {
    /// How engines are set up; clock, output and the limit of a slice are set for each run.
    package var configuration: ScriptEngine.Configuration
    /// Registers the works that scenarios may use.
    package var register: @Sendable (ScriptEngine) -> Void
    /// Seconds that one run may take, for who waits.
    package var timeLimit = 60.0
    /// Seconds that a virtual clock may go on in one run, unless the scenario says otherwise.
    package var virtualLimit = 604_800.0
    /// Whether all scenarios run on the real clock, as those of `it.real` do.
    package var isReal = false
    /// How interleavings of each scenario are looked for; nil: each runs once, in the contract's own order.
    package var exploration: ExplorationPlan?
    /// The interleaving in which scenarios run.
    package var replay: ScenarioReplay?
    /// How many turns a run on virtual time may take; nil for any number.
    package var stepLimit: Int?

    /// What the command needs beside seed and schedule to run an interleaving of this runner again.
    package var replayOptions: [String] = []

    /// Seconds after the end of its time that a run has for coming to its end.
    package var grace = 5.0

    /// Where it is told which lines scenarios execute; nil, the default: nowhere, and nothing is noted.
    package var coverage: CoverageCollector?

    /// What fixes all chance on virtual time.
    package var seed: UInt64 = 0

    /// How the files of the project are loaded.
    package var project = ScenarioProject()

    /// Whether each scenario is run in an engine of its own, and not those of a file in one.
    package var isolates = false

    /// Whether that is so, also because scenarios run more than once or by a schedule.
    var runsApart: Bool { isolates || exploration != nil || replay != nil }

    /// Makes a runner.
    package init(
        configuration: ScriptEngine.Configuration,
        register: @escaping @Sendable (ScriptEngine) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.register = register
    }

    /// The same for another round, counted from 0: with the next seed, since on virtual time all else is the same in
    /// each round.
    func inRound(_ round: Int) -> ScenarioRunner {
        var runner = self
        if round > 0 {
            runner.seed &+= UInt64(round)
            runner.exploration?.seed &+= UInt64(round)
        }
        return runner
    }

    /// Finds the chosen scenarios of a file, without running any.
    package func list(_ file: ScenarioFile, _ selection: ScenarioSelection = ScenarioSelection()) async
        -> ScenarioListing
    {
        listing(await listingDrive(file, selection).perform(), of: file)
    }

    /// The same of all while the calling thread waits.
    package func listWaiting(_ file: ScenarioFile) -> ScenarioListing {
        listing(listingDrive(file, ScenarioSelection()).performWaiting(), of: file)
    }

    private func listingDrive(_ file: ScenarioFile, _ selection: ScenarioSelection) -> ScenarioDrive {
        ScenarioDrive(self, file, order: order("list", file, selection), clock: .virtual)
    }

    /// What a run of a file is told.
    func order(_ action: String, _ file: ScenarioFile, _ selection: ScenarioSelection) -> ScriptTable {
        var order: ScriptTable = [
            "action": .text(action), "file": .text(file.path), "virtualLimit": .number(virtualLimit),
            "seed": .integer(Int64(bitPattern: seed)),
        ]
        selection.write(into: &order)
        project.write(into: &order)
        return order
    }

    private func listing(_ run: ScenarioRun, of file: ScenarioFile) -> ScenarioListing {
        var listing = ScenarioListing()
        for event in run.events {
            switch event.text("event") {
            case "scenario":
                listing.scenarios.append(scenario(event, of: file))
            case "leftOut": listing.leftOut += 1
            case "problem": listing.problems.append(ScenarioProblem(event))
            default: break
            }
        }
        if !run.has("listed"), listing.problems.isEmpty || run.report.error != nil {
            // It would end in the same way before each of its scenarios.
            listing.scenarios = []
            listing.problems.append(run.problem(outside: "the file"))
        }
        listing.output = run.output
        return listing
    }

    /// A scenario of a file as the library tells of it.
    func scenario(_ event: ScriptTable, of file: ScenarioFile) -> Scenario {
        Scenario(
            file: file.path,
            index: event.integer("index") ?? 0,
            names: event.texts("names"),
            path: event.integers("path"),
            place: event.text("place"),
            isReal: isReal || event.flag("isReal"),
            isPending: event.flag("isPending")
        )
    }

    /// Runs a scenario: once, or as often as an exploration asks for.
    package func run(_ scenario: Scenario, in file: ScenarioFile) async -> ScenarioResult {
        if let exploration, !scenario.isReal, !scenario.isPending {
            return await explore(scenario, in: file, exploration)
        }
        guard let replay, !scenario.isReal else { return await runOnce(scenario, in: file, nil) }
        let choices = ChoiceSource(.replay(replay.schedule))
        var result = await runOnce(scenario, in: file, choices)
        if let misfit = choices.misfitAtEnd {
            result.problems = [ScenarioProblem(.error, "the schedule does not fit this scenario: \(misfit)")]
            result.leaks = []
            // The run itself has noted the same.
            result.notes = []
        }
        return result
    }

    /// Runs a scenario once.
    func runOnce(_ scenario: Scenario, in file: ScenarioFile, _ choices: ChoiceSource?) async
        -> ScenarioResult
    {
        var result = ScenarioResult(scenario)
        guard !scenario.isPending else {
            result.pendingReason = .some(nil)
            return result
        }
        var order = order("one", file, ScenarioSelection())
        order["path"] = .array(scenario.path.map { .integer(Int64($0)) })
        order["names"] = .text(scenario.names.joined(separator: "\0"))
        order["isReal"] = .boolean(scenario.isReal)
        let drive = ScenarioDrive(
            self,
            file,
            order: order,
            clock: scenario.isReal ? .system : .virtual,
            choices: choices
        )
        let run = await drive.perform()
        result.seed = scenario.isReal ? nil : seed
        result.output = run.output
        result.duration = run.duration
        if let end = run.events.last(where: { $0.text("event") == "result" }) {
            result.take(end)
            if let error = run.report.error { result.take(error) }
        } else {
            result.problems = [run.problem(outside: "the scenario")]
        }
        result.notes += run.diagnoses
        return result
    }
}
