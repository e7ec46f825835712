internal import LuaVM
internal import Scheduling

extension ScriptRuntime {
    /// Begins a script, in the session that is open.
    func begin(_ request: RunRequest) {
        resetReport()
        trace?.begin(at: scheduler.clock.now, seed: configuration.chanceSeed)
        simulation?.begin()
        mainChunkEnded = false
        taskSpawner = request.tasks
        audience = audience(of: request.backends)
        driver = request.driver.map { DriverPart($0) }
        if driver != nil { link.events.watch() }
        setScriptFolder(request.script.map(folder))
        setArguments(request.script ?? request.name, request.interpreter, request.arguments)
        installExposures()
        if let problem = catalogue.problem ?? clockProblem() {
            mainChunkEnded = true
            report.error = problem
            return
        }
        let task = makeTask()
        let state = task.root.state
        do throws(LuaError) {
            if let driver {
                try push(driver, of: request, state)
            } else {
                try vm.load(request.source, name: request.name, into: state)
            }
        } catch {
            task.root.clear()
            giveBack(task)
            mainChunkEnded = true
            report.error = ScriptError(.failed, error.message)
            return
        }
        _ = state.ensureSpace(Int32(clamping: request.arguments.count) + 8)
        for argument in request.arguments { state.push(argument) }
        task.end = .main
        task.queue = mainQueue
        start(task)
    }

    /// What is reported from now on is of a new run.
    func resetReport() {
        report = ScriptReport()
        counts = OperationCounts()
        failureIndices = [:]
        neverAddedDropped = []
        isCancelled = false
        exitRequest = nil
        runStartedAt = scheduler.clock.now
    }

    func finishRun() {
        flushOutput()
        counts.put(into: &report)
        report.exitRequest = exitRequest
        report.neverAdded = exitRequest == nil ? neverAdded() : []
        report.duration = Double(scheduler.clock.now - runStartedAt) / 1e9
        if exitRequest != nil {
            abandonRun()
            failAsks(ScriptError(.cancelled, "the script called os.exit"))
        } else if !waits.isEmpty || !startedByHand.isEmpty || isAnythingUnfinished {
            cancelRest()
        }
        // The machine has let go what was cancelled in them.
        if isCancelled { resumeQueues() }
        closeTelemetry()
        if driver != nil { link.events.unwatch() }
        driver = nil
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
        failAsks(.engineIsGone)
        while let turn = turns.popFirst() {
            switch turn {
            case .post(let post): post.refuse(.engineIsGone)
            case .goOn(let task): task.release()
            default: break
            }
        }
        if case .run(let request) = session { request.refuse(.engineIsGone) }
        session = .none
        closeTelemetry()
        for queue in queues.all {
            queue.anchor = nil
            scheduler.feed { core in
                core.suspensionChanged(queue.id, to: false)
                core.allCancelled(in: queue.id)
            }
        }
        for source in sources.all { abandon(source) }
        abandonThreads()
        sliceWatch?.stop()
        watch.detach()
        endCoverage()
        vm.close()
    }
}
