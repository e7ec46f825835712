internal import LuaVM
internal import Scheduling

/// The interface of queues to a script.
enum QueueBinding {
    static let methods: [ScriptMethod] = [
        .init("addOperation", "op or fn [, { after = seconds, at = epochSeconds }]", queueAddOperation),
        .init("addOperations", "{ … } [, wait]", queueAddOperations),
        .init("addBarrierBlock", "op or fn", queueAddBarrierBlock),
        .init("cancelAllOperations", "", queueCancelAll),
        .init("waitUntilAllOperationsAreFinished", "[timeout]", queueWaitUntilAllFinished),
        .init("observe", "key [, options], fn", queueObserve),
    ]

    static let type = ScriptType(
        "OperationQueue",
        kind: "OperationQueue",
        constructors: [constructor],
        require: { runtime, state, index throws(LuaRaise) in try runtime.queues.requireQueue(state, index) },
        properties: properties,
        methods: methods,
        otherNames: ["map"],
        getOther: { runtime, state throws(LuaRaise) in
            if state.string(2) == "map" {
                do throws(LuaError) {
                    try runtime.globals.pushPrelude("map", of: .map, state)
                } catch {
                    return state.raise(error)
                }
                return 1
            }
            return try runtime.dispatch.pushDispatchMember(ofMain: 1, state) ? 1 : nil
        },
        setOther: { runtime, state throws(LuaRaise) in
            try runtime.dispatch.setDispatchMember(ofMain: 1, state)
        },
        text: { queue, runtime, _ in
            let count = "\(queue.count) operation\(queue.count == 1 ? "" : "s")"
            let rest = runtime.hostObjects.isSuspended(queue) ? ", suspended" : ""
            return "OperationQueue '\(queue.name)' (\(count)\(rest))"
        }
    )

    fileprivate static let properties: [ScriptType.Property<ScriptQueue>] = [
        .init(
            "name",
            { $2.push($0.name) },
            set: { queue, value throws(LuaRaise) in
                let name = try value.string()
                try refuseSubmitOnly(queue, value)
                queue.name = name
            }
        ),
        .init(
            "maxConcurrentOperationCount",
            { $2.push($1.hostObjects.width(of: $0)) },
            set: { queue, value throws(LuaRaise) in
                let width = try value.wholeNumber()
                guard width >= -1 else {
                    throw value.bad("-1 for no limit, or at least 0 expected, got \(width)")
                }
                try refuseMain(queue, value)
                try refuseSubmitOnly(queue, value)
                try value.runtime.hostObjects.setWidth(queue, width)
            }
        ).observable,
        .init(
            "isSuspended",
            { $2.push($1.hostObjects.isSuspended($0)) },
            set: { queue, value throws(LuaRaise) in
                let isSuspended = try value.boolean()
                try refuseMain(queue, value)
                try refuseSubmitOnly(queue, value)
                if let native = queue.native {
                    try value.runtime.hostObjects.setNativeSuspended(queue, native, isSuspended)
                } else {
                    value.runtime.queues.setSuspended(queue, isSuspended)
                }
            }
        ).observable,
        .init("operations", { queue, runtime, state in runtime.queues.pushOperations(of: queue, state) })
            .observable,
        .init("operationCount", { $2.push($0.count) }).observable,
        .init("progress", { queue, runtime, state in runtime.observers.pushProgress(ofQueue: queue, state) }),
        .init(
            "failFast",
            { $2.push($0.failFast) },
            set: { queue, value throws(LuaRaise) in
                let failFast = try value.boolean()
                try refuseSubmitOnly(queue, value)
                value.runtime.queues.setFailFast(queue, failFast)
            }
        ),
        .init(
            "startsLongestFirst",
            { $2.push($0.startsLongestFirst) },
            set: { queue, value throws(LuaRaise) in
                let startsLongestFirst = try value.boolean()
                try refuseMain(queue, value)
                try refuseSubmitOnly(queue, value)
                guard queue.kind == .ordinary || queue.kind == .standard else {
                    throw .misuse(
                        "'startsLongestFirst' of the queue '\(queue.name)' cannot be changed: only a queue of "
                            + "OperationQueue() has it"
                    )
                }
                queue.startsLongestFirst = startsLongestFirst
            }
        ),
        .init(
            "rate",
            { queue, runtime, state in runtime.queues.pushRate(of: queue, state) },
            set: { queue, value throws(LuaRaise) in try value.runtime.queues.setRate(queue, value) }
        ),
        .init(
            "widthPerKey",
            { queue, _, state in
                if let width = queue.rate?.widthPerKey { state.push(width) } else { state.pushNil() }
            },
            set: { queue, value throws(LuaRaise) in try value.runtime.queues.setWidthPerKey(queue, value) }
        ),
        .init(
            "qualityOfService",
            { $2.push(qualityName($0.qualityOfService)) },
            set: { queue, value throws(LuaRaise) in
                let quality = try value.runtime.operations.qualityOfService(value.state, value.index)
                try refuseSubmitOnly(queue, value)
                value.runtime.queues.setQualityOfService(queue, quality)
            }
        ),
        .init(
            "userInfo",
            { queue, _, state in
                if queue.kind != .native {
                    _ = state.getUserValue(1, QueueValue.userInfo)
                } else if let userInfo = queue.userInfo {
                    userInfo.push(state)
                } else {
                    state.pushNil()
                }
            },
            set: { queue, value in
                if queue.kind == .native {
                    queue.userInfo = value.isNil ? nil : value.runtime.reference(to: value.index, value.state)
                } else {
                    value.state.pushValue(value.index)
                    _ = value.state.setUserValue(value.object, QueueValue.userInfo)
                }
            }
        ),
    ]

