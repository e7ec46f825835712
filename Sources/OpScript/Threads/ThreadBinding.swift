internal import LuaVM
internal import Scheduling

/// How a script sees threads.
enum ThreadBinding {
    enum Property: String, ScriptProperty {
        case name, number, stackSize, qualityOfService, threadPriority, allowsFailure
        case isMainThread, isExecuting, isFinished, isCancelled, result, error

        static let all = Array(allCases)
        static let settable: [Property] = [
            .name, .stackSize, .qualityOfService, .threadPriority, .allowsFailure,
        ]
    }

    static let methods: [(StaticString, LuaFunction)] = [
        ("start", threadStart), ("join", threadJoin), ("cancel", threadCancel), ("results", threadResults),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: threadGet,
            otherGetter: threadGetOther,
            setter: threadSet,
            otherSetter: threadSetOther,
            text: threadToString
        ).makeMetatable(vm, "Thread", Property.self)
    }

    static func install(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(state, "Thread", makeThread, [("detach", detachThread)])
        // All Lua code of a script runs on one thread.
        runtime.threads.pushThread(runtime.threads.mainThread, state)
        state.pushValue(-1)
        state.rawSet(-3, "main")
        state.rawSet(-2, "current")
        state.rawSet(types, "Thread")
    }
}

// MARK: Properties

private func threadGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let thread = try runtime.threads.requireThread(state, 1)
        switch ThreadBinding.Property.all[Int(number)] {
        case .name: state.push(thread.name)
        case .number: state.push(thread.number)
        case .stackSize: if let size = thread.stackSize { state.push(size) } else { state.pushNil() }
        case .qualityOfService: state.push(qualityName(thread.qualityOfService))
        case .threadPriority: state.push(thread.threadPriority)
        case .allowsFailure: state.push(thread.allowsFailure)
        case .isMainThread: state.push(thread.isMain)
        case .isExecuting: state.push(thread.isMain || thread.state == .executing)
        case .isFinished: state.push(thread.state == .finished)
        case .isCancelled: state.push(thread.isMain ? runtime.runState.isCancelled : thread.isCancelled)
        case .result: if let result = thread.results.first { result.push(state) } else { state.pushNil() }
        case .error: if let error = thread.error { error.push(state) } else { state.pushNil() }
        }
        return 1
    }
}

private func threadSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = ThreadBinding.Property.all[Int(number)]
        let thread = try runtime.threads.requireThread(state, 1)
        if thread.isMain || (thread.state != .made && property != .allowsFailure) {
            throw .misuse(
                "'\(property)' of thread '\(thread.name)' can be set only before it is started"
            )
        }
        try runtime.threads.setProperty(property, of: thread, from: 3, state)
        return 0
    }
}

extension Threads {
    func setProperty(
        _ property: ThreadBinding.Property,
        of thread: ScriptedThread,
        from index: Int32,
        _ state: LuaState
    ) throws(LuaRaise) {
        func expected(_ what: String) -> LuaRaise {
            LuaRaise(
                .argument,
                "bad value for '\(property)' (\(what) expected, got "
                    + "\(state.number(index) == nil ? operations.kindName(state, index) : state.summary(index)))"
            )
        }
        switch property {
        case .name:
            guard let name = state.string(index) else { throw expected("string") }
            thread.name = name
        case .stackSize:
            guard let size = state.wholeNumber(index) else { throw expected("number of bytes") }
            guard size >= ScriptedThread.leastStackSize else {
                throw expected("at least \(ScriptedThread.leastStackSize) bytes")
            }
            guard size <= ScriptedThread.mostStackSize else {
                throw expected("at most \(ScriptedThread.mostStackSize) bytes")
            }
            guard size % ScriptedThread.page == 0 else {
                throw expected("a multiple of \(ScriptedThread.page) bytes")
            }
            thread.stackSize = size
        case .qualityOfService: thread.qualityOfService = try operations.qualityOfService(state, index)
        case .threadPriority:
            guard let number = state.number(index), number >= 0, number <= 1 else {
                throw expected("number from 0 to 1")
            }
            thread.threadPriority = number
        case .allowsFailure:
            guard state.type(index) == .boolean else { throw expected("boolean") }
            thread.allowsFailure = state.boolean(index)
        case .number, .isMainThread, .isExecuting, .isFinished, .isCancelled, .result, .error:
            throw .misuse("'\(property)' of Thread can only be read")
        }
    }
}

private func threadGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "Thread",
            among: ThreadBinding.Property.names + ThreadBinding.methods.map { $0.0.description }
        )
    }
}

private func threadSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if let key = state.string(2),
            ThreadBinding.Property.allCases.contains(where: { $0.rawValue == key })
        {
            throw .misuse("'\(key)' of Thread can only be read")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "Thread",
            among: ThreadBinding.Property.settableNames
        )
    }
}

private func threadToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let thread = runtime(raw).threads.thread(state, 1) else {
        state.push("Thread")
        return 1
    }
    let status =
        switch thread.state {
        case _ where thread.isMain: "executing"
        case .made: "not started"
        case .executing: thread.isCancelled ? "cancelled, executing" : "executing"
        case .finished where thread.isCancelled: "cancelled"
        case .finished: thread.error == nil ? "finished" : "failed"
        }
    state.push("Thread '\(thread.name)' (\(status))")
    return 1
}
