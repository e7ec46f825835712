internal import LuaVM
internal import Scheduling

/// The interface of dispatch queues to a script.
enum DispatchQueueBinding {
    static let methods: [ScriptMethod] = [
        .init("async", "body", dispatchAsync),
        .init("sync", "body", dispatchSync),
        .init("asyncAfter", "seconds, body", dispatchAsyncAfter),
        .init("suspend", "", dispatchSuspend),
        .init("resume", "", dispatchResume),
        .init("setSpecific", "key, value", dispatchSetSpecific),
        .init("getSpecific", "key", dispatchGetSpecific),
        .init("setTarget", "other or nil", dispatchSetTarget),
        .init("setFinalizer", "fn", dispatchSetFinalizer),
    ]

    static let type = ScriptType(
        "DispatchQueue",
        kind: "DispatchQueue",
        constructors: [constructor],
        require: { runtime, state, index throws(LuaRaise) in
            try runtime.dispatch.requireDispatchQueue(state, index)
        },
        properties: properties,
        methods: methods,
        text: { queue, _, _ in
            var words = [queue.isSerial ? "serial" : "concurrent"]
            words.append("\(queue.count) block\(queue.count == 1 ? "" : "s")")
            if queue.isSuspended { words.append("suspended") }
            return "DispatchQueue '\(queue.label)' (\(words.joined(separator: ", ")))"
        }
    )

    private static let properties: [ScriptType.Property<ScriptQueue>] = [
        .init("label", { $2.push($0.label) }),
        .init("qos", { $2.push(qualityName($0.qualityOfService)) }),
        .init(
            "target",
            { queue, runtime, state in
                if let target = queue.dispatch?.target {
                    runtime.queues.pushQueue(target, state)
                } else {
                    state.pushNil()
                }
            },
            set: { queue, value throws(LuaRaise) in
                let dispatch = value.runtime.dispatch
                let target = dispatch.anyDispatchQueue(value.state, value.index)
                guard target != nil || value.isNil else { throw value.expected("dispatch queue") }
                try dispatch.setTarget(of: queue, at: value.object, to: target, value.state)
            }
        ),
        .context(),
    ]

    private static let constructor = ScriptConstructor(
        name: "DispatchQueue",
        parameters: "[label or options]",
        call: makeDispatchQueue,
        functions: [
            .init("global", "[qos]", globalQueue), .init("getSpecific", "key", currentSpecific),
        ],
        constants: [("main", { $0.queues.pushQueue($0.queues.mainQueue, $1) })],
        lookups: [
            (
                "current",
                { runtime, state in
                    if let queue = runtime.bodies.currentQueue,
                        queue.kind == .dispatch || queue.kind == .main
                    {
                        runtime.queues.pushQueue(queue, state)
                    } else {
                        state.pushNil()
                    }
                }
            )
        ],
        otherNames: ["concurrentPerform"]
    )
}

// MARK: The type

/// `DispatchQueue { … }`, `DispatchQueue(label)`
private func makeDispatchQueue(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        state.setTop(1)
        guard state.isNil(1) || state.isTable(1) || state.type(1) == .string else {
            throw LuaRaise(
                argument: 1,
                "table or label expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        var label = state.string(1) ?? "queue"
        var isSerial = true
        var quality: OperationQualityOfService?
        var target: ScriptQueue?
        if state.isTable(1) {
            let options = OptionTable(runtime, state, 1, of: "DispatchQueue")
            label = try options.string("label") ?? label
            isSerial = try !runtime.dispatch.readConcurrent(options, state)
            if options.push("qos") {
                quality = try runtime.dispatch.dispatchQuality(state, -1, for: "qos")
                state.pop()
            }
            if options.push("target") {
                target = runtime.dispatch.anyDispatchQueue(state, -1)
                if target == nil { throw options.mismatch("target", "dispatch queue") }
                state.pop()
            }
            try options.refuseOthers()
        }
        let queue = runtime.dispatch.makeDispatchQueue(
            label: label,
            shape: isSerial ? .serial : .concurrent,
            quality ?? target?.qualityOfService ?? .default
        )
        queue.dispatch?.hasOwnQuality = quality != nil
        runtime.queues.pushQueue(queue, state)
        if let target { try runtime.dispatch.setTarget(of: queue, at: state.top, to: target, state) }
        return 1
    }
}

/// `DispatchQueue.global([qos])`
private func globalQueue(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let quality =
            state.isNoneOrNil(1) ? .default : try runtime.dispatch.dispatchQuality(state, 1, for: nil)
        runtime.queues.pushQueue(runtime.dispatch.globalQueue(quality), state)
        return 1
    }
}

extension DispatchObjects {
    func makeDispatchQueue(
        label: String,
        shape: DispatchTraits.Shape,
        _ quality: OperationQualityOfService
    ) -> ScriptQueue {
        releaseDroppedQueues()
        let id = scheduler.feed {
            $0.dispatchQueueCreated(isSerial: shape == .serial, qualityOfService: quality)
        }
        let queue = ScriptQueue(id: id, kind: .dispatch, name: label, width: -1)
        queue.qualityOfService = quality
        queue.cluster = queues.standardCluster
        queue.place = vm.running?.place(level: 1) ?? .unknown
        queue.dispatch = DispatchTraits(shape)
        queues.table.addUnheld(queue)
        return queue
    }

