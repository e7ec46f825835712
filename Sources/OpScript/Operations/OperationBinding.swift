internal import LuaVM
internal import Scheduling

/// The interface of operations to a script: their metatable, properties and methods.
enum OperationBinding {
    static let methods: [ScriptMethod] = [
        .init("addDependency", "other [, when]", operationAddDependency),
        .init("removeDependency", "other", operationRemoveDependency),
        .init("cancel", "", operationCancel),
        .init("start", "", operationStart),
        .init("waitUntilFinished", "[timeout]", operationWaitUntilFinished),
        .init("observe", "key [, options], fn", operationObserve),
        .init("finish", "results…", operationFinish),
        .init("fail", "[error]", operationFail),
        .init("results", "", operationResults),
        .init("lines", "[stream]", operationLines),
        .init("signal", "name", operationSignal),
        .init("describe", "", operationDescribe),
        .init("addExecutionBlock", "body", operationAddExecutionBlock),
        .init("addOperation", "op or fn", groupAddOperation),
    ]

    static let type = ScriptType(
        "Operation",
        kind: "operation",
        constructors: OperationConstructors.all,
        isBox: false,
        require: { runtime, state, index throws(LuaRaise) in
            try runtime.operations.requireOperation(state, index)
        },
        properties: properties,
        methods: methods,
        tooLate: { $2.operations.tooLate($0, for: $1) },
        getOther: { runtime, state throws(LuaRaise) in
            try runtime.operations.pushOwnMember(state) ? 1 : nil
        },
        setOther: { runtime, state throws(LuaRaise) in try runtime.operations.setOwnField(state) },
        nameOfObject: { $0.pointee.type.text },
        getter: operationGet,
        setter: operationSet,
        text: { view, runtime, state in
            let operations = runtime.operations
            let status =
                view.pointee.isFinished
                ? outcomeName(view.pointee.outcome) : operations.stateName(view)
            return
                "\(operations.typeText(state, 1, view)) '\(operations.name(state, 1, view))' (\(status))"
        }
    )
}

// MARK: The properties that have a faster way

/// The property that completion blocks read.
private let resultNumber = number(of: "result")
/// The property that is set most often.
private let completionNumber = number(of: "completionBlock")

private func number(of property: String) -> Int32 {
    Int32(OperationBinding.properties.firstIndex { $0.name == property } ?? -1)
}

private func operationGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    if number == resultNumber,
        shortly(raw, { runtime, state in runtime.waits.pushPlainResult(at: 1, state) })
    {
        return 1
    }
    return getProperty(raw, number)
}

private func operationSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    if number == completionNumber,
        shortly(raw, { runtime, state in runtime.operations.setFirstCompletion(state) })
    {
        return 0
    }
    return setProperty(raw, number)
}

// MARK: Members of a subclass

extension Operations {
    /// Pushes a field or method of an operation of a subclass; false for any other operation. [-0, +1 | 0, -]
    fileprivate func pushOwnMember(_ state: LuaState) throws(LuaRaise) -> Bool {
        let view = try requireOperation(state, 1)
        guard view.pointee.type == .subclass else { return false }
        if getField("\0own", of: 1, view, state) == .table {
            state.pushValue(2)
            if state.rawGet(-2) != .nil { return true }
            state.pop()
        }
        state.pop()
        if getField("\0class", of: 1, view, state) == .table {
            for _ in 0..<Operations.mostParents {
                state.pushValue(2)
                if state.rawGet(-2) != .nil { return true }
                state.pop()
                let hasParent = state.rawGet(-1, "\0parent") == .table
                state.remove(-2)
                if !hasParent { break }
            }
        }
        state.pushNil()
        return true
    }

    /// Sets a field of an operation of a subclass; false for any other operation, and for a property that can only be
    /// read.
    fileprivate func setOwnField(_ state: LuaState) throws(LuaRaise) -> Bool {
        let view = try requireOperation(state, 1)
        let key = state.string(2)
        let isKnown = key.map { OperationBinding.type.member(named: $0) != nil } ?? false
        guard view.pointee.type == .subclass, !isKnown else { return false }
        if let key, state.isFunction(3), OperationOverride.hooks.contains(key) {
            throw .misuse(
                "'\(key)' of one operation cannot be set: it is looked up in the class; write function "
                    + "\(typeText(state, 1, view)):\(key)(...)"
            )
        }
        if let key, let reason = OperationOverride.refusal(of: key) {
            throw .misuse("'\(key)' of \(typeText(state, 1, view)) cannot be set: \(reason)")
        }
        if getField("\0own", of: 1, view, state) != .table {
            state.pop()
            state.newTable()
            let table = state.top
            setField("\0own", of: 1, view, state) { $0.pushValue(table) }
        }
        state.pushValue(2)
        state.pushValue(3)
        do throws(LuaError) {
            try state.rawSet(-3)
        } catch {
            throw LuaRaise(.argument, error.message)
        }
        return true
    }
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
    func stateName(_ view: OperationPointer) -> String {
        switch view.pointee.state {
        case .pending: "pending"
        case .ready: "ready"
        case .executing: "executing"
        case .finished: "finished"
        }
    }

