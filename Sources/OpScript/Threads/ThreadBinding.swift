internal import LuaVM
internal import Scheduling

/// The interface of threads to a script.
enum ThreadBinding {
    static let methods: [ScriptMethod] = [
        .init("start", "", threadStart),
        .init("join", "[timeout]", threadJoin),
        .init("cancel", "", threadCancel),
        .init("results", "", threadResults),
    ]

    static let type = ScriptType(
        "Thread",
        kind: "thread",
        constructors: [constructor],
        require: { runtime, state, index throws(LuaRaise) in try runtime.threads.requireThread(state, index)
        },
        properties: properties,
        methods: methods,
        tooLate: { thread, limit, _ in tooLate(thread, for: limit) },
        text: { thread, _, _ in "Thread '\(thread.name)' (\(status(of: thread)))" }
    )

    static let properties: [ScriptType.Property<ScriptedThread>] = [
        settable("name", { $2.push($0.name) }) { thread, value throws(LuaRaise) in
            thread.identity.name = try value.string()
        },
        .init("number", { $2.push($0.number) }),
        settable("stackSize", { if let size = $0.stackSize { $2.push(size) } else { $2.pushNil() } }) {
            thread,
            value throws(LuaRaise) in
            guard let size = value.state.wholeNumber(value.index) else {
                throw value.unfit("number of bytes")
            }
            guard size >= ScriptedThread.leastStackSize else {
                throw value.unfit("at least \(ScriptedThread.leastStackSize) bytes")
            }
            guard size <= ScriptedThread.mostStackSize else {
                throw value.unfit("at most \(ScriptedThread.mostStackSize) bytes")
            }
            guard size % ScriptedThread.page == 0 else {
                throw value.unfit("a multiple of \(ScriptedThread.page) bytes")
            }
            thread.stackSize = size
        },
        settable("qualityOfService", { $2.push(qualityName($0.qualityOfService)) }) {
            thread,
            value throws(LuaRaise) in
            thread.qualityOfService = try value.runtime.operations.qualityOfService(value.state, value.index)
        },
        settable("threadPriority", { $2.push($0.threadPriority) }) { thread, value throws(LuaRaise) in
            guard let number = value.state.number(value.index), number >= 0, number <= 1 else {
                throw value.unfit("number from 0 to 1")
            }
            thread.threadPriority = number
        },
        settable("allowsFailure", until: .finished, { $2.push($0.allowsFailure) }) {
            thread,
            value throws(LuaRaise) in
            thread.allowsFailure = try value.boolean()
        },
        .init("isMainThread", { $2.push($0.isMain) }),
        .init("isExecuting", { $2.push($0.isMain || $0.state == .executing) }),
        .init("isFinished", { $2.push($0.state == .finished) }),
        .init("isCancelled", { $2.push($0.isMain ? $1.runState.isCancelled : $0.isCancelled) }),
        .init("result", { if let result = $0.results.first { result.push($2) } else { $2.pushNil() } }),
        .init("error", { if let error = $0.error { error.push($2) } else { $2.pushNil() } }),
    ]

    /// A property that can be set until the thread is started.
    private static func settable(
        _ name: StaticString,
        until limit: ScriptType.Limit = .started,
        _ get: @escaping ScriptType.Property<ScriptedThread>.Getter,
        _ set: @escaping ScriptType.Property<ScriptedThread>.Setter
    ) -> ScriptType.Property<ScriptedThread> {
        .init(name, get, set: set).settable(until: limit)
    }

    private static func tooLate(_ thread: ScriptedThread, for limit: ScriptType.Limit) -> String? {
        if thread.isMain { return "the main thread cannot be set" }
        if limit == .started, thread.state != .made {
            return "thread '\(thread.name)' can be set only before it is started"
        }
        if limit == .finished, thread.state == .finished {
            return "thread '\(thread.name)' can be set only before it has finished"
        }
        return nil
    }

    private static func status(of thread: ScriptedThread) -> String {
        switch thread.state {
        case _ where thread.isMain: "executing"
        case .made: "not started"
        case .executing: thread.isCancelled ? "cancelled, executing" : "executing"
        case .finished where thread.isCancelled: "cancelled"
        case .finished: thread.error == nil ? "finished" : "failed"
        }
    }

    private static let constructor = ScriptConstructor(
        name: "Thread",
        parameters: "options",
        call: makeThread,
        functions: [.init("detach", "body, args…", detachThread)],
        // All Lua code of a script runs on one thread.
        constants: [("main", pushMainThread), ("current", pushMainThread)]
    )
    private static let pushMainThread: ScriptConstructor.Push = {
        $0.threads.pushThread($0.threads.mainThread, $1)
    }
}

extension NewValue {
    /// The same as `expected`; if the value is a number, the message shows it.
    fileprivate func unfit(_ what: String) -> LuaRaise {
        let got =
            state.number(index) == nil ? runtime.operations.kindName(state, index) : state.summary(index)
        return bad("\(what) expected, got \(got)")
    }
}
