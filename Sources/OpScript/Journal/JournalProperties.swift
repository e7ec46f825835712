internal import LuaVM

/// The properties of an operation that are about its journal and its files.
extension OperationBinding {
    static let journalProperties: [ScriptType.Property<OperationPointer>] = [
        .init(
            "recording",
            { view, runtime, state in
                let ticket = runtime.journaling.ticket(view)
                let mode = ticket?.recording ?? runtime.operations.registeredRecording(view)
                state.push((mode ?? .never).rawValue)
            },
            set: { view, value throws(LuaRaise) in
                let modes = RecordingMode.allCases
                let text = value.state.string(value.index)
                guard let mode = modes.first(where: { $0.rawValue == text }) else {
                    let got =
                        text.map { "'\($0)'\(suggestion(for: $0, among: modes.map(\.rawValue)))" }
                        ?? value.state.summary(value.index)
                    throw value.bad("\"result\", \"never\" or \"once\" expected, got \(got)")
                }
                if mode != .never { try value.runtime.journaling.checkMayBeRecorded(view, value) }
                value.ticket(of: view)?.recording = mode
            }
        ).settable(until: .added),
        .init(
            "version",
            { view, runtime, state in
                if let version = runtime.journaling.ticket(view)?.version
                    ?? runtime.operations.registeredVersion(view)
                {
                    state.push(version)
                } else {
                    state.pushNil()
                }
            },
            set: { view, value throws(LuaRaise) in
                guard let ticket = value.ticket(of: view) else { return }
                let version = value.isNil ? nil : try value.string()
                if version != nil { try value.runtime.journaling.checkHasBody(view, value) }
                value.runtime.journaling.change(ticket) { $0.version = version }
            }
        ).settable(until: .added),
        .init(
            "inputs",
            { $2.pushPaths($1.journaling.ticket($0)?.patterns.inputs) },
            set: { view, value throws(LuaRaise) in
                let paths = try value.paths()
                if paths != nil { try value.runtime.journaling.checkHasBody(view, value) }
                try value.runtime.journaling.setInputs(paths, of: view, value.state, value.object)
            }
        ).settable(until: .added),
        .init(
            "outputs",
            { $2.pushPaths($1.journaling.ticket($0)?.patterns.outputs) },
            set: { view, value throws(LuaRaise) in
                let paths = try value.paths()
                if paths != nil { try value.runtime.journaling.checkHasBody(view, value) }
                try value.runtime.journaling.setOutputs(paths, of: view, value.state, value.object)
            }
        ).settable(until: .added),
        .init(
            "depfile",
            { view, runtime, state in
                if let path = runtime.journaling.ticket(view)?.patterns.depfile {
                    state.push(path)
                } else {
                    state.pushNil()
                }
            },
            set: { view, value throws(LuaRaise) in
                let path = value.isNil ? nil : try value.path(value.index, "")
                if path != nil { try value.runtime.journaling.checkHasBody(view, value) }
                try value.runtime.journaling.setDepfile(path, of: view, value.state, value.object)
            }
        ).settable(until: .added),
        .init("isRecorded", { view, _, state in state.push(view.pointee.reuse == .recorded) }),
        .init("isUpToDate", { view, _, state in state.push(view.pointee.reuse == .upToDate) }),
    ]
}

extension OperationBinding {
    /// Properties that are not in the key of a body in Lua: a result that depends on them is not recorded.
    private static let unkeyed: Set = [
        "dependencies", "qualityOfService", "queue", "queuePriority", "resources", "retry", "threadPriority",
        "timeout", "usage", "userInfo",
    ]
    /// Those that are not in it if they are read of another operation.
    private static let unkeyedOfOthers: Set = ["attempt", "attempts"]

    /// The same property, whose reading by a body in Lua is noted if it is not in the key.
    static func noted(_ property: ScriptType.Property<OperationPointer>)
        -> ScriptType.Property<OperationPointer>
    {
        let (name, push) = (property.name, property.get)
        let isOfOthers = unkeyedOfOthers.contains(name)
        guard isOfOthers || unkeyed.contains(name) else { return property }
        return property.withGetter { view, runtime, state throws(LuaRaise) in
            runtime.journaling.noteReading(name, of: view.pointee.id, onlyByOthers: isOfOthers)
            try push(view, runtime, state)
        }
    }
}

