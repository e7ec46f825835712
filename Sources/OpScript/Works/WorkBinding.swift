internal import LuaVM
internal import Scheduling

/// The table `work`: each name is looked up once, and its function is then stored in the table.
enum WorkBinding {
    static let describe = ScriptMethod("describe", "name", workDescribe)

    static func install(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        runtime.operations.pushWorkSpace("", state)
        state.rawSet(types, "work")
    }
}

extension Operations {
    /// Pushes the table for names that begin with a prefix. [-0, +1, -]
    func pushWorkSpace(_ prefix: String, _ state: LuaState) {
        state.newTable()
        state.newTable()
        for (name, function) in [
            ("__index", workIndex), ("__newindex", workNewIndex), ("__len", workLength),
            ("__pairs", workPairs),
            ("__tostring", workToString),
        ] as [(StaticString, LuaFunction)] {
            state.push(prefix)
            state.push(function, upvalues: 1)
            state.rawSet(-2, name)
        }
        state.push("work")
        state.rawSet(-2, "__metatable")
        state.setMetatable(-2)
    }

    /// Makes the operation of a work, with `count` arguments from an index on. [-0, +1, -]
    ///
    /// - Parameter other: The definition, if it is not in the catalogue; the index is then -1.
    func makeWork(
        _ index: Int32,
        doing other: WorkDefinition? = nil,
        _ state: LuaState,
        first: Int32,
        count: Int
    ) throws(LuaRaise) -> OperationPointer {
        let definition = other ?? works.definition(Int(index))
        let arguments: ArgumentList
        var operations: MetOperations?
        if count == 1, let value = state.plainValue(first) {
            arguments = .one(value)
        } else {
            (arguments, operations) = try readArguments(first, count, of: definition, state)
        }
        let takesOperations = (operations?.count ?? 0) > 0
        do throws(ArgumentMismatch) {
            try definition.check(arguments, holdOperations: takesOperations)
        } catch {
            throw badArgument(error.argument, of: definition, error.error)
        }
        let view = newOperation(state, definition.kind, .operation, work: index)
        let made = state.top
        let isAsync = definition.isAsync
        if isAsync { view.pointee.flags.insert(.isAsync) }
        let entry = entries[Int(view.pointee.id.slot)]
        // `consume`: without it, each would be retained and released once more.
        let body = WorkBody(consume definition, consume arguments, takesOperations: takesOperations)
        do throws(ScriptError) {
            try body.keepBytesOfArguments()
        } catch {
            vm.interrupt(.memory)
            throw LuaRaise(error.code, error.message)
        }
        if isAsync {
            body.spawn(by: runtime.bodies.current?.request?.spawner ?? runtime.run.taskSpawner)
        }
        if hasJournal { runtime.journaling.made(body) }
        entry.pointee.body = consume body
        if let operations {
            for place in stride(from: 1, through: operations.count, by: 1) {
                _ = state.rawGet(operations.index, place)
                try addDependency(state, made, state.top, .succeeded, isArgument: true)
                state.pop()
            }
            state.remove(operations.index)
        }
        return view
    }

    /// Pushes the function that makes operations of a work. [-0, +1, m]
    fileprivate func pushWork(_ index: Int, _ state: LuaState) {
        // Stored as an address, which is read faster.
        state.push(lightUserdata: UnsafeMutableRawPointer(bitPattern: index + 1))
        state.push(makeWorkByCall, upvalues: 1)
    }

    /// The index of the work whose function runs. [-0, +0, -]
    @inline(__always)
    fileprivate func calledWork(_ state: LuaState) -> Int {
        Int(bitPattern: state.addressUpvalue(1)) - 1
    }

    /// The operations among arguments: the index of the Lua array that holds them, and their number.
    private typealias MetOperations = (index: Int32, count: Int)

    private func readArguments(
        _ first: Int32,
        _ count: Int,
        of definition: WorkDefinition,
        _ state: LuaState
    ) throws(LuaRaise) -> (ArgumentList, MetOperations?) {
        var reader = ValueReader(runtime, state, takesOperations: true)
        var values: [ScriptValue] = []
        values.reserveCapacity(count)
        for place in 0..<count {
            values.append(try readArgument(place, first, of: definition, &reader))
        }
        return (ArgumentList(values), reader.operationsIndex.map { ($0, reader.operationCount) })
    }

    private func readArgument(
        _ place: Int,
        _ first: Int32,
        of definition: WorkDefinition,
        _ reader: inout ValueReader<ScriptRuntime>
    ) throws(LuaRaise) -> ScriptValue {
        if definition.takesHandles {
            reader.takesHandles =
                place < definition.parameters.count && definition.parameters[place].takesHandles
        }
        do throws(ScriptConversionError) {
            return try reader.read(first + Int32(place))
        } catch {
            throw badArgument(place + 1, of: definition, error)
        }
    }

    private func badArgument(_ number: Int, of definition: WorkDefinition, _ error: ScriptConversionError)
        -> LuaRaise
    {
        LuaRaise(
            error,
            "bad argument #\(definition.isMethod ? number - 1 : number) to '\(definition.name)' (\(error.description))"
        )
    }

