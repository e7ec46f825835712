internal import LuaVM
internal import Scheduling

/// The interface of sources to a script.
enum SourceBinding {
    static let methods: [ScriptMethod] = [
        .init("setEventHandler", "fn", sourceSetEventHandler),
        .init("setRegistrationHandler", "fn", sourceSetRegistrationHandler),
        .init("setCancelHandler", "fn", sourceSetCancelHandler),
        .init("activate", "", sourceActivate),
        .init("resume", "", sourceResume),
        .init("suspend", "", sourceSuspend),
        .init("cancel", "", sourceCancel),
        .init("mergeData", "n", sourceMergeData),
        .init("setTimer", "{ deadline, repeating, leeway }", sourceSetTimer),
        .init("setFinalizer", "fn", sourceSetFinalizer),
    ]

    /// The functions that make the sources of each kind.
    static let makers =
        TimerSource.makers + SignalSource.makers + DescriptorSource.makers + FileSource.makers
        + ProcessSource.makers + DataSource.makers

    static let type = ScriptType(
        "DispatchSource",
        kind: "source",
        constructors: [constructor],
        require: { runtime, state, index throws(LuaRaise) in try runtime.sources.requireSource(state, index)
        },
        properties: properties,
        methods: methods,
        tooLate: { source, _, _ in
            source.machine.isCancelled
                ? "the \(source.description) cannot change any more: it was cancelled" : nil
        },
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
            let name = [source.kind.typeName, source.kind.subject].compactMap { $0 }.joined(separator: " ")
            return "DispatchSource '\(name)' (\(status))"
        }
    )

    private static let properties: [ScriptType.Property<EventSource>] = [
        .init("data", { $0.kind.pushData(of: $0, $2) }),
        .init("mask", { $0.kind.pushMask($2) }),
        .init("handle", { $0.kind.pushHandle($2) }),
        .init("isCancelled", { $2.push($0.machine.isCancelled) }),
        .init(
            "keepsAlive",
            { $2.push($0.keepsAlive) },
            set: { source, value throws(LuaRaise) in source.keepsAlive = try value.boolean() }
        ).settable(until: .ended),
        .context(),
    ]

    private static let constructor = ScriptConstructor(
        name: "DispatchSource",
        parameters: "…",
        call: callSourceType,
        functions: makers,
        foreignNames: [
            "machSend": noMachPorts, "machReceive": noMachPorts, "machRecv": noMachPorts,
            "memoryPressure": "Linux does not report it; use a timer that reads /proc/pressure/memory",
        ]
    )
    private static let noMachPorts = "Linux has no Mach ports; use 'read' or 'write' with a pipe or a socket"
}

// MARK: The type

private func callSourceType(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let names = SourceBinding.makers.map { "'\($0.name)'" }.joined(separator: ", ")
        throw .misuse("a source is made by one of the functions of DispatchSource: \(names)")
    }
}

extension LuaState {
    /// Pushes flags as a table that is both a list and a set of their names. [-0, +1, m]
    func push(flags names: [String]) {
        newTable(array: names.count, fields: names.count)
        for (offset, name) in names.enumerated() {
            push(name)
            rawSet(-2, offset + 1)
            push(true)
            rawSet(-2, name)
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