    /// The type's name; for a subclass, the subclass's name.
    func typeText(_ state: LuaState, _ index: Int32, _ view: OperationPointer) -> String {
        guard view.pointee.type == .subclass, getField("\0class", of: index, view, state) == .table else {
            if view.pointee.type == .subclass { state.pop() }
            return view.pointee.type.text
        }
        defer { state.pop(2) }
        return state.rawGet(-1, "\0name") == .string ? state.string(-1) ?? "Operation" : "Operation"
    }

    func nameBytes(_ state: LuaState, _ index: Int32, _ view: OperationPointer) -> [UInt8] {
        if view.pointee.flags.contains(.hasName) {
            defer { state.pop() }
            if pushName(state, index, view) == .string { return state.bytes(-1) ?? [] }
        }
        return Array(defaultName(view).utf8)
    }

    /// The quality of service that an operation runs with: its own, or that of its queue.
    func quality(of view: OperationPointer) -> OperationQualityOfService {
        if let own = view.pointee.qualityOfService { return own }
        return queue(of: view)?.qualityOfService ?? .default
    }

    func pushTraceback(_ state: LuaState, _ index: Int32, _ view: OperationPointer) {
        if let text = error(of: view, at: index, state)?.traceback(hiding: link.secrets) {
            state.push(text)
        } else {
            _ = getField("\0traceback", of: index, view, state)
        }
    }

    /// The operation at the index of an argument.
    @inline(__always)
    func requireOperation(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> OperationPointer {
        if let view = operation(state, index) { return view }
        throw noOperation(state, index)
    }

    func noOperation(_ state: LuaState, _ index: Int32) -> LuaRaise {
        LuaRaise(argument: index, "operation expected, got \(kindName(state, index))")
    }

    func noSuchProperty(_ state: LuaState, of type: String, among names: [String]) -> LuaRaise {
        guard let key = state.string(2) else {
            return .misuse("\(type) has no property \(state.summary(2)): property names are strings")
        }
        if let remedy = GuideNames.remedy(for: key), !names.contains(remedy) {
            return .misuse("\(type) has no property '\(key)'; in a script: \(remedy)")
        }
        return .misuse(
            "\(type) has no property '\(key)'\(suggestion(for: setting(key, among: names), among: names))"
        )
    }

    /// The property that `setName:` sets, if there is one; otherwise the name itself.
    private func setting(_ key: String, among names: [String]) -> String {
        guard key.hasPrefix("set"), let first = key.dropFirst(3).first, first.isUppercase else { return key }
        let property = first.lowercased() + key.dropFirst(4).prefix { $0 != ":" }
        return names.contains(property) ? property : key
    }

    /// The name of a value that is not a whole number: a number is shown as it is, `1.5`.
    func noInteger(_ state: LuaState, _ index: Int32) -> String {
        guard let number = state.number(index), !number.isNaN, state.type(index) == .number else {
            return kindName(state, index)
        }
        return state.summary(index)
    }

    /// The name of a value in messages: `nil`, `no value`, `operation`, `table`, `NaN`.
    func kindName(_ state: LuaState, _ index: Int32) -> String {
        if state.type(index) == .number, state.number(index)?.isNaN ?? false { return "NaN" }
        guard state.type(index) == .userdata else { return state.type(index).name }
        if let number = metatables.type(of: index, state) {
            let type = ScriptType.all[number.rawValue]
            let isCollected = type.isBox && state.box(index, metatables[number], as: AnyObject.self) == nil
            return isCollected ? "\(type.kind) that was collected" : type.kind
        }
        let name = state.typeName(index)
        if name == "Observation", state.userdata(index, metatables.observation) != nil {
            return "observation"
        }
        if name == "object", let box = state.box(index, metatables.hostObject, as: HostObjectBox.self) {
            return box.typeName
        }
        return ScriptType.all.first { $0.name == name }.map { "\($0.kind) that was collected" } ?? name
    }
}
