internal import LuaVM
internal import Scheduling

/// Ends a plan: a run that adds operations and starts none, up to the first moment at which it would have to
/// wait.
extension ScriptRun {
    /// Ends the plan here, if the run is one.
    ///
    /// - Parameters:
    ///   - status: The exit status.
    ///   - text: Returns the reason why the plan cannot continue; its argument is ` in job.lua:12`, or empty.
    /// - Returns: Whether the run was a plan; if so, the caller must not continue.
    @discardableResult
    func endPlan(at place: LuaPlace? = nil, status: Int32 = 0, _ text: (String) -> String) -> Bool {
        guard configuration.plansOnly, case .run = session else { return false }
        if runState.exitRequest == nil {
            let position = place.flatMap { vm.describe($0) }.map { " in \($0)" } ?? ""
            runState.report.planEnd = text(position)
            runState.exitRequest = status
            runtime.reporting.recording?.planEnded()
        }
        return true
    }

    /// The error that unwinds the script if a plan ends in the middle of it; nothing catches it.
    func planIsOver() -> LuaRaise {
        runtime.bodies.current?.isTerminating = true
        vm.isTerminating = true
        return LuaRaise(ErrorValue(.cancelled, "the plan ends here"))
    }

    /// The thing that a wait would wait for, for the end of a plan.
    func planEnd(_ target: Wait.Target, _ position: String) -> String {
        let rest = "; the rest depends on its result"
        switch target {
        case .operations(let ids, _):
            let names = ids.prefix(3).map { id in
                runtime.operations.liveView(id).map { "'\(runtime.operations.name($0))'" } ?? "an operation"
            }
            let more = ids.count > 3 ? " and \(ids.count - 3) more" : ""
            return "waits for \(names.joined(separator: ", "))\(more)\(position)\(rest)"
        case .queue(let queue): return "waits for queue '\(queue.name)' to be empty\(position)\(rest)"
        case .time: return "waits for time to pass\(position); the rest was not run"
        case .source(let source): return "waits\(position): \(source.reason)\(rest)"
        case .something(let what): return "waits for \(what)\(position)\(rest)"
        }
    }
}
