internal import LuaVM
internal import Scheduling

/// How operations look to a script: their metatable, properties and methods.
enum OperationBinding {
    enum Property: String, ScriptProperty {
        case name, queuePriority, qualityOfService, threadPriority, completionBlock, dependencies
        case isReady, isExecuting, isFinished, isCancelled, isAsynchronous, isConcurrent
        case state, outcome, result, error, traceback, createdAt, queue, progress
        case timeout, retry, attempt, resources, allowsFailure, userInfo, cancelled, executionBlocks,
            invocation

        static let all = Array(allCases)
        static let settable: [Property] = [
            .name, .queuePriority, .qualityOfService, .threadPriority, .completionBlock, .timeout, .retry,
            .resources,
            .allowsFailure, .userInfo, .cancelled,
        ]
    }

    static let methods: [(StaticString, LuaFunction)] = [
        ("addDependency", operationAddDependency), ("removeDependency", operationRemoveDependency),
        ("cancel", operationCancel), ("start", operationStart),
        ("waitUntilFinished", operationWaitUntilFinished), ("observe", operationObserve),
        ("finish", operationFinish), ("fail", operationFail), ("results", operationResults),
        ("describe", operationDescribe), ("addExecutionBlock", operationAddExecutionBlock),
        ("addOperation", groupAddOperation),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: operationGet,
            otherGetter: operationGetOther,
            setter: operationSet,
            otherSetter: operationSetOther,
            text: operationToString
        ).makeMetatable(vm, "Operation", Property.self, isBox: false)
    }
}

// MARK: Reading

private func operationGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    // The one that completion blocks ask for.
    if OperationBinding.Property.all[Int(number)] == .result,
        shortly(raw, { runtime, state in runtime.waits.pushPlainResult(at: 1, state) })
    {
        return 1
    }
    return operationGetAny(raw, number)
}

@inline(never)
private func operationGetAny(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = OperationBinding.Property.all[Int(number)]
        guard let block = runtime.operations.operation(state, 1) else {
            throw runtime.operations.noOperation(state, 1)
        }
        switch property {
        case .name: state.push(bytes: runtime.operations.nameBytes(state, 1, block))
        case .queuePriority: state.push(priorityName(block.pointee.priority))
        case .qualityOfService: state.push(qualityName(runtime.operations.quality(of: block)))
        case .threadPriority: state.push(runtime.operations.threadPriority(of: block, at: 1, state))
        case .completionBlock: state.getValue(.completionBlock, of: block, at: 1)
        case .dependencies: runtime.operations.pushDependencies(state, 1, block)
        case .isReady: state.push(block.pointee.flags.contains(.isReady))
        case .isExecuting: state.push(block.pointee.state == .executing)
        case .isFinished: state.push(block.pointee.isFinished)
        case .isCancelled: state.push(block.pointee.flags.contains(.isCancelled))
        case .isAsynchronous, .isConcurrent:
            state.push(block.pointee.kind == .start || block.pointee.flags.contains(.isAsync))
        case .state: state.push(runtime.operations.stateName(block))
        case .outcome:
            if block.pointee.isFinished {
                state.push(outcomeName(block.pointee.outcome))
            } else {
                state.pushNil()
            }
        case .result:
            let top = state.top
            let count = runtime.waits.pushResults(block, state, 1)
            state.setTop(top + min(count, 1))
            if count == 0 { state.pushNil() }
        case .error:
            if block.pointee.isFinished, block.pointee.flags.contains(.hasError) {
                state.getValue(.outcome, of: block, at: 1)
            } else {
                state.pushNil()
            }
        case .traceback: runtime.operations.pushTraceback(state, 1, block)
        case .createdAt: state.push(runtime.operations.createdAt(block))
        case .queue: runtime.queues.pushQueue(ofOperation: block, state)
        case .progress: runtime.observers.pushProgress(ofOperation: block, state)
        case .timeout: _ = runtime.operations.getField("timeout", of: 1, block, state)
        case .retry: _ = runtime.operations.getField("retry", of: 1, block, state)
        case .attempt: state.push(Int(block.pointee.attempt))
        case .resources: _ = runtime.operations.getField("resources", of: 1, block, state)
        case .allowsFailure: state.push(block.pointee.flags.contains(.allowsFailure))
        case .userInfo: _ = runtime.operations.getField("userInfo", of: 1, block, state)
        case .cancelled:
            if block.pointee.type == .subclass {
                if !runtime.bodies.pushMethod("cancelled", state) { state.pushNil() }
            } else {
                _ = runtime.operations.getField("cancelled", of: 1, block, state)
            }
        case .executionBlocks: runtime.operations.pushExecutionBlocks(state, block)
        case .invocation: _ = runtime.operations.getField("invocation", of: 1, block, state)
        }
        return 1
    }
}

