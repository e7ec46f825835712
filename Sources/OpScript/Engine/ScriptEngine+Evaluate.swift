internal import LuaVM

extension ScriptEngine {
    /// Evaluates an expression, or a chunk that returns something, and returns its first value.
    ///
    /// The source may wait as a script may. While a script runs, the source is evaluated between its turns.
    /// With no script running, it is evaluated on its own, and the timers and operations that it leaves
    /// behind continue afterwards.
    /// - Parameters:
    ///   - source: An expression (`"1 + 1"`), or statements with `return`.
    ///   - type: The type that the value must have; `Void`, the default, for none.
    ///   - name: The name of the source in error messages.
    /// - Throws: ``ScriptError``: the error that was raised, code `argument` if the value is of another type,
    ///   code `host` after the engine's end, code `misuse` inside a closure that this engine has called
    ///   (which may call a ``ScriptFunction`` instead). Cancelling the task interrupts the waits inside.
    public func evaluate<Value: Sendable>(
        _ source: String,
        as type: Value.Type = Void.self,
        named name: String = "=evaluate"
    ) async throws -> Value {
        try EngineScope.refuseRequest("evaluate", for: link)
        return try await ask(type) { try $0.pushChunk(source, named: name, $1) }
    }

    /// Evaluates an expression, or a chunk that returns something, and returns its first values.
    ///
    /// ```swift
    /// let (width, height) = try await engine.evaluate("64, 48", returning: Int.self, Int.self)
    /// ```
    /// - Parameters:
    ///   - source: An expression (`"1, 2"`), or statements with `return`.
    ///   - first: The type that the first one must have.
    ///   - others: Those of the others. A value that is missing is nil.
    ///   - name: The name of the source in error messages.
    /// - Throws: ``ScriptError``, as ``evaluate(_:as:named:)``.
    public func evaluate<First: Sendable, each Other: Sendable>(
        _ source: String,
        returning first: First.Type,
        _ others: repeat (each Other).Type,
        named name: String = "=evaluate"
    ) async throws -> (First, repeat each Other) {
        try EngineScope.refuseRequest("evaluate", for: link)
        let wanted = try Ask.Wanted(returning: first, repeat each others)
        var results = ResultCursor(try await ask(wanted) { try $0.pushChunk(source, named: name, $1) })
        return try (results.next(first), repeat results.next(each others))
    }

    /// Calls a function of the script and returns its first result.
    ///
    /// ```swift
    /// let total = try await engine.call("cart.total", items, 0.19, as: Double.self)
    /// ```
    /// - Parameters:
    ///   - path: The name of a global; dots reach into tables.
    ///   - arguments: The arguments of the function.
    ///   - type: The type that the result must have; `Void`, the default, for none.
    /// - Throws: ``ScriptError``, as ``evaluate(_:as:named:)``.
    public func call<each Argument: Sendable, Value: Sendable>(
        _ path: String,
        _ arguments: repeat each Argument,
        as type: Value.Type = Void.self
    ) async throws -> Value {
        try EngineScope.refuseRequest("call", for: link)
        let given = try scriptValues(of: repeat each arguments, for: path)
        return try await ask(type) { try $0.pushCall(path, given, $1) }
    }

    /// Calls a function of the script and returns its first results.
    ///
    /// ```swift
    /// let (x, y) = try await engine.call("hero.position", returning: Double.self, Double.self)
    /// ```
    /// - Parameters:
    ///   - path: The name of a global; dots reach into tables.
    ///   - arguments: The arguments of the function.
    ///   - first: The type that the first one must have.
    ///   - others: Those of the others. A result that is missing is nil.
    /// - Throws: ``ScriptError``, as ``evaluate(_:as:named:)``.
    public func call<each Argument: Sendable, First: Sendable, each Other: Sendable>(
        _ path: String,
        _ arguments: repeat each Argument,
        returning first: First.Type,
        _ others: repeat (each Other).Type
    ) async throws -> (First, repeat each Other) {
        try EngineScope.refuseRequest("call", for: link)
        let given = try scriptValues(of: repeat each arguments, for: path)
        let wanted = try Ask.Wanted(returning: first, repeat each others)
        var results = ResultCursor(try await ask(wanted) { try $0.pushCall(path, given, $1) })
        return try (results.next(first), repeat results.next(each others))
    }

