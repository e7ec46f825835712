internal import LuaVM
internal import Scheduling

extension Threads {
    func thread(_ state: LuaState, _ index: Int32) -> ScriptedThread? {
        state.box(index, metatables.thread, as: ScriptedThread.self)
    }

    func requireThread(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptedThread {
        if let thread = thread(state, index) { return thread }
        throw LuaRaise(argument: index, "thread expected, got \(operations.kindName(state, index))")
    }

    func pushThread(_ thread: ScriptedThread, _ state: LuaState) {
        globals.sharedObjects.push(thread, state) {
            state.pushBox(thread, metatables.thread)
        }
    }

    // MARK: Start

    /// Starts the system's thread; the run continues until the thread has ended.
    func startThread(_ thread: ScriptedThread) throws(LuaRaise) {
        guard let body = thread.body else { throw .misuse("the main thread runs already") }
        guard thread.state == .made else {
            throw .misuse(
                "thread '\(thread.name)' was started already; a thread can be started only once; make a new one"
            )
        }
        try runtime.checkLimit(executing.count, configuration.effectiveThreadLimit, of: "threads at once")
        runState.counts.submitted += 1
        thread.startedAt = scheduler.clock.now
        if thread.isCancelled || runState.isCancelled {
            thread.isCancelled = true
            thread.state = .finished
            runState.counts.end(.cancelled, hasBegun: false)
            return
        }
        let lane = operations.workerLane(thread.qualityOfService, thread.threadPriority)
        let number = thread.number
        let link = link
        let isStarted = SystemThread.start(
            name: thread.name,
            stackSize: thread.stackSize.map { max($0, ScriptedThread.safeStackSize) } ?? 0,
            niceness: lane.niceness ?? 0
        ) {
            let failure = EngineScope.run(in: link) { body.executeBlocking() }
            link.post { $0.threads.threadEnded(number, failure) }
        }
        guard isStarted else {
            runState.counts.submitted -= 1
            throw LuaRaise(
                .host,
                "the system provides no thread for '\(thread.name)': too many threads, or no memory for its stack"
            )
        }
        thread.state = .executing
        executing[number] = thread
    }

    /// Cancels the body; a thread that was not started never runs.
    func cancelThread(_ thread: ScriptedThread) {
        guard thread.state != .finished, !thread.isCancelled else { return }
        thread.isCancelled = true
        if thread.state == .executing { thread.body?.cancelExecution() }
    }

    // MARK: End

    /// Called on the script thread, in a turn, if the body of a thread has ended.
    func threadEnded(_ number: Int, _ failure: (any Error)?) {
        // A thread that an earlier run has abandoned is ignored.
        guard let thread = executing.removeValue(forKey: number) else { return }
        thread.state = .finished
        if thread.isCancelled {
            runState.counts.end(.cancelled)
        } else if let failure {
            runState.counts.end(.failed, isHandled: thread.allowsFailure)
            noteFailure(of: thread, threadError(failure))
        } else {
            runState.counts.end(.succeeded)
            takeResults(of: thread)
        }
        let waits = thread.waits
        thread.waits = []
        for wait in waits where wait.outcome == nil { self.waits.end(wait, .reached) }
    }

    private func takeResults(of thread: ScriptedThread) {
        let state = vm.main
        let values = thread.body?.peekAll() ?? thread.body?.peek().map { [$0] } ?? []
        for value in values {
            runtime.push(value, state)
            thread.results.append(vm.makeReference(state))
        }
    }

    private func threadError(_ failure: any Error) -> ErrorValue {
        let value = runtime.makeErrorValue(failure)
        guard let mismatch = failure as? ArgumentMismatch else { return value }
        return ErrorValue(
            .argument,
            "bad argument #\(mismatch.argument) to the body of a thread (\(mismatch.error.description))",
            underlying: mismatch.error
        )
    }

    private func noteFailure(of thread: ScriptedThread, _ error: ErrorValue) {
        let state = vm.main
        let createdAt = vm.describe(thread.place) ?? "?"
        error.operationName = error.operationName ?? thread.name
        error.createdAt = error.createdAt ?? createdAt
        if let table = (error.underlying as? IsolateFailure)?.table {
            runtime.push(table, state)
        } else {
            runtime.push(error, state)
        }
        thread.error = vm.makeReference(state)
        let hostError = error.scriptError(hiding: link.secrets)
        runState.report.failures.append(
            ScriptReport.Failure(
                name: link.secrets.hidden(in: thread.name),
                createdAt: link.secrets.hidden(in: createdAt),
                error: hostError,
                message: hostError.message,
                traceback: hostError.traceback,
                duration: Double(scheduler.clock.now - thread.startedAt) / 1e9,
                attempts: 1,
                isHandled: thread.allowsFailure
            )
        )
    }

    /// Called if the run ends before its threads: cancels the threads; their results are dropped.
    func abandonThreads() {
        for thread in executing.values { cancelThread(thread) }
        executing = [:]
    }
}

extension WorkBody {
    /// Runs the closure, which may be `async`, to its end; the calling thread waits. Returns the error that it threw.
    func executeBlocking() -> (any Error)? {
        guard definition.isAsync else {
            do {
                try execute()
                return nil
            } catch {
                return error
            }
        }
        let parker = Parker()
        let failure = FailureBox()
        Task {
            do { try await executeAsTask() } catch { failure.set(error) }
            parker.unpark()
        }
        parker.park()
        return failure.error
    }
}
