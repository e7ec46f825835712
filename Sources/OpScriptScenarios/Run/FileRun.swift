internal import OpScript
internal import Synchronization

/// The events of a run of a file, in order.
enum FileEvent: Sendable {
    /// A problem outside scenarios was found; with the output before it.
    case problem(ScenarioProblem, output: [UInt8])
    /// A scenario has ended.
    case result(ScenarioResult)
    /// A scenario needs an engine of its own.
    case separate(Scenario)
    /// This many scenarios were not chosen.
    case leftOut(Int)
    /// The files of the modules that were loaded.
    case modules([String])
    /// A note or a warning that belongs to no scenario.
    case note(String)
    /// The file has ended.
    case ended
}

/// Runs the scenarios of a file, or of several, one after the other in one engine. If a scenario makes that engine
/// unusable (it has ended the run, or its leftovers cannot be removed), another engine continues after it.
struct FileRun {
    let runner: ScenarioRunner
    /// At least one; those behind the first see its globals and modules.
    let files: [ScenarioFile]
    let selection: ScenarioSelection
    let order: ScenarioOrder
    /// Called on any thread, one call after the other, with the place of the file among ``files``.
    let tell: @Sendable (Int, FileEvent) -> Void

    /// Runs all; cancelling the task ends the run. Returns the engines that are still being closed.
    func perform() async -> [Task<Bool, Never>] {
        var (first, after): (Int, Scenario?) = (0, nil)
        var closings: [Task<Bool, Never>] = []
        // The problems of the first file outside scenarios, from all engines.
        var known: [ScenarioProblem] = []
        while !Task.isCancelled {
            let progress = FileProgress(runner, files, first, known: known, tell)
            let drive = ScenarioDrive(
                runner,
                files[first],
                order: text(first, after),
                clock: runner.isReal ? .system : .virtual
            ) { progress.take($0) }
            let (run, closing) = await drive.performLeavingEngine()
            closings.append(closing)
            let end = progress.end(run)
            if end.isOver { break }
            known = end.file == first ? known + end.problems : end.problems
            if let last = end.last, end.file > first || last.path != after?.path {
                (first, after) = (end.file, last)
            } else if end.file + 1 < files.count {
                // The file ends the engine before its first scenario: the next one continues.
                (first, after) = (end.file + 1, nil)
                known = []
            } else {
                break
            }
        }
        return closings
    }

    private func text(_ first: Int, _ after: Scenario?) -> ScriptTable {
        var text = runner.order("all", files[first], selection)
        text["others"] = .array(
            files[(first + 1)...].map { .table(["path": .text($0.path), "source": .string($0.source)]) }
        )
        text["isReal"] = .boolean(runner.isReal)
        text["failsFast"] = .boolean(order.failsFast)
        text["isSorted"] = .boolean(order.isSorted)
        if order.shufflesScenarios, let seed = order.shuffleSeed {
            text["shuffleSeed"] = .integer(Int64(bitPattern: seed))
        }
        if let after {
            text["after"] = .array(after.path.map { .integer(Int64($0)) })
            text["afterIndex"] = .integer(Int64(after.index))
        }
        return text
    }
}

/// The progress of one engine in its files.
private final class FileProgress: Sendable {
    private struct State {
        /// The scenario that runs.
        var current: ScenarioResult?
        /// A result that waits for the end of the run, which it has caused.
        var held: ScenarioResult?
        var last: Scenario?
        var hasEnded = false
        var isRenewed = false
        /// The place of the file that runs.
        var file: Int
        /// Whether no other file follows, because a failure ends the suite.
        var isLast = false
        /// The problems of this file outside scenarios.
        var problems: [ScenarioProblem] = []
    }

    private let runner: ScenarioRunner
    private let files: [ScenarioFile]
    /// The problems that earlier engines have found in the first file.
    private let known: [ScenarioProblem]
    private let tell: @Sendable (Int, FileEvent) -> Void
    private let state: Mutex<State>

