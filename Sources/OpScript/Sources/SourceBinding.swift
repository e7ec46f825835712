internal import LuaVM
internal import Scheduling

/// How sources look to a script.
enum SourceBinding {
    enum Property: String, ScriptProperty {
        case data, mask, handle, isCancelled, keepsAlive, context

        static let all = Array(allCases)
        static let settable: [Property] = [.keepsAlive, .context]
    }

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

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: sourceGet,
            otherGetter: sourceGetOther,
            setter: sourceSet,
            otherSetter: sourceSetOther,
            text: sourceToString
        ).makeMetatable(vm, "DispatchSource", Property.self)
    }

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

// MARK: Properties

private func sourceGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = SourceBinding.Property.all[Int(number)]
        let source = try runtime.sources.requireSource(state, 1)
        switch property {
        case .data: runtime.sources.pushData(of: source, state)
        case .mask:
            switch source.kind {
            case .file(_, let changes): runtime.sources.pushFlags(FileChange.names(of: changes), state)
            case .process: runtime.sources.pushFlags(["exit"], state)
            case .timer, .signal, .descriptor, .data: state.pushNil()
            }
        case .handle:
            switch source.kind {
            case .signal(let number): state.push(Int(number))
            case .descriptor(let watch): state.push(Int(watch.number))
            case .file(let path, _): state.push(bytes: path)
            case .process(let number): state.push(Int(number))
            case .timer, .data: state.pushNil()
            }
        case .isCancelled: state.push(source.machine.isCancelled)
        case .keepsAlive: state.push(source.keepsAlive)
        case .context: ObjectFinalizer.pushContext(of: 1, state)
        }
        return 1
    }
}

extension FileChange {
    static func names(of changes: FileChange) -> [String] {
        names.filter { changes.contains($0.change) }.map(\.name)
    }
}

extension EventSources {
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

private func sourceSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = SourceBinding.Property.all[Int(number)]
        let source = try runtime.sources.requireSource(state, 1)
        if property == .context {
            ObjectFinalizer.setContext(of: 1, from: 3, state, runtime)
            return 0
        }
        guard property == .keepsAlive else {
            throw .misuse("'\(property)' of DispatchSource can only be read")
        }
        guard state.type(3) == .boolean else {
            throw LuaRaise(
                .argument,
                "bad value for 'keepsAlive' (boolean expected, got \(runtime.operations.kindName(state, 3)))"
            )
        }
        source.keepsAlive = state.boolean(3)
        return 0
    }
}

private func sourceSetFinalizer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        _ = try runtime.sources.requireSource(state, 1)
        try ObjectFinalizer.setFinalizer(of: 1, from: 2, state, runtime)
        return 0
    }
}

private func sourceGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "DispatchSource",
            among: SourceBinding.Property.names + SourceBinding.methods.map { $0.0.description }
        )
    }
}

private func sourceSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let key = state.string(2) ?? ""
        if SourceBinding.Property.names.contains(key) {
            throw .misuse("'\(key)' of DispatchSource can only be read")
        }
        if let method = ["eventHandler", "registrationHandler", "cancelHandler"].first(where: { $0 == key }) {
            let name = method.prefix(1).uppercased() + method.dropFirst()
            throw .misuse("'\(key)' of DispatchSource is set by source:set\(name)(fn)")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "DispatchSource",
            among: SourceBinding.Property.settableNames
        )
    }
}

private func sourceToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let source = runtime(raw).sources.source(state, 1) else {
        state.push("DispatchSource")
        return 1
    }
    let status =
        source.machine.isCancelled
        ? "cancelled"
        : source.machine.isInactive ? "inactive" : source.machine.isSuspended ? "suspended" : "active"
    state.push("DispatchSource '\(source.name)' (\(status))")
    return 1
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
