internal import LuaVM
internal import Scheduling

/// How queues look to a script.
enum QueueBinding {
    enum Property: String, ScriptProperty {
        case name, maxConcurrentOperationCount, isSuspended, operations, operationCount, progress, failFast
        case qualityOfService, userInfo

        static let all = Array(allCases)
        static let settable: [Property] = [
            .name, .maxConcurrentOperationCount, .isSuspended, .failFast, .qualityOfService, .userInfo,
        ]
    }

    static let methods: [(StaticString, LuaFunction)] = [
        ("addOperation", queueAddOperation), ("addOperations", queueAddOperations),
        ("addBarrierBlock", queueAddBarrierBlock), ("cancelAllOperations", queueCancelAll),
        ("waitUntilAllOperationsAreFinished", queueWaitUntilAllFinished), ("observe", queueObserve),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: queueGet,
            otherGetter: queueGetOther,
            setter: queueSet,
            otherSetter: queueSetOther,
            text: queueToString
        ).makeMetatable(vm, "OperationQueue", Property.self)
    }

    static func install(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(
            state,
            "OperationQueue",
            makeQueue,
            [
                ("setResource", setResource), ("named", namedQueue),
            ]
        )
        state.push(-1)
        state.rawSet(-2, "defaultMaxConcurrentOperationCount")
        runtime.queues.pushQueue(runtime.queues.mainQueue, state)
        state.rawSet(-2, "main")
        runtime.queues.pushQueue(runtime.queues.standardQueue, state)
        state.rawSet(-2, "default")
        if state.pushMetatable(-1) {
            state.push(queueTypeGet)
            state.rawSet(-2, "__index")
            state.pop()
        }
        state.rawSet(types, "OperationQueue")
    }
}

/// What operation queues keep in their userdata, where Lua's collector sees it.
enum QueueValue {
    /// After those of a dispatch queue, which the main queue is as well.
    static let userInfo: Int32 = DispatchValue.count + 1
    /// The functions of those who observe it, by the numbers of their observations.
    static let observers: Int32 = DispatchValue.count + 2
    static let count: Int32 = DispatchValue.count + 2
}

// MARK: The type

private func queueTypeGet(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if state.string(2) == "current" {
        if let queue = runtime.bodies.currentQueue, queue.kind != .dispatch {
            runtime.queues.pushQueue(queue, state)
        } else {
            state.pushNil()
        }
        return 1
    }
    return hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "OperationQueue",
            among: [
                "main", "default", "current", "defaultMaxConcurrentOperationCount", "setResource", "named",
            ]
        )
    }
}

private func makeQueue(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard state.isNoneOrNil(1) || state.isTable(1) else {
            throw LuaRaise(argument: 1, "table expected, got \(runtime.operations.kindName(state, 1))")
        }
        var name: String?
        var isSuspended = false
        var failFast = false
        var width = -1
        var quality = OperationQualityOfService.default
        var userInfo: LuaReference?
        if state.isTable(1) {
            let options = OptionTable(runtime, state, 1, of: "OperationQueue")
            name = try options.string("name")
            width = try options.wholeNumber("maxConcurrentOperationCount", atLeast: -1) ?? -1
            isSuspended = try options.boolean("isSuspended") ?? false
            failFast = try options.boolean("failFast") ?? false
            if options.push("qualityOfService") {
                quality = try runtime.operations.qualityOfService(state, state.top)
                state.pop()
            }
            userInfo = options.reference("userInfo")
            try options.refuseOthers()
        }
        let queue = runtime.queues.makeQueue(name: name ?? "queue", kind: .ordinary, width: width, quality)
        runtime.queues.setSuspended(queue, isSuspended)
        runtime.queues.setFailFast(queue, failFast)
        runtime.queues.pushQueue(queue, state)
        if let userInfo {
            userInfo.push(state)
            _ = state.setUserValue(-2, QueueValue.userInfo)
        }
        return 1
    }
}

/// `OperationQueue.setResource("gpu", 2)`
private func setResource(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let name = state.string(1) else {
            throw LuaRaise(
                argument: 1,
                "name of a resource expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        guard let total = state.wholeNumber(2) else {
            throw LuaRaise(argument: 2, "integer expected, got \(runtime.operations.kindName(state, 2))")
        }
        guard total >= 0 else { throw LuaRaise(argument: 2, "at least 0 expected, got \(total)") }
        runtime.scheduler.setResource(name, total)
        return 0
    }
}