    init(
        _ runner: ScenarioRunner,
        _ files: [ScenarioFile],
        _ first: Int,
        known: [ScenarioProblem],
        _ tell: @escaping @Sendable (Int, FileEvent) -> Void
    ) {
        self.runner = runner
        self.files = files
        self.known = known
        self.tell = tell
        state = Mutex(State(file: first))
    }

    func take(_ told: RunReceiver.Told) {
        let (place, all) = state.withLock { state -> (Int, [FileEvent]) in
            let all = events(told, &state)
            return (state.file, all)
        }
        for event in all { tell(place, event) }
    }

    private func events(_ told: RunReceiver.Told, _ state: inout State) -> [FileEvent] {
        let file = files[state.file]
        switch told.event.text("event") {
        case "begun":
            let scenario = runner.scenario(told.event, of: file)
            var result = ScenarioResult(scenario)
            result.output = told.output
            result.notes = told.diagnoses
            state.current = result
            state.last = scenario
            return []
        case "result":
            guard var result = state.current else { return [] }
            let (output, notes) = (result.output, result.notes)
            result.take(told.event)
            result.output = output + told.output
            result.notes += notes + told.diagnoses
            result.duration = told.duration
            if !told.event.flag("isPending"), !runner.isReal { result.seed = runner.seed }
            state.current = nil
            if told.event.flag("isEnding") {
                state.held = result
                return []
            }
            return [.result(result)]
        case "separate":
            let scenario = runner.scenario(told.event, of: file)
            state.last = scenario
            return [.separate(scenario)]
        case "problem":
            let problem = ScenarioProblem(told.event)
            // A hook of a group that an earlier engine has begun fails there and here for one reason.
            if told.event.flag("isAgain"), known.contains(where: { $0.isSame(as: problem) }) { return [] }
            state.problems.append(problem)
            return [.problem(problem, output: told.output)]
        case "note":
            return told.event.text("text").map { [.note($0)] } ?? []
        case "renew":
            state.isRenewed = true
            return [.leftOut(told.event.integer("leftOut") ?? 0)]
        case "ended":
            state.hasEnded = true
            if told.event.flag("isLast") { state.isLast = true }
            return [
                .leftOut(told.event.integer("leftOut") ?? 0), .modules(told.event.texts("modules")), .ended,
            ]
        case "file":
            state = State(file: state.file + 1)
            return []
        default: return []
        }
    }

    /// Takes the end of the run; returns whether nothing more has to run, and otherwise the last file that was begun,
    /// the last scenario that ran in it, and the problems outside its scenarios.
    func end(
        _ run: ScenarioRun
    ) -> (isOver: Bool, file: Int, last: Scenario?, problems: [ScenarioProblem]) {
        let (state, events) = state.withLock { state -> (State, [FileEvent]) in
            if var result = state.held ?? state.current {
                let isTold = state.held != nil
                result.output += run.output
                result.notes += run.diagnoses
                if !isTold { result.duration = run.duration }
                if !isTold {
                    result.problems = [run.problem(outside: "the scenario")]
                } else if let error = run.report.error {
                    result.take(error)
                }
                result.problems += run.defects
                return (state, [.result(result)])
            }
            var events: [FileEvent] = run.diagnoses.map { .note($0) }
            if !state.hasEnded, !state.isRenewed {
                events.append(.problem(run.problem(outside: "the file"), output: run.output))
            } else if let error = run.report.error {
                events.append(.problem(ScenarioProblem(error), output: run.output))
            }
            events += run.defects.map { .problem($0, output: []) }
            return (state, events)
        }
        for event in events { tell(state.file, event) }
        let hasEnded = state.hasEnded && state.held == nil && state.current == nil
        let isOver = hasEnded && (state.isLast || state.file == files.count - 1)
        return (isOver, state.file, state.last, state.problems)
    }
}