    /// Sets a global, or, with dots in the name, a field of a table.
    ///
    /// - Throws: ``ScriptError`` if the value cannot cross, or if a table on the path does not exist.
    public func set<Value: Sendable>(_ path: String, _ value: Value) async throws {
        let value = try scriptValue(of: value, 1, "set")
        _ = try await send(.nothing) { runtime, ask in
            ask.answer(runtime.run.answer { try runtime.run.setValue(at: path, to: value) })
        }
    }

    /// The value of a global, or, with dots in the name, of a field of a table.
    ///
    /// - Throws: ``ScriptError`` if the value is of another type, or if a table on the path does not exist.
    public func get<Value: Sendable>(_ path: String, as type: Value.Type = Value.self) async throws -> Value {
        let converter = try valueConverter(Value.self)
        let takesHandles = converter.takesHandles
        let value = try await send(.value) { runtime, ask in
            ask.answer(runtime.run.answer { try runtime.run.value(at: path, takesHandles: takesHandles) })
        }
        return try decode(value, converter, "'\(path)'")
    }

    // MARK: How they ask

    func send(
        _ wanted: Ask.Wanted,
        _ body: @escaping @Sendable (ScriptRuntime, Ask) -> Void
    ) async throws -> ScriptValue {
        if link.isDraining { throw link.isStopped ? ScriptError.engineIsGone : .engineIsDraining }
        return try await Ask.send(link, wanted: wanted, start: { runner.start() }, body)
    }

    private func ask<Value: Sendable>(
        _ type: Value.Type,
        _ prepare: @escaping @Sendable (ScriptRun, LuaState) throws -> Void
    ) async throws -> Value {
        let converter = try valueConverter(type)
        return try decode(await ask(Ask.Wanted(converter), prepare), converter, "the result")
    }

    private func ask(
        _ wanted: Ask.Wanted,
        _ prepare: @escaping @Sendable (ScriptRun, LuaState) throws -> Void
    ) async throws -> ScriptValue {
        if let problem = catalogue.problem { throw problem }
        return try await send(wanted) { runtime, ask in
            runtime.run.beginAsk(ask) { state in try prepare(runtime.run, state) }
        }
    }
}

/// The converter for values that come from a script.
func valueConverter<Value>(_ type: Value.Type) throws -> ScriptConverter<Value> {
    if let converter = ScriptConverter<Value>.make() ?? .decoding() { return converter }
    throw ScriptError(.argument, "\(type) cannot come from a script: make it Decodable or ScriptConvertible")
}

/// The values that a script receives for the arguments of the host.
func scriptValues<each Argument>(
    of arguments: repeat each Argument,
    for function: String
) throws -> [ScriptValue] {
    var values: [ScriptValue] = []
    repeat values.append(try scriptValue(of: each arguments, values.count + 1, function))
    return values
}

/// The value that a script receives for an argument of the host.
func scriptValue<Value>(of value: Value, _ number: Int, _ function: String) throws -> ScriptValue {
    guard let converter = ScriptConverter<Value>.make() else {
        throw ScriptError(
            .argument,
            "bad argument #\(number) to '\(function)' (\(Value.self) cannot go to a script: make it Codable or "
                + "ScriptConvertible)"
        )
    }
    do {
        return try converter.encode(value)
    } catch {
        throw ScriptError(
            .argument,
            "bad argument #\(number) to '\(function)' (\(error))",
            underlying: error
        )
    }
}

/// The value that the host receives for a value of a script; `what` names it.
func decode<Value>(_ value: ScriptValue, _ converter: ScriptConverter<Value>, _ what: String) throws -> Value
{
    if Value.self == Void.self, let nothing = () as? Value { return nothing }
    do throws(ScriptConversionError) {
        return try converter.decode(value)
    } catch {
        throw ScriptError(.argument, "bad value of \(what) (\(error.description))", underlying: error)
    }
}