private func namedQueue(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let name = state.string(1) else {
            throw LuaRaise(
                argument: 1,
                "name of a queue expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        runtime.queues.pushQueue(try runtime.hostObjects.adoptedQueue(named: name), state)
        return 1
    }
}

// MARK: Properties

private func queueGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = QueueBinding.Property.all[Int(number)]
        let queue = try runtime.queues.requireQueue(state, 1)
        switch property {
        case .name: state.push(queue.name)
        case .maxConcurrentOperationCount: state.push(runtime.hostObjects.width(of: queue))
        case .isSuspended: state.push(runtime.hostObjects.isSuspended(queue))
        case .operations: runtime.queues.pushOperations(of: queue, state)
        case .operationCount: state.push(queue.count)
        case .progress: runtime.observers.pushProgress(ofQueue: queue, state)
        case .failFast: state.push(queue.failFast)
        case .qualityOfService: state.push(qualityName(queue.qualityOfService))
        case .userInfo:
            if queue.kind != .native {
                _ = state.getUserValue(1, QueueValue.userInfo)
            } else if let userInfo = queue.userInfo {
                userInfo.push(state)
            } else {
                state.pushNil()
            }
        }
        return 1
    }
}

private func queueGetOther(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if state.string(2) == "map" {
        do throws(LuaError) {
            try runtime.globals.pushPrelude("map", of: .map, state)
            return 1
        } catch {
            return state.raise(error)
        }
    }
    if runtime.dispatch.pushDispatchMember(ofMain: 1, state) { return 1 }
    return hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "OperationQueue",
            among: QueueBinding.Property.names
                + QueueBinding.methods.map { $0.0.description } + ["map"]
        )
    }
}

private func queueSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = QueueBinding.Property.all[Int(number)]
        let queue = try runtime.queues.requireQueue(state, 1)
        try runtime.queues.setProperty(property, of: queue, from: 3, state)
        return 0
    }
}

private func queueSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if try runtime.dispatch.setDispatchMember(ofMain: 1, state) { return 0 }
        if let key = state.string(2),
            QueueBinding.Property.allCases.contains(where: { $0.rawValue == key })
        {
            throw .misuse("'\(key)' of OperationQueue can only be read")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "OperationQueue",
            among: QueueBinding.Property.settableNames
        )
    }
}

private func queueToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let queue = runtime.queues.scriptQueue(state, 1) else {
        state.push("OperationQueue")
        return 1
    }
    let count = "\(queue.count) operation\(queue.count == 1 ? "" : "s")"
    state.push(
        "OperationQueue '\(queue.name)' (\(count)\(runtime.hostObjects.isSuspended(queue) ? ", suspended" : ""))"
    )
    return 1
}

extension Queues {
    func makeQueue(
        name: String,
        kind: ScriptQueue.Kind,
        width: Int = -1,
        _ quality: OperationQualityOfService = .default
    ) -> ScriptQueue {
        runtime.dispatch.releaseDroppedQueues()
        let id = scheduler.feed { $0.queueCreated(width: width, qualityOfService: quality) }
        let queue = ScriptQueue(id: id, kind: kind, name: name, width: width)
        queue.qualityOfService = quality
        queue.place = vm.running?.place(level: 1) ?? .unknown
        if kind == .ordinary { table.addUnheld(queue) } else { table.add(queue) }
        return queue
    }

    func scriptQueue(_ state: LuaState, _ index: Int32) -> ScriptQueue? {
        state.box(index, metatables.queue, as: ScriptQueue.self)
    }

