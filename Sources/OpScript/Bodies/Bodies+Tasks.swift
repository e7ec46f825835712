internal import LuaVM
internal import Scheduling

/// Running coroutines.
extension Bodies {
    /// A coroutine for a piece of the script.
    func makeTask() -> ScriptTask {
        if let task = idleTasks.take() { return task }
        let (root, slot) = taskAnchors.makeRoot(vm.main)
        return ScriptTask(root: root, slot, of: taskAnchors)
    }

    /// Runs a task whose function and arguments are on its root, up to its end or its first wait.
    func start(_ task: ScriptTask) {
        enter(task, .start)
    }

    /// Runs a task with the body of the operation that is anchored at a place; `userValue` is the body's user value.
    func startBody(_ userValue: UInt32, _ task: ScriptTask, at place: UInt32) {
        enter(task, .body(userValue, place))
    }

    /// Runs a task as `start` does; when its function has returned without a wait, `next` may push another function of
    /// an object in a table.
    func startSeries(_ task: ScriptTask, over table: LuaReference, _ next: LuaFunction) {
        enter(task, .series(table, next))
    }

    /// Whether the running coroutine, whose function has just returned, may continue with another piece of
    /// the script. That piece counts as a slice of its own.
    @inline(__always)
    var goesOnInSeries: Bool {
        guard !runState.isOver, running?._withUnsafeGuaranteedRef({ $0.isFresh }) ?? false,
            agenda.budgetEnd == .max || SchedulerClock.systemNow < agenda.budgetEnd
        else { return false }
        if let timeWatch {
            timeWatch.end()
            timeWatch.begin()
        }
        return true
    }

    /// Resumes a task; the results of its wait are on its root: a boolean and usually one value.
    func goOn(_ task: ScriptTask, _ count: Int32 = 2) {
        enter(task, .deliver(count))
    }

    /// Runs a task as `start` does, but a wait in it raises an error. It has ended when this returns.
    func startWithoutWaits(_ task: ScriptTask) {
        precondition(pausedTask == nil, "another piece of the script is paused")
        enter(task, .startWithoutWaits)
    }

    /// Continues the task that was paused, and then those that were to run in its turn.
    func goOnAfterPause() {
        guard let task = pausedTask else { return }
        pausedTask = nil
        if let limit = configuration.sliceLimit, timeOfSlice >= limit.nanoseconds { vm.interruptNext() }
        enter(task, .resume)
        while pausedTask == nil, let (task, entry) = heldUpEntries.first {
            heldUpEntries.removeFirst()
            enter(task, entry)
        }
    }

