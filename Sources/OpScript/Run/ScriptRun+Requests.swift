internal import LuaVM
internal import Scheduling

/// The reason why the runtime pauses.
enum ScriptPause {
    /// There are no requests.
    case idle
    /// It waits for other threads, or for a moment on the system's clock.
    case waiting(until: Int64?)
    /// There is more to do, but its time is used up.
    case busy
    /// The session's work has ended.
    case over
    /// The engine has to end.
    case stopped
}

/// The purpose of the runtime's current session.
enum ScriptSession {
    /// Nothing: the next request opens one.
    case none
    /// The host's calls, and its reading and setting of values, without a script. A run may begin in the same session.
    case asks
    case run(RunRequest)
}

extension ScriptRun {
    /// Serves requests until there are none, or until it would have to wait although it must not.
    func pump() -> ScriptPause {
        runtime.bodies.watch.enter()
        if agenda.pausesAtBudgetEnd { runtime.bodies.watch.pause(at: agenda.budgetEnd) }
        defer {
            runtime.bodies.watch.pauseNever()
            link.setPaused(runtime.bodies.pausedTask != nil)
            runtime.bodies.watch.leave()
        }
        if link.isStopped { return .stopped }
        runtime.bodies.goOnAfterPause()
        while true {
            if link.isStopped { return .stopped }
            if case .none = session {
                // Ends that come after the run which began the work are taken in as well; otherwise a wait
                // for them would never end.
                guard link.hasPosts || link.hasRuns || !agenda.turns.isEmpty || scheduler.hasEvents else {
                    guard link.isDraining else { return .idle }
                    link.stop()
                    return .stopped
                }
                openSession()
                if link.hasRuns { beginNextRun() }
            }
            let pause = runtime.loop.runLoop()
            switch pause {
            case .over: closeSession()
            default: return pause
            }
        }
    }

    private func openSession() {
        session = .asks
        if !configuration.moduleSearchPaths.isEmpty { runtime.globals.setScript(folder: nil, name: nil) }
        runState.beginReport(at: scheduler.clock.now, tracksStatus: configuration.tracksStatus)
        runState.mainChunkEnded = true
    }

    /// Begins the run that was requested first, unless a run is in progress.
    func beginNextRun() {
        guard case .asks = session, let request = link.takeRun() else { return }
        session = .run(request)
        begin(request)
        if request.isCancelled { runtime.loop.cancelFromOutside() }
    }

    private func closeSession() {
        let ended = session
        finishRun()
        runtime.reporting.outlet.handOut()
        session = .none
        taskSpawner = nil
        switch ended {
        case .run(let request):
            runtime.loop.publishFinalStatus()
            link.runEnded()
            // For the clean-up; before the report, after which the host may end the process.
            runtime.globals.flushOutput()
            // A cancellation that the script thread did not see before the end still came before it.
            if request.isCancelled {
                runState.report.wasCancelled = true
                runState.report.signal = request.signal
            }
            request.complete(runState.report.hiding(link.secrets))
        case .asks, .none:
            // There is no report for such a session, so an error is written here.
            if let error = runState.report.error { runtime.diagnose(error.message) }
        }
    }

    // MARK: Requests of the host

    /// Calls the function that `prepare` pushes, with arguments, onto a new coroutine; answers `ask` with the result.
    func beginAsk(_ ask: Ask, _ prepare: (LuaState) throws -> Void) {
        guard ask.begin() else { return }
        runtime.hostObjects.installExposures()
        let task = runtime.bodies.makeTask()
        let request = ScriptTask.Request(
            ask.wanted,
            TaskSpawner(ask, link),
            runtime.reporting.audience(of: ask.backends)
        )
        task.request = request
        if case .asks = session {
            // Work that outlives the request still belongs to it.
            taskSpawner = request.spawner
            runtime.reporting.telemetry.audience = request.audience
        }
        let state = task.root.state
        do {
            try runtime.bodies.sliced { try prepare(state) }
        } catch {
            task.root.clear()
            runtime.bodies.giveBack(task)
            ask.answer(.failure(hostError(error)))
            return
        }
        asks[ObjectIdentifier(ask)] = (ask, task)
        task.end = .host { [unowned self] result in
            asks[ObjectIdentifier(ask)] = nil
            // Before the answer: the host may end the process as soon as it has that.
            runtime.globals.flushOutput()
            ask.answer(link.isStopped ? .failure(.engineIsGone) : result)
        }
        task.queue = runtime.queues.mainQueue
        runtime.bodies.start(task)
    }

    /// Calls the function that `prepare` pushes, with arguments, at once, and returns its results. A wait in it
    /// raises an error. `name` is that of the host's call.
    func answerNow(
        _ name: String,
        _ wanted: Ask.Wanted,
        _ prepare: (LuaState) throws -> Void
    ) throws -> ScriptValue {
        guard runtime.bodies.pausedTask == nil else {
            throw ScriptError(
                .misuse,
                "'\(name)' was called while a piece of the script is paused in the middle, because the time of its "
                    + "poll was used up; poll until 'isPaused' is false"
            )
        }
        if case .none = session { openSession() }
        runtime.hostObjects.installExposures()
        let task = runtime.bodies.makeTask()
        task.request = ScriptTask.Request(wanted, nil, nil)
        do {
            try runtime.bodies.sliced { try prepare(task.root.state) }
        } catch {
            task.root.clear()
            runtime.bodies.giveBack(task)
            throw hostError(error)
        }
        var answer = Result<ScriptValue, ScriptError>.failure(.runIsOver)
        task.end = .host { answer = $0 }
        task.queue = runtime.queues.mainQueue
        runtime.bodies.startWithoutWaits(task)
        return try answer.get()
    }

    /// Interrupts the waits of one request.
    func cancelAsk(_ ask: Ask) {
        guard let (_, task) = asks[ObjectIdentifier(ask)] else { return }
        task.isCancelled = true
        if let wait = task.wait, !runtime.waits.isShielded(wait) {
            runtime.waits.cancel(wait)
        }
    }

    /// Interrupts the waits of all requests that have begun, and the work they have left behind; called while no script
    /// runs. Later requests are not affected, so the session's state does not change.
    func cancelAsks() {
        guard case .asks = session else { return }
        for (_, task) in asks.values { task.isCancelled = true }
        for wait in runtime.waits.list.all where runtime.loop.belongsToRun(wait.task) {
            wait.task.isCancelled = true
        }
        runtime.loop.cancelEverything()
        resumeQueues()
    }

    /// Fails requests whose coroutines cannot continue: the script has called `os.exit`, or the engine ends.
    func failAsks(_ error: ScriptError) {
        let open = asks.values
        asks = [:]
        for (ask, _) in open { ask.answer(.failure(error)) }
    }

    /// Converts any error that Swift code threw on the script thread to the error for the host.
    func hostError(_ error: any Error) -> ScriptError {
        if let error = error as? ScriptError { return error.hiding(link.secrets) }
        if let error = error as? LuaError {
            if let value = error.underlying as? ErrorValue { return value.scriptError(hiding: link.secrets) }
            let code: ScriptError.Code =
                switch error.code {
                case .memory: .limit
                case .syntax: .syntax
                case .runtime, .handler: .failed
                }
            var result = ScriptError(code, error.message, underlying: error.underlying)
            if code == .syntax { (result.file, result.line) = (error.file, error.line) }
            result.setPlace(error.frames)
            result.endsRun = code == .limit
            if !error.frames.isEmpty { result.traceback = error.traceback }
            return result.hiding(link.secrets)
        }
        return runtime.makeErrorValue(error).scriptError(hiding: link.secrets)
    }
}