    func requireQueue(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptQueue {
        if let queue = scriptQueue(state, index) { return queue }
        throw LuaRaise(argument: index, "queue expected, got \(runtime.operations.kindName(state, index))")
    }

    /// Pushes a queue: always the same userdata while one is alive. [-0, +1, -]
    func pushQueue(_ queue: ScriptQueue, _ state: LuaState) {
        globals.sharedObjects.push(state)
        let address = UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
        if state.rawGet(-1, address: address) == .userdata {
            state.remove(-2)
            return
        }
        state.pop()
        if queue.kind == .dispatch {
            runtime.dispatch.pushDispatchBox(queue, state)
        } else {
            state.pushBox(queue, metatables.queue, userValues: QueueValue.count)
        }
        state.pushValue(-1)
        state.rawSet(-3, address: address)
        state.remove(-2)
    }

    func queueReference(_ queue: ScriptQueue) -> LuaReference {
        pushQueue(queue, vm.main)
        return vm.makeReference(vm.main)
    }

    func pushQueue(ofOperation block: OperationPointer, _ state: LuaState) {
        if let queue = runtime.operations.queue(of: block), queue.kind != .inner {
            pushQueue(queue, state)
        } else {
            state.pushNil()
        }
    }

    func pushOperations(of queue: ScriptQueue, _ state: LuaState) {
        state.newTable(array: queue.count)
        var place = 0
        for id in runtime.operations.unfinished(queue) {
            if runtime.operations.pushOperation(id, state) {
                place += 1
                state.rawSet(-2, place)
            } else {
                state.pop()
            }
        }
    }

    func checkGroupIsOpen(_ queue: ScriptQueue) throws(LuaRaise) {
        if queue.kind == .inner, let owner = queue.owner,
            runtime.operations.liveBlock(owner)?.pointee.isFinished ?? true
        {
            throw .misuse("the group has already finished")
        }
    }

    func setSuspended(_ queue: ScriptQueue, _ isSuspended: Bool) {
        guard queue.isSuspended != isSuspended else { return }
        queue.isSuspended = isSuspended
        if !isSuspended { queue.dispatch?.suspendCount = 0 }
        scheduler.feed { $0.suspensionChanged(queue.id, to: isSuspended) }
        runtime.observers.observe(queue, "isSuspended", .boolean(!isSuspended), .boolean(isSuspended))
    }

    func setFailFast(_ queue: ScriptQueue, _ failFast: Bool) {
        queue.failFast = failFast
        scheduler.feed { $0.failFastChanged(queue.id, to: failFast) }
    }

    fileprivate func setProperty(
        _ property: QueueBinding.Property,
        of queue: ScriptQueue,
        from index: Int32,
        _ state: LuaState
    ) throws(LuaRaise) {
        func expected(_ what: String) -> LuaRaise {
            LuaRaise(
                .argument,
                "bad value for '\(property)' (\(what) expected, got \(runtime.operations.kindName(state, index)))"
            )
        }
        func refuseMain() throws(LuaRaise) {
            if queue.kind == .main {
                throw .misuse(
                    "'\(property)' of the main queue cannot be changed: it runs one at a time on the script thread"
                )
            }
        }
        switch property {
        case .name:
            guard let name = state.string(index) else { throw expected("string") }
            queue.name = name
        case .maxConcurrentOperationCount:
            guard let width = state.wholeNumber(index) else { throw expected("integer") }
            guard width >= -1 else {
                throw LuaRaise(
                    .argument,
                    "bad value for '\(property)' (-1 for no limit, or at least 0 expected, got \(width))"
                )
            }
            try refuseMain()
            try runtime.hostObjects.setWidth(queue, width)
        case .isSuspended:
            guard state.type(index) == .boolean else { throw expected("boolean") }
            try refuseMain()
            if let native = queue.native {
                try runtime.hostObjects.setNativeSuspended(queue, native, state.boolean(index))
            } else {
                setSuspended(queue, state.boolean(index))
            }
        case .failFast:
            guard state.type(index) == .boolean else { throw expected("boolean") }
            setFailFast(queue, state.boolean(index))
        case .qualityOfService:
            let quality = try runtime.operations.qualityOfService(state, index)
            queue.qualityOfService = quality
            scheduler.feed { $0.qualityOfServiceChanged(queue.id, to: quality) }
        case .userInfo:
            if queue.kind == .native {
                queue.userInfo = state.isNoneOrNil(index) ? nil : runtime.reference(to: index, state)
            } else {
                state.pushValue(index)
                _ = state.setUserValue(1, QueueValue.userInfo)
            }
        case .operations, .operationCount, .progress:
            throw .misuse("'\(property)' of OperationQueue can only be read")
        }
    }
}