    /// Runs a closure that may call Lua outside of any coroutine, such as a metamethod: the limit of a slice holds for
    /// that too.
    func sliced<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let begins = beginSlice()
        defer {
            if begins { timeWatch?.end() }
            ranSinceFlush = true
        }
        return try body()
    }

    /// Begins a slice; false if slices have no limit, or a slice runs already.
    @inline(__always)
    private func beginSlice() -> Bool {
        guard let timeWatch, !timeWatch.isInSlice else { return false }
        timeWatch.begin()
        return true
    }

    @inline(__always)
    private func run(_ task: ScriptTask, _ entry: TaskEntry) -> LuaRoot.Outcome {
        switch entry {
        case .start: task.root.start()
        case .startWithoutWaits: task.root.start(mayWait: false)
        case .body(let userValue, let place):
            operations.anchors.startBody(Int32(userValue), at: place, on: task.root)
        case .series(let table, let next): task.root.start(over: table, then: next)
        case .deliver(let count): task.root.deliver(count)
        case .resume: task.root.resume()
        }
    }

    @inline(__always)
    private func enter(_ task: ScriptTask, _ entry: TaskEntry) {
        // The code behind a pause comes first, since no other code may run in the middle of it.
        if pausedTask != nil { return heldUpEntries.append((task, entry)) }
        let before = running
        // After `os.exit`, no part of the script runs any more; tasks that would start or continue are
        // dropped.
        guard !runState.isOver else { return }
        let begins = before == nil && beginSlice()
        let wasTerminating = vm.isTerminating
        let wasUnwinding = vm.isUnwinding
        running = .passUnretained(task)
        vm.isTerminating = task.isTerminating
        vm.isUnwinding = task.isUnwinding
        let began = agenda.pausesAtBudgetEnd ? SchedulerClock.systemNow : 0
        let outcome = run(task, entry)
        task.isUnwinding = vm.isUnwinding
        vm.isUnwinding = wasUnwinding
        task.isTerminating = task.isTerminating || vm.isTerminating
        vm.isTerminating = wasTerminating
        running = before
        ranSinceFlush = true
        if begins { timeWatch?.end() }
        if case .paused = outcome { return paused(task, since: began) }
        if before == nil { timeOfSlice = 0 }
        switch outcome {
        case .waiting, .paused: break
        case .finished(let count): ended(task, count: count)
        case .failed: failed(task)
        }
    }

    /// A task was stopped in the middle of its code, because the time of this visit is used up.
    private func paused(_ task: ScriptTask, since began: Int64) {
        pausedTask = task
        timeOfSlice += SchedulerClock.systemNow - began
    }

    /// Returns a task to the idle ones once its results are taken.
    private func recycle(_ task: ScriptTask) {
        // A script that holds the coroutine must not see two callbacks run in the same one.
        guard !task.root.isExposed else { return }
        task.root.clear()
        task.reset()
        giveBack(task)
    }

    /// Returns a task to the idle ones that has run nothing since its last end.
    func giveBack(_ task: ScriptTask) { idleTasks.give(task) }

    private func ended(_ task: ScriptTask, count: Int) {
        switch task.end {
        case .nothing, .callback: break
        case .main:
            runState.mainChunkEnded = true
            runtime.arguments.mainChunkReturned()
            runtime.run.passOnLoneProgram()
            runtime.run.endPlan { _ in "the main chunk ends; it waits for nothing" }
        case .body(let id): bodyReturned(id, task, count)
        case .start(let id): startReturned(id)
        case .block(let id, let place): blockReturned(id, place, task.root.state, count)
        case .judgement(let id):
            operations.judge(id, again: count > 0 && task.root.state.boolean(1))
        case .timer(let id): runtime.timers.timerReturned(id)
        case .source(let source): runtime.sources.handlerEnded(source)
        case .observation(let observation): observers.observationReturned(observation)
        case .host(let completion): completion(hostResult(task, count))
        }
        leaveOperation(task)
        recycle(task)
    }

    private func failed(_ task: ScriptTask) {
        let frames = vm.takeFrames()
        let state = task.root.state
        switch task.end {
        case .nothing: break
        case .main:
            runState.mainChunkEnded = true
            runtime.loop.runFailed(takeError(state, frames))
            runtime.run.endPlan(status: 1) { _ in "an error ends the main chunk" }
        case .callback(let what): runtime.loop.callbackFailed(what, takeError(state, frames))
        case .judgement(let id): operations.judgementFailed(of: id, takeError(state, frames))
        case .body(let id), .start(let id): bodyRaised(id, state, frames)
        case .block(let id, _): blockRaised(id, state, frames)
        case .timer(let id):
            runtime.timers.timerReturned(id)
            runtime.loop.callbackFailed("timer", takeError(state, frames))
        case .source(let source):
            let error = takeError(state, frames)
            runtime.sources.handlerEnded(source)
            runtime.loop.callbackFailed("source", error)
        case .observation(let observation):
            runtime.loop.callbackFailed("observer", takeError(state, frames))
            observers.observationReturned(observation)
        case .host(let completion):
            completion(.failure(takeError(state, frames).scriptError(hiding: link.secrets)))
        }
        leaveOperation(task)
        recycle(task)
    }

    private func leaveOperation(_ task: ScriptTask) {
        if let id = task.operation { operations.entry(id)?.pointee.remove(task) }
    }

    /// The error that a task ended with, which is the only value on its root.
    func takeError(_ state: LuaState, _ frames: [LuaFrame]) -> ErrorValue {
        if let value = runtime.errorValue(forRaised: state, frames: frames) { return value }
        return runtime.errorValue(ofObject: state, frames, text: runtime.errorText(state, -1))
    }

    private func hostResult(_ task: ScriptTask, _ count: Int) -> Result<ScriptValue, ScriptError> {
        guard let wanted = task.request?.wanted, wanted != .nothing else { return .success(.nil) }
        let takesHandles = wanted == .handles || wanted == .valuesWithHandles
        let takesAll = wanted == .values || wanted == .valuesWithHandles
        var reader = ValueReader(runtime, task.root.state, takesHandles: takesHandles)
        do throws(ScriptConversionError) {
            guard takesAll else { return .success(count > 0 ? try reader.read(1) : .nil) }
            var values: [ScriptValue] = []
            for place in stride(from: 1, through: Int32(clamping: count), by: 1) {
                values.append(try reader.read(place))
            }
            return .success(.array(values))
        } catch {
            return .failure(ScriptError(error.code, error.description))
        }
    }
}