    private static func refuseMain(_ queue: ScriptQueue, _ value: NewValue) throws(LuaRaise) {
        guard queue.kind == .main else { return }
        throw .misuse(
            "'\(value.property)' of the main queue cannot be changed: it runs one at a time on the script thread"
        )
    }

    private static func refuseSubmitOnly(_ queue: ScriptQueue, _ value: NewValue) throws(LuaRaise) {
        guard let name = queue.submitOnlyName else { return }
        throw .misuse(
            "'\(value.property)' of the queue '\(name)' cannot be changed: the host has adopted '\(name)' for "
                + "submitting only; in Swift: adopt(queue, as: \"\(name)\", access: .full)"
        )
    }

    private static let constructor = ScriptConstructor(
        name: "OperationQueue",
        parameters: "[options]",
        call: makeQueue,
        functions: [
            .init("setResource", "name, total", setResource), .init("named", "name", namedQueue),
        ],
        constants: [
            ("defaultMaxConcurrentOperationCount", { $1.push(-1) }),
            ("main", { $0.queues.pushQueue($0.queues.mainQueue, $1) }),
            ("default", { $0.queues.pushQueue($0.queues.standardQueue, $1) }),
        ],
        lookups: [
            (
                "current",
                { runtime, state in
                    if let queue = runtime.bodies.currentQueue, queue.kind != .dispatch {
                        runtime.queues.pushQueue(queue, state)
                    } else {
                        state.pushNil()
                    }
                }
            )
        ]
    )
}

/// The values that operation queues keep in their userdata, where Lua's collector sees them.
enum QueueValue {
    /// After the values of a dispatch queue: the main queue is a dispatch queue, too.
    static let userInfo: Int32 = DispatchValue.count + 1
    /// The functions of its observers, by the numbers of their observations.
    static let observers: Int32 = DispatchValue.count + 2
    /// The table of its rate, if it has one.
    static let rate: Int32 = DispatchValue.count + 3
    static let count: Int32 = DispatchValue.count + 3
}

// MARK: The type

private func makeQueue(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard state.isNoneOrNil(1) || state.isTable(1) else {
            throw LuaRaise(argument: 1, "table expected, got \(runtime.operations.kindName(state, 1))")
        }
        let queue = runtime.queues.makeQueue(name: "queue", kind: .ordinary)
        runtime.queues.pushQueue(queue, state)
        if state.isTable(1) {
            let made = state.top
            let options = OptionTable(runtime, state, 1, of: "OperationQueue")
            try options.set(QueueBinding.properties, of: queue, at: made)
            try runtime.queues.readCluster(options, of: queue, state)
            try options.refuseOthers()
            state.setTop(made)
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
            throw LuaRaise(argument: 2, "integer expected, got \(runtime.operations.noInteger(state, 2))")
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
        queue.startsLongestFirst = kind == .ordinary && configuration.startsLongestFirst
        // Blocks and groups are where their own queue is.
        if kind != .main, kind != .inner { queue.cluster = standardCluster }
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

    /// Pushes a queue: always the same userdata while that is alive. [-0, +1, -]
    func pushQueue(_ queue: ScriptQueue, _ state: LuaState) {
        globals.sharedObjects.push(queue, state) {
            if queue.kind == .dispatch {
                runtime.dispatch.pushDispatchBox(queue, state)
            } else {
                state.pushBox(queue, metatables.queue, userValues: QueueValue.count)
            }
        }
    }

    func queueReference(_ queue: ScriptQueue) -> LuaReference {
        pushQueue(queue, vm.main)
        return vm.makeReference(vm.main)
    }

    func pushQueue(ofOperation view: OperationPointer, _ state: LuaState) {
        if let queue = runtime.operations.queue(of: view), queue.kind != .inner {
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
            runtime.operations.liveView(owner)?.pointee.isFinished ?? true
        {
            throw .misuse("the group has already finished")
        }
    }

    func setSuspended(_ queue: ScriptQueue, _ isSuspended: Bool) {
        guard queue.isSuspended != isSuspended else { return }
        queue.isSuspended = isSuspended
        if !isSuspended { queue.dispatch?.suspendCount = 0 }
        runtime.operations.feed { $0.suspensionChanged(queue.id, to: isSuspended) }
        runtime.sources.suspensionsChanged()
        runtime.reporting.tell(.queueChanged(queue.id))
        runtime.observers.observe(queue, "isSuspended", .boolean(!isSuspended), .boolean(isSuspended))
    }

    func setFailFast(_ queue: ScriptQueue, _ failFast: Bool) {
        queue.failFast = failFast
        scheduler.feed { $0.failFastChanged(queue.id, to: failFast) }
    }

    fileprivate func setQualityOfService(_ queue: ScriptQueue, _ quality: OperationQualityOfService) {
        queue.qualityOfService = quality
        scheduler.feed { $0.qualityOfServiceChanged(queue.id, to: quality) }
    }
}