extension ScriptRun {
    /// The answer to a request that calls no function of a script.
    func answer(_ body: () throws -> ScriptValue) -> Result<ScriptValue, ScriptError> {
        runtime.bodies.sliced { Result(catching: body) }.mapError(hostError)
    }

    /// Pushes the value at a path of names that starts at the globals. [-0, +1, -]
    func pushValue(at path: String, _ state: LuaState) throws {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ !$0.isEmpty }), state.ensureSpace(4) else {
            throw ScriptError(.argument, "'\(path)' is not a name: use words with dots in between")
        }
        state.pushGlobals()
        for (index, name) in names.enumerated() {
            if index > 0, let kind = kindWithoutFields(state) {
                let before = names[..<index].joined(separator: ".")
                state.pop()
                throw ScriptError(.argument, "'\(before)' is \(kind), so there is no '\(path)'")
            }
            do throws(LuaError) {
                try state.getField(-1, name)
            } catch {
                state.pop()
                throw error
            }
            state.remove(-2)
        }
    }

    /// The kind of the value on top, if values of that kind have no fields. [-0, +0, -]
    private func kindWithoutFields(_ state: LuaState) -> String? {
        switch state.type(-1) {
        case .none, .nil: "nil"
        case .boolean, .number, .function, .thread: "a \(state.type(-1).name)"
        case .string, .table, .userdata, .lightUserdata: nil
        }
    }

    func value(at path: String, takesHandles: Bool) throws -> ScriptValue {
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        try pushValue(at: path, state)
        var reader = ValueReader(runtime, state, takesHandles: takesHandles)
        do throws(ScriptConversionError) {
            return try reader.read(state.top)
        } catch {
            throw ScriptError(.argument, "bad value of '\(path)' (\(error.description))", underlying: error)
        }
    }

    func setValue(at path: String, to value: ScriptValue) throws -> ScriptValue {
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        if let dot = path.lastIndex(of: ".") {
            try pushValue(at: String(path[..<dot]), state)
            let name = String(path[path.index(after: dot)...])
            guard !name.isEmpty else { throw ScriptError(.argument, "'\(path)' is not a name") }
            if let kind = kindWithoutFields(state) {
                throw ScriptError(.argument, "'\(path[..<dot])' is \(kind), so there is no '\(path)'")
            }
            runtime.push(value, state)
            try state.setField(-2, name)
        } else {
            guard !path.isEmpty else { throw ScriptError(.argument, "'' is not a name") }
            runtime.push(value, state)
            state.setGlobal(path)
        }
        return .nil
    }

    /// Pushes a chunk: that of an expression, if the source is one. [-0, +1, -]
    func pushChunk(_ source: String, named name: String, _ state: LuaState) throws {
        let bytes = Array(source.utf8)
        do throws(LuaError) {
            try vm.load(Array("return ".utf8) + bytes, name: name, into: state)
        } catch {
            try vm.load(bytes, name: name, into: state)
        }
    }

    /// Pushes the function at a path of names, with its arguments. [-0, +(n + 1), -]
    func pushCall(_ path: String, _ arguments: [ScriptValue], _ state: LuaState) throws {
        try pushValue(at: path, state)
        guard runtime.waits.isCallable(state, -1) else {
            throw ScriptError(
                .argument,
                "'\(path)' is \(runtime.operations.kindName(state, -1)) and cannot be called"
            )
        }
        try pushArguments(arguments, of: path, state)
    }

    /// Pushes a function with its arguments. [-0, +(n + 1), -]
    func pushCall(_ function: LuaReference, _ arguments: [ScriptValue], _ state: LuaState) throws {
        function.push(state)
        try pushArguments(arguments, of: "function", state)
    }

    /// Pushes arguments for a function that lies on top. [-0, +n, -]
    func pushArguments(_ arguments: [ScriptValue], of function: String, _ state: LuaState) throws {
        guard state.ensureSpace(Int32(clamping: arguments.count) + 8) else {
            throw ScriptError(.argument, "too many arguments for '\(function)'")
        }
        for argument in arguments { runtime.push(argument, state) }
    }
}