/// A subclass's own fields and methods; for all else there is no such property.
private func operationGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let block = try runtime.operations.requireOperation(state, 1)
        if block.pointee.type == .subclass {
            if runtime.operations.getField("\0own", of: 1, block, state) == .table {
                state.pushValue(2)
                if state.rawGet(-2) != .nil { return 1 }
                state.pop()
            }
            state.pop()
            if runtime.operations.getField("\0class", of: 1, block, state) == .table {
                for _ in 0..<Operations.mostParents {
                    state.pushValue(2)
                    if state.rawGet(-2) != .nil { return 1 }
                    state.pop()
                    let hasParent = state.rawGet(-1, "\0parent") == .table
                    state.remove(-2)
                    if !hasParent { break }
                }
            }
            state.pushNil()
            return 1
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: block.pointee.type.text,
            among: OperationBinding.Property.names
                + OperationBinding.methods.map { $0.0.description }
        )
    }
}

// MARK: Writing

private func operationSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    // The one that is set most often.
    if OperationBinding.Property.all[Int(number)] == .completionBlock,
        shortly(raw, { runtime, state in runtime.operations.setFirstCompletion(state) })
    {
        return 0
    }
    return operationSetAny(raw, number)
}

@inline(never)
private func operationSetAny(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = OperationBinding.Property.all[Int(number)]
        let block = try runtime.operations.requireOperation(state, 1)
        try runtime.operations.set(property, of: block, at: 1, from: 3, state)
        return 0
    }
}

private func operationSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let block = try runtime.operations.requireOperation(state, 1)
        let key = state.string(2)
        let isKnown =
            key.map { key in
                OperationBinding.Property.allCases.contains { $0.rawValue == key }
            } ?? false
        if block.pointee.type == .subclass, !isKnown {
            if runtime.operations.getField("\0own", of: 1, block, state) != .table {
                state.pop()
                state.newTable()
                let table = state.top
                runtime.operations.setField("\0own", of: 1, block, state) { $0.pushValue(table) }
            }
            state.pushValue(2)
            state.pushValue(3)
            do throws(LuaError) {
                try state.rawSet(-3)
            } catch {
                throw LuaRaise(.argument, error.message)
            }
            return 0
        }
        if isKnown, let key { throw .misuse("'\(key)' of \(block.pointee.type.text) can only be read") }
        throw runtime.operations.noSuchProperty(
            state,
            of: block.pointee.type.text,
            among: OperationBinding.Property.settableNames
        )
    }
}

private func operationToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let block = runtime.operations.operation(state, 1) else {
        state.push("operation")
        return 1
    }
    var text =
        "\(runtime.operations.typeText(state, 1, block)) '\(runtime.operations.name(state, 1, block))' ("
    text +=
        block.pointee.isFinished ? outcomeName(block.pointee.outcome) : runtime.operations.stateName(block)
    state.push(text + ")")
    return 1
}

