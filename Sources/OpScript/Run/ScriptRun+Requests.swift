internal import LuaVM
internal import Scheduling

/// Why the runtime does nothing more for now.
enum ScriptPause {
    /// Nothing was asked of it.
    case idle
    /// It waits for others, or for a moment on the system's clock.
    case waiting(until: Int64?)
    /// There is more to do, but its time is used up.
    case busy
    /// What it was asked for has ended.
    case over
    /// The engine is to end.
    case stopped
}

/// What the runtime is open for.
enum ScriptSession {
    /// Nothing: the next request opens one.
    case none
    /// Requests of the host without a script of its own: calls, values; a run may join.
    case asks
    case run(RunRequest)
}

extension ScriptRun {
    /// Serves requests until there are none, or until it has to wait where it must not.
    func pump() -> ScriptPause {
        runtime.bodies.watch.enter()
        defer { runtime.bodies.watch.leave() }
        while true {
            if link.isStopped { return .stopped }
            if case .none = session {
                // What ends after the run that began it is taken in as well: else it would be waited for in vain.
                guard link.hasPosts || link.hasRuns || !agenda.turns.isEmpty || scheduler.hasEvents else {
                    return .idle
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
        resetReport()
        runState.mainChunkEnded = true
    }

    /// Begins the run that was asked for first, unless one is going on.
    func beginNextRun() {
        guard case .asks = session, let request = link.takeRun() else { return }
        session = .run(request)
        begin(request)
        if request.isCancelled { runtime.loop.cancelFromOutside() }
    }

    private func closeSession() {
        let ended = session
        finishRun()
        runtime.reporting.handOutEvents()
        session = .none
        taskSpawner = nil
        switch ended {
        case .run(let request):
            link.runEnded()
            request.complete(runState.report)
        case .asks, .none:
            // Nobody is given a report: what would stand in it is told here.
            if let error = runState.report.error { runtime.diagnose(error.message) }
        }
    }

    // MARK: Requests of the host

    /// Calls what `prepare` pushes onto a new coroutine, function and arguments, and tells `ask` of its first result.
    func beginAsk(_ ask: Ask, _ prepare: (LuaState) throws -> Void) {
        guard ask.begin() else { return }
        runtime.hostObjects.installExposures()
        let task = runtime.bodies.makeTask()
        let request = ScriptTask.Request(
            ask.wanted,
            TaskSpawner(ask),
            runtime.reporting.audience(of: ask.backends)
        )
        task.request = request
        if case .asks = session {
            // What it leaves behind is done in its name.
            taskSpawner = request.spawner
            runtime.reporting.audience = request.audience
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
            ask.answer(link.isStopped ? .failure(.engineIsGone) : result)
        }
        task.queue = runtime.queues.mainQueue
        runtime.bodies.start(task)
    }

    /// Interrupts the waits of one request.
    func cancelAsk(_ ask: Ask) {
        guard let (_, task) = asks[ObjectIdentifier(ask)] else { return }
        task.isCancelled = true
        if let wait = task.wait, !wait.isShielded {
            runtime.waits.end(wait, .failed(runtime.waits.cancellation(task)))
        }
    }

    /// Interrupts the waits of all requests that have begun, and what they have left behind; no script runs. What is
    /// asked for later is not affected, so this says nothing of the session.
    func cancelAsks() {
        guard case .asks = session else { return }
        for (_, task) in asks.values { task.isCancelled = true }
        for wait in runtime.waits.list.all where runtime.loop.belongsToRun(wait.task) {
            wait.task.isCancelled = true
        }
        runtime.loop.cancelEverything()
        resumeQueues()
    }

    /// Requests whose coroutines go no further: the script ended at once, or the engine ends.
    func failAsks(_ error: ScriptError) {
        let open = asks.values
        asks = [:]
        for (ask, _) in open { ask.answer(.failure(error)) }
    }

    /// The error for the host of whatever Swift code threw on the script thread.
    func hostError(_ error: any Error) -> ScriptError {
        if let error = error as? ScriptError { return error }
        if let error = error as? LuaError {
            if let value = error.underlying as? ErrorValue { return value.scriptError }
            let code: ScriptError.Code = error.code == .memory ? .limit : .failed
            var result = ScriptError(code, error.message, underlying: error.underlying)
            if !error.frames.isEmpty { result.traceback = error.traceback }
            return result
        }
        return runtime.makeErrorValue(error).scriptError
    }
}
