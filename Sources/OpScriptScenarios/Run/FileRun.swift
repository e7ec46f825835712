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
}

/// Runs the scenarios of a file one after the other in one engine. If a scenario makes that engine unusable
/// (it has ended the run, or its leftovers cannot be removed), another engine continues after it.
struct FileRun {
    let runner: ScenarioRunner
    let file: ScenarioFile
    let selection: ScenarioSelection
    let order: ScenarioOrder
    /// Called on any thread, one call after the other.
    let tell: @Sendable (FileEvent) -> Void

    /// Runs all; cancelling the task ends the run. Returns the engines that are still being closed.
    func perform() async -> [Task<Bool, Never>] {
        var after: Scenario?
        var closings: [Task<Bool, Never>] = []
        while !Task.isCancelled {
            let progress = FileProgress(runner, file, tell)
            let drive = ScenarioDrive(
                runner,
                file,
                order: text(after),
                clock: runner.isReal ? .system : .virtual
            ) { progress.take($0) }
            let (run, closing) = await drive.performLeavingEngine()
            closings.append(closing)
            let end = progress.end(run)
            guard !end.isOver, let last = end.last, last.path != after?.path else { break }
            after = last
        }
        return closings
    }

    private func text(_ after: Scenario?) -> ScriptTable {
        var text = runner.order("all", file, selection)
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

/// The progress of one engine in a file.
private final class FileProgress: Sendable {
    private struct State {
        /// The scenario that runs.
        var current: ScenarioResult?
        /// A result that waits for the end of the run, which it has caused.
        var held: ScenarioResult?
        var last: Scenario?
        var hasEnded = false
        var isRenewed = false
    }

    private let runner: ScenarioRunner
    private let file: ScenarioFile
    private let tell: @Sendable (FileEvent) -> Void
    private let state = Mutex(State())

    init(_ runner: ScenarioRunner, _ file: ScenarioFile, _ tell: @escaping @Sendable (FileEvent) -> Void) {
        self.runner = runner
        self.file = file
        self.tell = tell
    }

    func take(_ told: RunReceiver.Told) {
        for event in events(told) { tell(event) }
    }

    private func events(_ told: RunReceiver.Told) -> [FileEvent] {
        state.withLock { state in
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
            case "problem": return [.problem(ScenarioProblem(told.event), output: told.output)]
            case "renew":
                state.isRenewed = true
                return [.leftOut(told.event.integer("leftOut") ?? 0)]
            case "ended":
                state.hasEnded = true
                return [
                    .leftOut(told.event.integer("leftOut") ?? 0), .modules(told.event.texts("modules")),
                ]
            default: return []
            }
        }
    }

    /// Takes the end of the run; returns whether nothing more has to run, and the last scenario that ran.
    func end(_ run: ScenarioRun) -> (isOver: Bool, last: Scenario?) {
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
                return (state, [.result(result)])
            }
            var events: [FileEvent] = run.diagnoses.map { .note($0) }
            if !state.hasEnded, !state.isRenewed {
                events.append(.problem(run.problem(outside: "the file"), output: run.output))
            } else if let error = run.report.error {
                events.append(.problem(ScenarioProblem(error), output: run.output))
            }
            return (state, events)
        }
        for event in events { tell(event) }
        return (state.hasEnded && state.held == nil && state.current == nil, state.last)
    }
}
