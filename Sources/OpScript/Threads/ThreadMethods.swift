internal import LuaVM

/// `thread:start()`: returns the thread.
func threadStart(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let thread = try runtime.threads.requireThread(state, 1)
        let isPlan = runtime.run.endPlan(at: state.place(level: 1)) { position in
            "starts thread '\(thread.name)'\(position); the rest was not run"
        }
        if isPlan { throw runtime.run.planIsOver() }
        try runtime.threads.startThread(thread)
        state.setTop(1)
        return 1
    }
}

/// `thread:cancel()`
func threadCancel(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let thread = try runtime.threads.requireThread(state, 1)
        if thread.isMain {
            throw .misuse("the main thread cannot be cancelled; os.exit ends the run")
        }
        runtime.threads.cancelThread(thread)
        return 0
    }
}

/// `thread:join([timeout])`: true once it has ended, false when the time ran out.
func threadJoin(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let thread = try runtime.threads.requireThread(state, 1)
        let seconds = try runtime.waits.seconds(state, 2)
        if thread.isMain {
            throw .misuse("the main thread cannot be joined: it would wait for itself")
        }
        if thread.state == .made {
            throw .misuse("thread '\(thread.name)' was never started, so it would never end: start it first")
        }
        let task = try runtime.waits.waitingTask(state)
        if thread.state == .finished {
            state.push(true)
            return 1
        }
        guard state.canWait else { return LuaReply.wait }
        let wait = runtime.waits.beginWait(
            task,
            .something("thread '\(thread.name)'"),
            seconds: seconds.map { max($0, 0) },
            state
        )
        thread.waits.removeAll { $0.outcome != nil }
        thread.waits.append(wait)
        return LuaReply.wait
    }
}

/// `thread:results()`: all values that the body returned.
func threadResults(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let thread = try runtime.threads.requireThread(state, 1)
        guard state.ensureSpace(Int32(clamping: thread.results.count) + 2) else { return 0 }
        for result in thread.results { result.push(state) }
        return Int32(clamping: thread.results.count)
    }
}
