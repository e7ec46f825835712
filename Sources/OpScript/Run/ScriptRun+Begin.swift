internal import LuaVM
internal import OpScriptRecord
internal import Scheduling

extension ScriptRun {
    /// Begins a script in the open session.
    func begin(_ request: RunRequest) {
        runState.beginReport(at: scheduler.clock.now, tracksStatus: configuration.tracksStatus)
        runtime.reporting.recording?.begin(Self.shownName(request))
        runtime.virtualTime.simulation?.begin()
        runState.mainChunkEnded = false
        runState.number = runtime.bodies.timeWatch?.runBegins() ?? 0
        link.meter.runBegins()
        taskSpawner = request.tasks
        runtime.reporting.telemetry.audience = runtime.reporting.audience(of: request.backends)
        driver = request.driver.map { DriverSession($0) }
        if let driver { runtime.reporting.outlet.add(driver, to: .life) }
        runtime.globals.setScript(
            folder: request.script.map { request.bytes(folder($0)) },
            name: request.script.map { request.bytes(String($0.split(separator: "/").last ?? "")) }
        )
        setArguments(request)
        runtime.arguments.runBegins(request)
        runtime.hostObjects.installExposures()
        do throws(ScriptError) {
            try runtime.journaling.begin(Self.shownName(request))
        } catch {
            runState.mainChunkEnded = true
            runState.report.error = error
            return
        }
        if let problem = runtime.works.catalogue.problem ?? runtime.virtualTime.clockProblem() {
            runState.mainChunkEnded = true
            runState.report.error = problem
            return
        }
        if let library = request.prompt { return beginPrompt(library) }
        let task = runtime.bodies.makeTask()
        let state = task.root.state
        do throws(LuaError) {
            if let driver {
                try pushDriver(driver, of: request, state)
            } else {
                try vm.load(request.source, name: request.bytes(request.name), into: state)
            }
        } catch {
            task.root.clear()
            runtime.bodies.giveBack(task)
            runState.mainChunkEnded = true
            runState.report.error = hostError(error)
            return
        }
        _ = state.ensureSpace(Int32(clamping: request.arguments.count) + 8)
        for argument in request.arguments { state.push(bytes: request.bytes(argument)) }
        task.end = .main
        task.queue = runtime.queues.mainQueue
        runtime.bodies.start(task)
    }

    func finishRun() {
        runtime.globals.flushOutput()
        runState.counts.put(into: &runState.report)
        runState.report.exitRequest = runState.exitRequest
        runState.report.mayClose = !runState.isOver || runState.exitCloses
        runtime.arguments.runEnds()
        runState.report.neverAdded = runState.isOver ? [] : runtime.operations.neverAdded()
        runState.report.usage = runtime.usage
        if runState.isForced { runState.report.abandoned = closuresThatExecute() }
        runState.report.duration = Double(scheduler.clock.now - runState.startedAt) / 1e9
        // The objects that are abandoned below do not count for the run.
        runState.report.record = runtime.reporting.recording?.finish(recordedEnd)
        let isGood =
            runState.report.exitCode == 0 && !runState.report.wasCancelled && !runState.onlyShowsHelp
        runtime.journaling.end(isGood ? "ended well" : journaledEnd, isGood: isGood)
        if runState.isOver {
            abandonRun()
            let reason =
                runState.isForced
                ? "the grace period of the run in progress is over" : "the script called os.exit"
            failAsks(ScriptError(.cancelled, reason))
        } else if !runtime.waits.list.isEmpty || !runtime.operations.startedByHand.isEmpty
            || runtime.loop.isAnythingUnfinished
        {
            cancelRest()
        }
        // The machine has already released the cancelled operations of these queues.
        if runState.isCancelled { resumeQueues() }
        runtime.bodies.timeWatch?.runEnds()
        runtime.reporting.closeTelemetry()
        if let driver { runtime.reporting.outlet.remove(driver) }
        driver = nil
        prompt = nil
    }

    /// The name of the script in a record.
    private static func shownName(_ request: RunRequest) -> String {
        if let script = request.script, script != "-" { return script }
        return request.name.first == "@" || request.name.first == "="
            ? String(request.name.dropFirst()) : request.name
    }

    /// The way in which the run ends, for its record.
    private var recordedEnd: RunEnd {
        if runState.report.planEnd != nil { return .planned }
        if let error = runState.report.error, error.endsRun { return .limit(error.message) }
        if let status = runState.exitRequest { return .exited(Int(status)) }
        if runState.isForced || runState.isCancelled && runState.report.wasCancelled { return .cancelled }
        if let error = runState.report.error { return .failed(error.message) }
        return .finished
    }

    /// The way in which a run ends that has not ended well, for its journal.
    private var journaledEnd: String {
        if runState.onlyShowsHelp { return "only showed its help" }
        return switch recordedEnd {
        case .finished: runState.report.wasCancelled ? "was cancelled" : "failed"
        case .failed: "failed"
        case .cancelled: "was cancelled"
        case .exited(let status): status == 0 ? "was cancelled" : "exited with the status \(status)"
        case .limit: "reached a limit"
        case .planned: "was a plan"
        }
    }

    /// `arg`, as `lua5.4` sets it.
    private func setArguments(_ request: RunRequest) {
        let state = vm.main
        state.newTable(array: request.arguments.count, fields: request.interpreter.count + 1)
        state.push(bytes: request.bytes(request.script ?? request.name))
        state.rawSet(-2, 0)
        for (offset, argument) in request.arguments.enumerated() {
            state.push(bytes: request.bytes(argument))
            state.rawSet(-2, offset + 1)
        }
        // Without a script, the words of the command line begin at 0.
        let first = request.namesScript ? -request.interpreter.count : 0
        for (offset, word) in request.interpreter.enumerated() {
            state.push(bytes: request.bytes(word))
            state.rawSet(-2, first + offset)
        }
        state.setGlobal("arg")
    }

    private func folder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Closes the Lua state; the runtime is not used afterwards.
    func close() {
        isClosing = true
        failAsks(.engineIsGone)
        while let turn = agenda.turns.popFirst() {
            switch turn {
            case .post(let post): post.refuse(.engineIsGone)
            case .goOn(let task): task.release()
            default: break
            }
        }
        if case .run(let request) = session { request.refuse(.engineIsGone) }
        session = .none
        runtime.reporting.closeTelemetry()
        for queue in runtime.queues.table.all {
            queue.anchor = nil
            scheduler.feed { core in
                core.suspensionChanged(queue.id, to: false)
                core.allCancelled(in: queue.id)
            }
        }
        // Native queues keep the place of a body until it ends.
        if !runtime.hostObjects.adopted.isEmpty { endBodies() }
        for source in runtime.sources.table.all { runtime.sources.abandon(source) }
        runtime.threads.abandonThreads()
        runtime.bodies.timeWatch?.stop()
        runtime.bodies.watch.detach()
        runtime.globals.endCoverage()
        vm.close()
    }
}