func priorityName(_ priority: OperationPriority) -> String {
    switch priority {
    case .veryLow: "veryLow"
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    case .veryHigh: "veryHigh"
    }
}

func qualityName(_ quality: OperationQualityOfService) -> String {
    switch quality {
    case .background: "background"
    case .utility: "utility"
    case .default: "default"
    case .userInitiated: "userInitiated"
    case .userInteractive: "userInteractive"
    }
}

func outcomeName(_ outcome: OperationOutcome) -> String {
    switch outcome {
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .skipped, .skippedQuietly: "skipped"
    }
}

extension Operations {
    func stateName(_ block: OperationPointer) -> String {
        switch block.pointee.state {
        case .pending: "pending"
        case .ready: "ready"
        case .executing: "executing"
        case .finished: "finished"
        }
    }

    /// The type's name, with that of a subclass.
    func typeText(_ state: LuaState, _ index: Int32, _ block: OperationPointer) -> String {
        guard block.pointee.type == .subclass, getField("\0class", of: index, block, state) == .table else {
            if block.pointee.type == .subclass { state.pop() }
            return block.pointee.type.text
        }
        defer { state.pop(2) }
        return state.rawGet(-1, "\0name") == .string ? state.string(-1) ?? "Operation" : "Operation"
    }

    func nameBytes(_ state: LuaState, _ index: Int32, _ block: OperationPointer) -> [UInt8] {
        if block.pointee.flags.contains(.hasName) {
            defer { state.pop() }
            if pushName(state, index, block) == .string { return state.bytes(-1) ?? [] }
        }
        return Array(defaultName(block).utf8)
    }

    /// The class that an operation runs in: its own, or that of its queue.
    func quality(of block: OperationPointer) -> OperationQualityOfService {
        if let own = block.pointee.qualityOfService { return own }
        return queue(of: block)?.qualityOfService ?? .default
    }

    func pushTraceback(_ state: LuaState, _ index: Int32, _ block: OperationPointer) {
        if let text = error(of: block, at: index, state)?.traceback {
            state.push(text)
        } else {
            _ = getField("\0traceback", of: index, block, state)
        }
    }

    /// The operation at an argument.
    @inline(__always)
    func requireOperation(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> OperationPointer {
        if let block = operation(state, index) { return block }
        throw noOperation(state, index)
    }

    func noOperation(_ state: LuaState, _ index: Int32) -> LuaRaise {
        LuaRaise(argument: index, "operation expected, got \(kindName(state, index))")
    }

    func noSuchProperty(_ state: LuaState, of type: String, among names: [String]) -> LuaRaise {
        guard let key = state.string(2) else {
            return .misuse("\(type) has no property \(state.summary(2)): property names are strings")
        }
        return .misuse("\(type) has no property '\(key)'\(suggestion(for: key, among: names))")
    }

    /// What messages call a value: `nil`, `no value`, `operation`, `table`.
    func kindName(_ state: LuaState, _ index: Int32) -> String {
        guard state.type(index) == .userdata else { return state.type(index).name }
        if operation(state, index) != nil { return "operation" }
        let known: [(LuaMetatable, String)] = [
            (metatables.queue, "OperationQueue"), (metatables.timer, "timer"),
            (metatables.source, "source"), (metatables.observation, "observation"),
            (metatables.error, "error"), (metatables.data, "Data"), (metatables.progress, "progress"),
            (metatables.isolate, "isolate"), (metatables.thread, "thread"),
            (metatables.dispatchQueue, "DispatchQueue"), (metatables.dispatchGroup, "group"),
            (metatables.dispatchSemaphore, "semaphore"), (metatables.dispatchWorkItem, "work item"),
        ]
        for (metatable, name) in known where state.userdata(index, metatable) != nil { return name }
        if let box = state.box(index, metatables.hostObject, as: HostObjectBox.self) {
            return box.typeName
        }
        return state.typeName(index)
    }
}