    /// The box from which Swift closures read the result of an operation.
    func makeResultBox(of view: OperationPointer, _ state: LuaState, _ index: Int32) -> ResultBox {
        view.pointee.flags.insert(.isResultUsed)
        let id = view.pointee.id
        let body = entry(id)?.pointee.body
        if let body, view.pointee.kind == .work { return body }
        if let box = entry(id)?.pointee.attachment?.resultBox { return box }
        let box = ResultBox()
        if view.pointee.isFinished {
            guard view.pointee.outcome == .succeeded else { return box }
        } else if entry(id) != nil {
            attachment(id).resultBox = box
        }
        // Of an operation that has not finished, too: its body may have returned, and the script does not see that yet.
        if let body {
            box.copy(body)
            return box
        }
        let top = state.top
        if runtime.waits.pushKeptResults(view, state, state.absolute(index)) > 0 {
            runtime.bodies.fill(box, state, top + 1)
        }
        state.setTop(top)
        return box
    }
}

extension ScriptValue {
    /// Whether the value contains an operation.
    var holdsOperation: Bool {
        switch self {
        case .object(let object): object is ResultBox
        case .array(let elements): elements.contains { $0.holdsOperation }
        case .table(let table): table.entries.contains { $0.value.holdsOperation }
        default: false
        }
    }
}

private func workIndex(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let prefix = state.string(LuaState.upvalue(1)) ?? ""
        guard let key = state.string(2) else {
            throw .misuse("there is no work \(state.summary(2)): names of works are strings")
        }
        let name = prefix.isEmpty ? key : "\(prefix).\(key)"
        if let index = runtime.works.catalogue.index(of: name) {
            runtime.operations.pushWork(index, state)
        } else if runtime.works.catalogue.hasNames(below: name) {
            runtime.operations.pushWorkSpace(name, state)
        } else if prefix.isEmpty, key == "describe" {
            state.pushMethod(WorkBinding.describe, isMethod: false)
        } else {
            throw runtime.operations.unknownWork(name)
        }
        guard state.type(1) == .table else { return 1 }
        state.pushValue(-1)
        state.rawSet(1, key)
        return 1
    }
}

/// `work.NAME(…)`
private func makeWorkByCall(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let index = runtime.operations.calledWork(state)
        _ = try runtime.operations.makeWork(Int32(index), state, first: 1, count: Int(state.top))
        return 1
    }
}

private func workNewIndex(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw .misuse("works are registered by the host; a script cannot set \(state.summary(2))")
    }
}

private func workLength(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let prefix = state.string(LuaState.upvalue(1)) ?? ""
    state.push(runtime.works.workNames(below: prefix).count)
    return 1
}

/// `pairs(work)`: dotted names with their functions, sorted.
private func workPairs(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let prefix = state.string(LuaState.upvalue(1)) ?? ""
    state.newTable()
    for (offset, name) in runtime.works.workNames(below: prefix).enumerated() {
        state.push(name)
        state.rawSet(-2, offset + 1)
    }
    state.push(0)
    state.push(nextWork, upvalues: 2)
    return 1
}

private func nextWork(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let place = (state.integer(LuaState.upvalue(2)) ?? 0) + 1
    guard state.rawGet(LuaState.upvalue(1), place) == .string, let name = state.string(-1),
        let index = runtime.works.catalogue.index(of: name)
    else {
        state.pushNil()
        return 1
    }
    state.push(place)
    state.replace(LuaState.upvalue(2))
    runtime.operations.pushWork(index, state)
    return 2
}

private func workToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let prefix = state.string(LuaState.upvalue(1)) ?? ""
    let names = runtime.works.workNames(below: prefix)
    state.push("work\(prefix.isEmpty ? "" : ".\(prefix)") (\(names.count) works)")
    return 1
}

/// `work.describe("file.read")`
private func workDescribe(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let name = state.string(1) else {
            throw LuaRaise(argument: 1, "string expected, got \(runtime.operations.kindName(state, 1))")
        }
        guard let index = runtime.works.catalogue.index(of: name) else {
            state.pushNil()
            return 1
        }
        let definition = runtime.works.catalogue[index]
        state.newTable(fields: 4)
        state.push(name)
        state.rawSet(-2, "name")
        state.push(definition.summary)
        state.rawSet(-2, "summary")
        state.push(definition.isAsync)
        state.rawSet(-2, "isAsynchronous")
        state.newTable(array: definition.parameters.count)
        for (offset, parameter) in definition.parameters.enumerated() {
            state.newTable(fields: 2)
            state.push(parameter.name)
            state.rawSet(-2, "name")
            state.push(parameter.type)
            state.rawSet(-2, "type")
            state.rawSet(-2, offset + 1)
        }
        state.rawSet(-2, "parameters")
        return 1
    }
}

extension Works {
    fileprivate func workNames(below prefix: String) -> [String] {
        prefix.isEmpty ? catalogue.names : catalogue.names.filter { $0.hasPrefix(prefix + ".") }
    }
}
