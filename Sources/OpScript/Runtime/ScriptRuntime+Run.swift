internal import LuaVM
internal import Scheduling

extension ScriptRuntime {
    /// Runs a script to its end, on the script thread.
    func run(
        source: [UInt8],
        named name: String,
        script: String?,
        interpreter: [String],
        arguments: [String]
    ) -> ScriptReport {
        report = ScriptReport()
        counts.reset()
        failureIndices = [:]
        neverAddedDropped = []
        isCancelled = false
        mainChunkEnded = false
        exitRequest = nil
        runStartedAt = scheduler.clock.now
        setScriptFolder(script.map(folder))
        setArguments(script ?? name, interpreter, arguments)
        let task = makeTask()
        let state = task.root.state
        do throws(LuaError) {
            try vm.load(source, name: name, into: state)
        } catch {
            task.root.clear()
            idleTasks.give(task)
            report.error = ScriptError(.failed, error.message)
            return report
        }
        _ = state.ensureSpace(Int32(clamping: arguments.count) + 8)
        for argument in arguments { state.push(argument) }
        task.end = .main
        task.queue = mainQueue
        start(task)
        runLoop()
        finishRun()
        return report
    }

    private func finishRun() {
        flushOutput()
        counts.put(into: &report)
        report.exitRequest = exitRequest
        report.neverAdded = exitRequest == nil ? neverAdded() : []
        report.duration = Double(scheduler.clock.now - runStartedAt) / 1e9
        if exitRequest != nil {
            // Bodies are not waited for; what they bring back later is nobody's.
            for wait in waits.values { wait.outcome = .timedOut }
            waits = [:]
            for timer in Array(timers.values) { invalidate(timer) }
            for source in sources.all { abandon(source) }
            abandonThreads()
            while turns.popFirst() != nil {}
            vm.isTerminating = false
        }
        if !waits.isEmpty || scheduler.feed({ $0.machine.unfinishedCount }) > 0 { abandonRest() }
        telemetry?.close()
    }

    /// What can never run is cancelled, so that a next run starts clean.
    private func abandonRest() {
        for queue in queues.all {
            if queue.kind != .inner, queue.isSuspended { setSuspended(queue, false) }
            cancelAll(queue)
        }
    }

    /// `arg`, as `lua5.4` sets it.
    private func setArguments(_ script: String, _ interpreter: [String], _ arguments: [String]) {
        let state = vm.main
        state.newTable(array: arguments.count, fields: interpreter.count + 1)
        state.push(script)
        state.rawSet(-2, 0)
        for (offset, argument) in arguments.enumerated() {
            state.push(argument)
            state.rawSet(-2, offset + 1)
        }
        for (offset, word) in interpreter.enumerated() {
            state.push(word)
            state.rawSet(-2, offset - interpreter.count)
        }
        state.setGlobal("arg")
    }

    private func folder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Closes the state; the runtime is not used any more.
    func close() {
        isClosing = true
        for queue in queues.all {
            queue.anchor = nil
            scheduler.feed { core in
                core.machine.dispatchSuspensionChanged(queue.id, to: false)
                core.machine.allCancelled(in: queue.id)
            }
        }
        for timer in timers.values { timer.anchor = nil }
        for source in sources.all { abandon(source) }
        abandonThreads()
        vm.close()
    }
}
