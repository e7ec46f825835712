internal import LuaVM
internal import Scheduling

/// How sources look to a script.
enum SourceBinding {
    static let methods: [(StaticString, LuaFunction)] = [
        ("setEventHandler", sourceSetEventHandler),
        ("setRegistrationHandler", sourceSetRegistrationHandler),
        ("setCancelHandler", sourceSetCancelHandler), ("activate", sourceActivate), ("resume", sourceResume),
        ("suspend", sourceSuspend), ("cancel", sourceCancel), ("mergeData", sourceMergeData),
        ("setFinalizer", sourceSetFinalizer),
    ]

    static let makers: [(StaticString, LuaFunction)] = [
        ("timer", makeTimerSource), ("signal", makeSignalSource), ("read", makeReadSource),
        ("write", makeWriteSource), ("fileSystem", makeFileSource), ("process", makeProcessSource),
        ("userDataAdd", makeAddSource), ("userDataOr", makeOrSource),
        ("userDataReplace", makeReplaceSource),
    ]

    static let type = ScriptType(
        "DispatchSource",
        kind: "source",
        require: { runtime, state, index throws(LuaRaise) in try runtime.sources.requireSource(state, index)
        },
        properties: properties,
        methods: methods,
        setOther: { _, state throws(LuaRaise) in
            guard let key = state.string(2),
                ["eventHandler", "registrationHandler", "cancelHandler"].contains(key)
            else { return false }
            let name = key.prefix(1).uppercased() + key.dropFirst()
            throw .misuse("'\(key)' of DispatchSource is set by source:set\(name)(fn)")
        },
        text: { source, _, _ in
            let status =
                source.machine.isCancelled
                ? "cancelled"
                : source.machine.isInactive
                    ? "inactive" : source.machine.isSuspended ? "suspended" : "active"
            return "DispatchSource '\(source.name)' (\(status))"
        }
    )

    private static let properties: [ScriptType.Property<ScriptSource>] = [
        .init("data", { source, runtime, state in runtime.sources.pushData(of: source, state) }),
        .init("mask", { source, runtime, state in runtime.sources.pushMask(of: source, state) }),
        .init("handle", { source, runtime, state in runtime.sources.pushHandle(of: source, state) }),
        .init("isCancelled", { $2.push($0.machine.isCancelled) }),
        .init(
            "keepsAlive",
            { $2.push($0.keepsAlive) },
            set: { source, value throws(LuaRaise) in source.keepsAlive = try value.boolean() }
        ),
        .context(),
    ]

    static func install(_ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(state, "DispatchSource", callSourceType, makers)
        if state.pushMetatable(-1) {
            state.push(sourceTypeGet)
            state.rawSet(-2, "__index")
            state.pop()
        }
        state.rawSet(types, "DispatchSource")
    }
}

// MARK: The type

private func callSourceType(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let names = SourceBinding.makers.map { "'\($0.0)'" }.joined(separator: ", ")
        throw .misuse("a source is made by one of the functions of DispatchSource: \(names)")
    }
}

/// What Apple's systems have and Linux has not, and what to use instead.
private let foreignMakers = [
    "machSend": "Linux has no Mach ports; use 'read' or 'write' with a pipe or a socket",
    "machReceive": "Linux has no Mach ports; use 'read' or 'write' with a pipe or a socket",
    "machRecv": "Linux has no Mach ports; use 'read' or 'write' with a pipe or a socket",
    "memoryPressure": "Linux tells nobody of it; use a timer that reads /proc/pressure/memory",
]

private func sourceTypeGet(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if let name = state.string(2), let reason = foreignMakers[name] {
            throw .misuse("DispatchSource has no '\(name)': \(reason)")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "DispatchSource",
            among: SourceBinding.makers.map { $0.0.description }
        )
    }
}

extension FileChange {
    static func names(of changes: FileChange) -> [String] {
        names.filter { changes.contains($0.change) }.map(\.name)
    }
}

extension EventSources {
    fileprivate func pushMask(of source: ScriptSource, _ state: LuaState) {
        switch source.kind {
        case .file(_, let changes): pushFlags(FileChange.names(of: changes), state)
        case .process: pushFlags(["exit"], state)
        case .timer, .signal, .descriptor, .data: state.pushNil()
        }
    }

    fileprivate func pushHandle(of source: ScriptSource, _ state: LuaState) {
        switch source.kind {
        case .signal(let number): state.push(Int(number))
        case .descriptor(let watch): state.push(Int(watch.number))
        case .file(let path, _): state.push(bytes: path)
        case .process(let number): state.push(Int(number))
        case .timer, .data: state.pushNil()
        }
    }

    fileprivate func pushData(of source: ScriptSource, _ state: LuaState) {
        switch source.kind {
        case .file: pushFlags(FileChange.names(of: FileChange(rawValue: source.data)), state)
        case .process:
            if source.data == 0 {
                pushFlags([], state)
            } else if let status = source.exitStatus {
                state.push(status)
            } else {
                pushFlags(["exit"], state)
            }
        case .timer, .signal, .descriptor, .data: state.push(source.data)
        }
    }

    /// Pushes flags as a table that is a list of their names and a set of them. [-0, +1, m]
    func pushFlags(_ names: [String], _ state: LuaState) {
        state.newTable(array: names.count, fields: names.count)
        for (offset, name) in names.enumerated() {
            state.push(name)
            state.rawSet(-2, offset + 1)
            state.push(true)
            state.rawSet(-2, name)
        }
    }
}

private func sourceSetFinalizer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        _ = try runtime.sources.requireSource(state, 1)
        try ObjectFinalizer.setFinalizer(of: 1, from: 2, state, runtime)
        return 0
    }
}

extension ScriptSource {
    /// The name that `tostring` shows.
    var name: String {
        switch kind {
        case .timer, .data: typeName
        case .signal(let number): "signal \(SignalName.name(of: number))"
        case .descriptor(let watch): "\(typeName) \(watch.number)"
        case .file(let path, _): "fileSystem \(String(decoding: path, as: UTF8.self))"
        case .process(let number): "process \(number)"
        }
    }
}
