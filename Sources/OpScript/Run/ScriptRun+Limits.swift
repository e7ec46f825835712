internal import LuaVM
internal import Scheduling

/// Ends a run whose time is over.
extension ScriptRun {
    /// The limit of a run was met, or its grace period is over.
    ///
    /// - Parameter number: The number of the run; another run may have begun meanwhile.
    func timeIsUp(_ reason: TimeWatch.Reason, _ number: Int) {
        guard case .run = session, number == runState.number else { return }
        switch reason {
        case .slice, .loop, .person: break
        case .run: runtime.loop.runFailed(ErrorValue(.limit, runLimitText, frames: framesOfMainChunk()))
        case .grace: runState.isForced = true
        }
    }

    /// The sentence about the limit of a run.
    var runLimitText: String {
        let seconds = Double(configuration.runLimit?.nanoseconds ?? 0) / 1e9
        return "the run took longer than its limit (\(format(seconds: seconds)) s)"
    }

    /// The sentence about the limit of Lua without a wait.
    var sliceLimitText: String {
        let seconds = Double(configuration.sliceLimit?.nanoseconds ?? 0) / 1e9
        return "the script ran longer than its limit (\(format(seconds: seconds)) s) without a wait"
    }

    /// The place where the main chunk waits, if it waits.
    private func framesOfMainChunk() -> [LuaFrame] {
        for wait in runtime.waits.list.all {
            if case .main = wait.task.end { return vm.currentFrames(wait.task.root.state) }
        }
        return []
    }

    /// One sentence for each closure that has not returned.
    func closuresThatExecute() -> [String] {
        var result: [String] = []
        for slot in 0..<runtime.operations.entries.count {
            let id = runtime.operations.entries[slot].pointee.id
            guard id != .none, let view = runtime.operations.liveView(id), view.pointee.kind == .work,
                view.pointee.state == .executing
            else { continue }
            let place = runtime.operations.createdAt(view)
            result.append("'\(runtime.operations.name(view))' (\(place)) had not returned and was abandoned")
        }
        for (_, thread) in runtime.threads.executing.sorted(by: { $0.key < $1.key }) {
            result.append("thread '\(thread.name)' had not ended and was abandoned")
        }
        return result
    }
}