extension Operations {
    /// The way in which the operations of a work are recorded; nil for a body in Lua.
    func registeredRecording(_ view: OperationPointer) -> RecordingMode? {
        view.pointee.work < 0 ? nil : works.definition(Int(view.pointee.work)).recording
    }

    func registeredVersion(_ view: OperationPointer) -> String? {
        view.pointee.work < 0 ? nil : works.definition(Int(view.pointee.work)).version
    }
}

extension Journaling {
    /// - Throws: An error if the body is neither a work nor a function that ends when it returns.
    func checkMayBeRecorded(_ view: OperationPointer, _ value: NewValue) throws(LuaRaise) {
        switch view.pointee.kind {
        case .work, .sleep, .simulated: return
        case .main where !view.pointee.flags.contains(.hasBlocks):
            if view.pointee.type == .operation || view.pointee.type == .block { return }
        default: break
        }
        throw .misuse(
            "'recording' is for works, isolates and functions; set it for the operations inside this one"
        )
    }
}

extension Journaling {
    /// - Throws: An error if it has no body of its own, as a group.
    fileprivate func checkHasBody(_ view: OperationPointer, _ value: NewValue) throws(LuaRaise) {
        let owner: String
        switch view.pointee.kind {
        case .group: owner = "a group"
        case .gate: owner = "a gate"
        case .main where view.pointee.flags.contains(.hasBlocks): owner = "an operation of blocks"
        case .work, .main, .start, .sleep, .simulated: return
        }
        throw .misuse(
            "'\(value.property)' is for an operation with a body of its own, not for \(owner); set it for the "
                + "operations inside, or for those that wait for it"
        )
    }
}

extension NewValue {
    fileprivate func ticket(of view: OperationPointer) -> JournalTicket? {
        runtime.journaling.ownTicket(view, state, object)
    }

    /// A list of paths; nil for nil.
    fileprivate func paths() throws(LuaRaise) -> [String]? {
        if isNil { return nil }
        try runtime.require(.files, for: "'\(property)'")
        guard state.isTable(index) else { throw expected("list of paths") }
        if state.hasOnlyNames(index) { throw bad("list of paths expected, got a table that has only names") }
        let list = state.absolute(index)
        var result: [String] = []
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            _ = state.rawGet(list, place)
            defer { state.pop() }
            result.append(try path(state.top, " at [\(place)]"))
        }
        return result
    }

    fileprivate func path(_ index: Int32, _ place: String) throws(LuaRaise) -> String {
        guard state.type(index) == .string, let bytes = state.bytes(index) else {
            throw bad("path expected\(place), got \(runtime.operations.kindName(state, index))")
        }
        guard !bytes.isEmpty, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw bad("path\(place) expected that is not empty, without a NUL and in UTF-8")
        }
        return text
    }
}

extension LuaState {
    fileprivate func pushPaths(_ paths: [String]?) {
        guard let paths else { return pushNil() }
        newTable(array: paths.count)
        for (offset, path) in paths.enumerated() {
            push(path)
            rawSet(-2, offset + 1)
        }
    }
}

extension Journaling {
    /// Adds what the script has set of these properties to the description of an operation on top. [-0, +0, m]
    func describe(_ view: OperationPointer, _ state: LuaState) {
        guard let ticket = ticket(view) else { return }
        if let mode = ticket.recording, mode != operations.registeredRecording(view) {
            state.push(mode.rawValue)
            state.rawSet(-2, "recording")
        }
        if let version = ticket.version, version != operations.registeredVersion(view) {
            state.push(version)
            state.rawSet(-2, "version")
        }
        for (name, paths) in [("inputs", ticket.patterns.inputs), ("outputs", ticket.patterns.outputs)] {
            guard let paths else { continue }
            state.pushPaths(paths)
            state.rawSet(-2, name)
        }
        if let path = ticket.patterns.depfile {
            state.push(path)
            state.rawSet(-2, "depfile")
        }
    }
}
