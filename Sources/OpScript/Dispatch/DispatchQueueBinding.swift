internal import LuaVM
internal import Scheduling

/// How dispatch queues look to a script.
enum DispatchQueueBinding {
    enum Property: String, ScriptProperty {
        case label, qos, target, context

        static let all = Array(allCases)
        static let settable: [Property] = [.target, .context]
    }

    static let methods: [(StaticString, LuaFunction)] = [
        ("async", dispatchAsync), ("sync", dispatchSync), ("asyncAfter", dispatchAsyncAfter),
        ("suspend", dispatchSuspend), ("resume", dispatchResume), ("setSpecific", dispatchSetSpecific),
        ("getSpecific", dispatchGetSpecific), ("setTarget", dispatchSetTarget),
        ("setFinalizer", dispatchSetFinalizer),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: dispatchQueueGet,
            otherGetter: dispatchQueueGetOther,
            setter: dispatchQueueSet,
            otherSetter: dispatchQueueSetOther,
            text: dispatchQueueToString
        ).makeMetatable(vm, "DispatchQueue", Property.self)
    }

    static let typeNames = ["main", "current", "global", "concurrentPerform", "getSpecific"]

    static func install(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(
            state,
            "DispatchQueue",
            makeDispatchQueue,
            [("global", globalQueue), ("getSpecific", currentSpecific)]
        )
        runtime.queues.pushQueue(runtime.queues.mainQueue, state)
        state.rawSet(-2, "main")
        if state.pushMetatable(-1) {
            state.push(dispatchTypeGet)
            state.rawSet(-2, "__index")
            state.pop()
        }
        state.rawSet(types, "DispatchQueue")
    }
}

// MARK: The type

private func dispatchTypeGet(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if state.string(2) == "current" {
        if let queue = runtime.bodies.currentQueue, queue.kind == .dispatch || queue.kind == .main {
            runtime.queues.pushQueue(queue, state)
        } else {
            state.pushNil()
        }
        return 1
    }
    return hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "DispatchQueue",
            among: DispatchQueueBinding.typeNames
        )
    }
}

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
        shape: DispatchPart.Shape,
        _ quality: OperationQualityOfService
    ) -> ScriptQueue {
        releaseDroppedQueues()
        let id = scheduler.feed {
            $0.dispatchQueueCreated(isSerial: shape == .serial, qualityOfService: quality)
        }
        let queue = ScriptQueue(id: id, kind: .dispatch, name: label, width: -1)
        queue.qualityOfService = quality
        queue.place = vm.running?.place(level: 1) ?? .unknown
        queue.dispatch = DispatchPart(shape)
        queues.table.addUnheld(queue)
        return queue
    }

    /// Lets the scheduler forget the queues that nobody holds any more.
    func releaseDroppedQueues() {
        let dropped = queues.table.takeDropped()
        guard !dropped.isEmpty else { return }
        scheduler.feed { core in
            for id in dropped { core.queueDropped(id) }
        }
    }

    /// The same one each time.
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
        return queue
    }

    /// Whether the options of a new queue say `concurrent`.
    fileprivate func readConcurrent(_ options: OptionTable, _ state: LuaState) throws(LuaRaise) -> Bool {
        guard options.push("attributes") else { return false }
        defer { state.pop() }
        var names: [String] = []
        if state.isTable(-1) {
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

    /// A quality of service, also by the names of the four old priorities.
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
            "\"background\", \"utility\", \"default\", \"userInitiated\", \"userInteractive\", \"high\" or \"low\" expected, got "
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
    func pushDispatchMember(ofMain index: Int32, _ state: LuaState) -> Bool {
        guard let queue = queues.scriptQueue(state, index), queue.kind == .main, let name = state.string(2)
        else {
            return false
        }
        if let property = DispatchQueueBinding.Property(rawValue: name) {
            pushProperty(property, of: queue, at: index, state)
            return true
        }
        for (method, function) in DispatchQueueBinding.methods where method.description == name {
            state.push(function)
            return true
        }
        return false
    }

    func setDispatchMember(ofMain index: Int32, _ state: LuaState) throws(LuaRaise) -> Bool {
        guard let queue = queues.scriptQueue(state, index), queue.kind == .main,
            let property = state.string(2).flatMap(DispatchQueueBinding.Property.init)
        else { return false }
        try setProperty(property, of: queue, at: index, from: 3, state)
        return true
    }

    // MARK: Properties

    fileprivate func pushProperty(
        _ property: DispatchQueueBinding.Property,
        of queue: ScriptQueue,
        at index: Int32,
        _ state: LuaState
    ) {
        switch property {
        case .label: state.push(queue.label)
        case .qos: state.push(qualityName(queue.qualityOfService))
        case .target:
            if let target = queue.dispatch?.target {
                queues.pushQueue(target, state)
            } else {
                state.pushNil()
            }
        case .context: ObjectFinalizer.pushContext(of: index, state)
        }
    }

    fileprivate func setProperty(
        _ property: DispatchQueueBinding.Property,
        of queue: ScriptQueue,
        at index: Int32,
        from value: Int32,
        _ state: LuaState
    ) throws(LuaRaise) {
        switch property {
        case .context: ObjectFinalizer.setContext(of: index, from: value, state, runtime)
        case .target:
            let target = anyDispatchQueue(state, value)
            guard target != nil || state.isNil(value) else {
                throw LuaRaise(
                    .argument,
                    "bad value for 'target' (dispatch queue expected, got \(operations.kindName(state, value)))"
                )
            }
            try setTarget(of: queue, at: index, to: target, state)
        case .label, .qos: throw .misuse("'\(property)' of DispatchQueue can only be read")
        }
    }
}

private func dispatchQueueGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        runtime.dispatch.pushProperty(DispatchQueueBinding.Property.all[Int(number)], of: queue, at: 1, state)
        return 1
    }
}

private func dispatchQueueGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "DispatchQueue",
            among: DispatchQueueBinding.Property.names
                + DispatchQueueBinding.methods.map { $0.0.description }
        )
    }
}

private func dispatchQueueSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        try runtime.dispatch.setProperty(
            DispatchQueueBinding.Property.all[Int(number)],
            of: queue,
            at: 1,
            from: 3,
            state
        )
        return 0
    }
}

private func dispatchQueueSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if let key = state.string(2), DispatchQueueBinding.Property(rawValue: key) != nil {
            throw .misuse("'\(key)' of DispatchQueue can only be read")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "DispatchQueue",
            among: DispatchQueueBinding.Property.settableNames
        )
    }
}

private func dispatchQueueToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let queue = runtime.dispatch.anyDispatchQueue(state, 1) else {
        state.push("DispatchQueue")
        return 1
    }
    var words = [queue.isSerial ? "serial" : "concurrent"]
    words.append("\(queue.count) block\(queue.count == 1 ? "" : "s")")
    if queue.isSuspended { words.append("suspended") }
    state.push("DispatchQueue '\(queue.label)' (\(words.joined(separator: ", ")))")
    return 1
}