    /// Makes the scheduler forget the queues to which there is no reference any more.
    func releaseDroppedQueues() {
        let dropped = queues.table.takeDropped()
        guard !dropped.isEmpty else { return }
        scheduler.feed { core in
            for id in dropped { core.queueDropped(id) }
        }
    }

    /// The global queue of a quality of service: always the same object.
    func globalQueue(_ quality: OperationQualityOfService) -> ScriptQueue {
        if let queue = globalQueues[quality] { return queue }
        let name: String
        switch quality {
        case .background: name = "background"
        case .utility: name = "utility"
        case .default: name = "default"
        case .userInitiated: name = "user-initiated"
        case .userInteractive: name = "user-interactive"
        }
        let queue = makeDispatchQueue(label: "com.apple.root.\(name)-qos", shape: .global, quality)
        globalQueues[quality] = queue
        globalTurns.add(queue.id, quality)
        agenda.choosesGlobalQueue = globalTurns.chooses
        return queue
    }

    /// Whether the options of a new queue contain `concurrent`.
    fileprivate func readConcurrent(_ options: OptionTable, _ state: LuaState) throws(LuaRaise) -> Bool {
        guard options.push("attributes") else { return false }
        defer { state.pop() }
        var names: [String] = []
        if state.isTable(-1) {
            if state.hasOnlyNames(-1) {
                throw LuaRaise(
                    .argument,
                    "bad value for 'attributes' (list expected, as in { \"concurrent\" }, got a table without elements)"
                )
            }
            for place in stride(from: 1, through: state.rawLength(-1), by: 1) {
                _ = state.rawGet(-1, place)
                names.append(state.string(-1) ?? operations.kindName(state, -1))
                state.pop()
            }
        } else {
            names.append(state.string(-1) ?? operations.kindName(state, -1))
        }
        for name in names where name != "concurrent" {
            throw LuaRaise(
                .argument,
                "bad value for 'attributes' (\"concurrent\" or nothing, for a serial queue, expected, got '\(name)')"
            )
        }
        return !names.isEmpty
    }

    /// Reads a quality of service; the names of the four old priorities are accepted, too.
    func dispatchQuality(
        _ state: LuaState,
        _ index: Int32,
        for option: String?
    ) throws(LuaRaise) -> OperationQualityOfService {
        let old: [(String, OperationQualityOfService)] = [
            ("high", .userInitiated), ("low", .utility), ("unspecified", .default),
        ]
        let names = OperationQualityOfService.allCases.map { (qualityName($0), $0) } + old
        let name = state.string(index)
        if let found = names.first(where: { $0.0 == name }) { return found.1 }
        let text =
            "\"background\", \"utility\", \"default\", \"userInitiated\", \"userInteractive\", \"high\" or "
            + "\"low\" expected, got "
            + (name.map { "'\($0)'\(suggestion(for: $0, among: names.map(\.0)))" }
                ?? operations.kindName(state, index))
        if let option { throw LuaRaise(.argument, "bad value for '\(option)' (\(text))") }
        throw LuaRaise(argument: index, text)
    }

    /// The dispatch queue at an index, which may be the main queue.
    func anyDispatchQueue(_ state: LuaState, _ index: Int32) -> ScriptQueue? {
        if let queue = state.box(index, metatables.dispatchQueue, as: ScriptQueue.self) { return queue }
        guard let queue = queues.scriptQueue(state, index), queue.kind == .main else { return nil }
        return queue
    }

    func requireDispatchQueue(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptQueue {
        if let queue = anyDispatchQueue(state, index) { return queue }
        throw LuaRaise(argument: index, "dispatch queue expected, got \(operations.kindName(state, index))")
    }

    /// Pushes a new userdata for a queue. [-0, +1, -]
    func pushDispatchBox(_ queue: ScriptQueue, _ state: LuaState) {
        state.pushBox(queue, metatables.dispatchQueue, userValues: DispatchValue.count)
        if let target = queue.dispatch?.target {
            queues.pushQueue(target, state)
            _ = state.setUserValue(-2, DispatchValue.target)
        }
    }

    // MARK: The main queue, which is of both kinds

    /// Pushes a method or property that the main queue has as a dispatch queue. [-0, +0 | 1, -]
    func pushDispatchMember(ofMain index: Int32, _ state: LuaState) throws(LuaRaise) -> Bool {
        guard let queue = queues.scriptQueue(state, index), queue.kind == .main, let name = state.string(2)
        else {
            return false
        }
        if let member = DispatchQueueBinding.type.member(named: name) {
            try member.get(runtime, state)
            return true
        }
        for method in DispatchQueueBinding.methods where method.name.description == name {
            state.pushMethod(method, isMethod: true)
            return true
        }
        return false
    }

    func setDispatchMember(ofMain index: Int32, _ state: LuaState) throws(LuaRaise) -> Bool {
        guard let queue = queues.scriptQueue(state, index), queue.kind == .main,
            let member = state.string(2).flatMap(DispatchQueueBinding.type.member(named:))
        else { return false }
        guard let set = member.set else {
            throw .misuse("'\(member.name)' of DispatchQueue can only be read")
        }
        try set(runtime, state)
        return true
    }
}
