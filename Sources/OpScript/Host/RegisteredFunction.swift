internal import LuaVM

/// A Swift closure that scripts call as a plain function, on the script thread.
struct RegisteredFunction: Sendable {
    let name: String
    let summary: String
    /// Whether it replaces an earlier one of its name.
    let replaces: Bool
    let function: ExposedType.Operator
}

extension ScriptEngine {
    /// Makes a Swift closure callable by scripts as a plain function: `log("info", "ready")`, `now()`.
    ///
    /// It runs on the script thread and returns at once: no operation is made, and nothing else of the script
    /// runs meanwhile. Therefore it has to be quick; register a closure that takes time as a work, by
    /// `register`. An error that it throws is raised at the place of the call. Parameters and the result are
    /// as those of a work.
    ///
    /// ```swift
    /// engine.registerFunction("host.log") { (level: String, text: String) in logger.log(level, text) }
    /// ```
    ///
    /// An invalid registration (a name that is taken or is not a name, a type that cannot cross) has no effect, and
    /// ``validate()``, every run, call and evaluation throw its error: a ``ScriptError`` with code `misuse`. Call it
    /// from any thread; a script that runs already does not see functions that are registered later.
    /// - Parameters:
    ///   - name: Letters, digits and `_`, with dots in between: `host.log` is `log` in the global table `host`.
    ///   - summary: One line for the definitions that editors read (``ScriptEngine/writeDefinitions(to:)``).
    ///   - parameters: Names of the parameters for error messages and definitions.
    ///   - replacing: Whether an existing function of this name is replaced, for scripts that begin afterwards.
    ///   - body: The closure.
    public func registerFunction<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        replacing: Bool = false,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        guard Self.isName(name), name.first?.isNumber == false else {
            return catalogue.note(
                ScriptError(
                    .misuse,
                    "'\(name)' is not a name for a function: use letters, digits and '_', with dots in between"
                )
            )
        }
        guard let converter = ScriptConverter<Result>.make() else {
            return catalogue.note(
                ScriptError(
                    .misuse,
                    "'\(name)' returns \(Result.self), which cannot go to a script: make it Codable or "
                        + "ScriptConvertible"
                )
            )
        }
        var layout = ArgumentLayout()
        repeat layout.append((each Argument).self, named: parameters, of: name)
        if let problem = layout.problem { return catalogue.note(problem) }
        guard layout.parameters.count == layout.places.count else {
            return catalogue.note(
                ScriptError(
                    .misuse,
                    "'\(name)' takes a WorkContext, which only works have: register it as a work"
                )
            )
        }
        let places = layout
        let function = ExposedType.Operator(parameters: layout.parameters) { arguments in
            try places.withFilled(arguments) { memory in
                var cursor = ArgumentCursor(memory)
                return try converter.encode(body(repeat cursor.take((each Argument).self)))
            }
        }
        catalogue.add(
            RegisteredFunction(name: name, summary: summary, replaces: replacing, function: function)
        )
    }
}

extension HostObjects {
    /// Brings the functions that were registered since the last call into the Lua state.
    func installFunctions() {
        let catalogue = runtime.works.catalogue
        guard functions.count < catalogue.functionCount else { return }
        let state = vm.main
        let top = state.top
        for function in catalogue.functions.dropFirst(functions.count) {
            functions.append(function)
            if let obstacle = install(function, functions.count - 1, state) {
                catalogue.note(ScriptError(.misuse, obstacle))
            }
            state.setTop(top)
        }
    }

    /// Puts a function where scripts find it; or returns the reason why that is not possible.
    private func install(_ function: RegisteredFunction, _ number: Int, _ state: LuaState) -> String? {
        let words = function.name.split(separator: ".").map(String.init)
        guard let last = words.last else { return nil }
        state.pushGlobals()
        for (place, word) in words.dropLast().enumerated() {
            switch state.rawGet(-1, word) {
            case .table: break
            case .nil:
                state.pop()
                state.newTable()
                state.pushValue(-1)
                state.rawSet(-3, word)
            default:
                let path = words[...place].joined(separator: ".")
                return "the function '\(function.name)' would hide the existing '\(path)'"
            }
        }
        let isTaken = state.rawGet(-1, last) != .nil
        let isReplacement = function.replaces && functions.dropLast().contains { $0.name == function.name }
        guard !isTaken || isReplacement else {
            return "the function '\(function.name)' would hide an existing global of that name"
        }
        state.pop()
        state.push(number)
        state.push(callRegisteredFunction, upvalues: 1)
        state.rawSet(-2, last)
        return nil
    }

    fileprivate func callRegistered(_ state: LuaState) throws(LuaRaise) -> Int32 {
        let registered = functions[state.integer(LuaState.upvalue(1)) ?? 0]
        let parameters = registered.function.parameters
        let arguments = try readArguments(state, from: 1, to: state.top, for: parameters, of: registered.name)
        let value = try calling(registered.name, state) { try registered.function.call(arguments) }
        runtime.push(value, state)
        return 1
    }
}

private func callRegisteredFunction(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in try runtime.hostObjects.callRegistered(state) }
}
