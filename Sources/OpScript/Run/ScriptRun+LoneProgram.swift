internal import LuaVM
internal import Scheduling

extension ScriptRun {
    /// Called when the main chunk has ended: if the only operation that the run has added is left, and nothing else, no
    /// function of the script will be called any more, and nothing can use the output of its program.
    func passOnLoneProgram() {
        guard configuration.programDisplay != nil, driver == nil, prompt == nil, runState.counts.all == 1,
            runtime.waits.list.isEmpty
        else { return }
        let left = leftovers()
        guard left.count == 1, let id = left[0].identity.base as? OperationID,
            let view = runtime.operations.liveView(id), let entry = runtime.operations.entry(id),
            let body = entry.pointee.body, body.mayRunPrograms, body.outputMode == nil,
            !view.pointee.flags.contains(.hasCompletion), !view.pointee.flags.contains(.isResultUsed),
            !hasListeners(entry.pointee)
        else { return }
        if let queue = runtime.operations.queue(of: view),
            !queue.observations.isEmpty || queue.progress != nil
        {
            return
        }
        body.passOnPrograms()
    }

    /// Whether a function of the script is called at its end, or after one of its attempts.
    private func hasListeners(_ entry: OperationEntry) -> Bool {
        if entry.retry?.policy.isJudged == true { return true }
        guard let attachment = entry.attachment else { return false }
        return !attachment.observations.isEmpty || !attachment.afterEnd.isEmpty || attachment.progress != nil
    }
}
