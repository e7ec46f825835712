package import OpScript

/// Runs scenarios: those of a file one after the other, or each in an engine of its own, any number of times.
package struct ScenarioRunner: Sendable {
    /// The configuration of engines; clock, output and the limit of a slice are set for each run.
    package var configuration: ScriptEngine.Configuration
    /// Registers the works that scenarios may use.
    package var register: @Sendable (ScriptEngine) -> Void
    /// Seconds of real time that one run may take.
    package var timeLimit = 60.0
    /// Seconds that a virtual clock may advance in one run, unless the scenario sets another limit.
    package var virtualLimit = 604_800.0
    /// Whether all scenarios run on the real clock, as those of `it.real` do.
    package var isReal = false
    /// The plan for exploring the interleavings of each scenario; nil: each runs once, in the contract's own
    /// order.
    package var exploration: ExplorationPlan?
    /// The interleaving in which scenarios run.
    package var replay: ScenarioReplay?
    /// How many turns a run on virtual time may take; nil for no limit.
    package var stepLimit: Int?

    /// The options that the command needs, besides seed and schedule, to repeat an interleaving of this
    /// runner.
    package var replayOptions: [String] = []

    /// Seconds that a run has to end after its time is over.
    package var grace = 5.0

    /// Collects which lines scenarios execute; nil, the default, if coverage is not recorded.
    package var coverage: CoverageCollector?

    /// The seed of all randomness on virtual time.
    package var seed: UInt64 = 0

    /// The settings for loading the files of the project.
    package var project = ScenarioProject()

    /// Whether each scenario runs in an engine of its own, instead of all scenarios of a file in one engine.
    package var isolates = false

    /// Whether each scenario on virtual time runs twice, and fails if the runs differ.
    package var checksDeterminism = false

    /// Whether each scenario gets an engine of its own, also because scenarios run more than once or by a
    /// schedule.
    var runsApart: Bool { isolates || exploration != nil || replay != nil || checksDeterminism }

    /// Whether engines begin at a date that is always the same, because runs are compared with each other.
    var hasFixedDate: Bool { exploration != nil || checksDeterminism }

    /// Makes a runner.
    package init(
        configuration: ScriptEngine.Configuration,
        register: @escaping @Sendable (ScriptEngine) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.register = register
    }

    /// The same for another round, counted from 0: with the next seed, since on virtual time everything else
    /// is the same in each round.
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

    /// The request to a run of a file.
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

    /// A scenario of a file, from a message of the library.
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

    /// Runs a scenario: once, or as often as an exploration requires.
    package func run(_ scenario: Scenario, in file: ScenarioFile) async -> ScenarioResult {
        if let exploration, !scenario.isReal, !scenario.isPending {
            return await explore(scenario, in: file, exploration)
        }
        if checksDeterminism, !scenario.isReal, !scenario.isPending {
            return await runTwice(scenario, in: file)
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
    func runOnce(
        _ scenario: Scenario,
        in file: ScenarioFile,
        _ choices: ChoiceSource?,
        trace: KeptTrace? = nil
    ) async -> ScenarioResult {
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
            choices: choices,
            trace: trace
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
        result.problems += run.defects
        result.notes += run.diagnoses
        return result
    }
}
