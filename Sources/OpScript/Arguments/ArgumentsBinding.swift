internal import LuaVM

/// The globals `arguments` and `task`.
enum ArgumentsBinding {
    static let functions: [ScriptMethod] = [
        .init("arguments", "declarations", scriptArguments),
        .init("task", "name, help, fn", scriptTask),
    ]
}

/// `arguments { … }`
private func scriptArguments(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.isTable(1) else {
            throw LuaRaise(
                argument: 1,
                "table of declarations expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        let set = try DeclarationReader(runtime, state).set()
        return try runtime.arguments.declare(set, state)
    }
}

/// `task(name, help, fn)`
private func scriptTask(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        for place in [1, 2] as [Int32] where state.type(place) != .string {
            throw LuaRaise(
                argument: place,
                "string expected, got \(runtime.operations.kindName(state, place))"
            )
        }
        guard runtime.waits.isCallable(state, 3) else {
            throw LuaRaise(argument: 3, "function expected, got \(runtime.operations.kindName(state, 3))")
        }
        return try runtime.arguments.declareTask(state)
    }
}

/// Reads the table of `arguments`, at index 1 of the stack.
private struct DeclarationReader {
    private let runtime: ScriptRuntime
    private let state: LuaState

    init(_ runtime: ScriptRuntime, _ state: LuaState) {
        self.runtime = runtime
        self.state = state
    }

    func set() throws(LuaRaise) -> ArgumentSet {
        if state.rawGet(1, 1) == .string {
            let name = state.string(-1) ?? ""
            throw LuaRaise(
                .argument,
                "each argument stands in a table of its own: write arguments { { \"\(name)\" } }"
            )
        }
        state.pop()
        let table = OptionTable(runtime, state, 1, of: "arguments")
        var set = ArgumentSet(usage: try table.string("usage"), help: try table.string("help"))
        try table.refuseOthers(allowingArray: true)
        for place in stride(from: 1, through: state.rawLength(1), by: 1) {
            guard state.rawGet(1, place) == .table else {
                let got = runtime.operations.kindName(state, -1)
                throw LuaRaise(
                    .argument,
                    "bad argument #\(place) in 'arguments' (a table such as { \"--jobs\", type = \"integer\" } "
                        + "expected, got \(got))"
                )
            }
            let declaration = try declaration(state.top, place)
            do throws(ArgumentSet.Mistake) {
                try set.add(declaration)
            } catch {
                throw LuaRaise(.argument, error.message)
            }
            state.pop()
        }
        return set
    }

    /// One declaration, of the table at an index.
    private func declaration(_ index: Int32, _ place: Int) throws(LuaRaise) -> ArgumentDeclaration {
        var names: [String] = []
        for item in stride(from: 1, through: state.rawLength(index), by: 1) {
            guard state.rawGet(index, item) == .string, let name = state.string(-1) else {
                throw LuaRaise(
                    .argument,
                    "bad name #\(item) of argument #\(place) in 'arguments' (string expected, got "
                        + "\(runtime.operations.kindName(state, -1)))"
                )
            }
            state.pop()
            names.append(name)
        }
        guard let first = names.first else {
            throw LuaRaise(
                .argument,
                "argument #\(place) in 'arguments' has no name: put it first, as in { \"--jobs\", type = \"integer\" }"
            )
        }
        let table = OptionTable(runtime, state, index, of: "the argument '\(first)'")
        var declaration = ArgumentDeclaration(names: names)
        if let type = try text("type", table, first) {
            guard let kind = type == "flag" ? .boolean : ArgumentDeclaration.Kind(rawValue: type) else {
                let kinds = ArgumentDeclaration.Kind.allCases.map(\.rawValue)
                let near = nearestName(to: type, among: kinds).map { "; did you mean '\($0)'?" } ?? ""
                let shown = kinds.map { "'\($0)'" }.joined(separator: ", ")
                throw bad("type", of: first, "one of \(shown) expected, got '\(type)'\(near)")
            }
            declaration.kind = kind
        }
        declaration.help = try text("help", table, first) ?? ""
        declaration.valueName = try text("valueName", table, first)
        declaration.isMany = try flag("many", table, first) ?? false
        if table.push("choices") {
            declaration.choices = try values("choices", declaration, first)
            if declaration.choices.isEmpty {
                throw bad("choices", of: first, "at least one value expected, got none")
            }
        }
        declaration.least = try bound("minimum", table, declaration, first)
        declaration.greatest = try bound("maximum", table, declaration, first)
        if let least = declaration.least, let greatest = declaration.greatest, !declaration.allows(least) {
            throw bad("minimum", of: first, "at most \(greatest.shown) expected, got \(least.shown)")
        }
        if table.push("default") {
            declaration.initial =
                declaration.isMany
                ? try values("default", declaration, first) : [try value("default", declaration, first)]
        }
        let isRequired = try flag("required", table, first)
        try table.refuseOthers(allowingArray: true)
        let isPlainWord = !declaration.isOption && !declaration.isMany && declaration.initial == nil
        declaration.isRequired = isRequired ?? isPlainWord
        if declaration.isFlag, declaration.initial == nil, !declaration.isRequired {
            declaration.initial = [.boolean(false)]
        }
        if !declaration.isFlag, let other = declaration.initial?.first(where: { !declaration.allows($0) }) {
            throw bad("default", of: first, "\(declaration.expectation) expected, got '\(other.shown)'")
        }
        return declaration
    }

    // MARK: Fields

    private func text(_ field: String, _ table: OptionTable, _ name: String) throws(LuaRaise) -> String? {
        guard table.push(field) else { return nil }
        defer { state.pop() }
        guard state.type(-1) == .string else { throw mismatch(field, of: name, "string") }
        return state.string(-1)
    }

    private func flag(_ field: String, _ table: OptionTable, _ name: String) throws(LuaRaise) -> Bool? {
        guard table.push(field) else { return nil }
        defer { state.pop() }
        guard state.type(-1) == .boolean else { throw mismatch(field, of: name, "boolean") }
        return state.boolean(-1)
    }

    /// A bound of the numbers that may be given.
    private func bound(
        _ field: String,
        _ table: OptionTable,
        _ declaration: ArgumentDeclaration,
        _ name: String
    ) throws(LuaRaise) -> ArgumentDeclaration.Value? {
        guard table.push(field) else { return nil }
        guard declaration.kind == .integer || declaration.kind == .number else {
            throw bad(field, of: name, "it is for the types 'integer' and 'number'")
        }
        guard declaration.choices.isEmpty else {
            throw bad(field, of: name, "the argument has 'choices', which say all that is allowed")
        }
        return try value(field, declaration, name)
    }

    /// The list of values on top. [-1, +0, -]
    private func values(
        _ field: String,
        _ declaration: ArgumentDeclaration,
        _ name: String
    ) throws(LuaRaise) -> [ArgumentDeclaration.Value] {
        guard state.isTable(-1) else { throw mismatch(field, of: name, "list of values") }
        let list = state.top
        var values: [ArgumentDeclaration.Value] = []
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            _ = state.rawGet(list, place)
            values.append(try value(field, declaration, name))
        }
        state.pop()
        return values
    }

    /// The value on top. [-1, +0, -]
    private func value(
        _ field: String,
        _ declaration: ArgumentDeclaration,
        _ name: String
    ) throws(LuaRaise) -> ArgumentDeclaration.Value {
        defer { state.pop() }
        switch declaration.kind {
        case .string:
            if state.type(-1) == .string, let bytes = state.bytes(-1) { return .text(bytes) }
            throw mismatch(field, of: name, "string", hint: "; set its 'type'")
        case .integer:
            if state.type(-1) == .number, let integer = state.wholeNumber(-1) { return .integer(integer) }
            throw mismatch(field, of: name, "integer")
        case .number:
            if state.type(-1) == .number, let number = state.number(-1) { return .number(number) }
            throw mismatch(field, of: name, "number")
        case .boolean:
            if state.type(-1) == .boolean { return .boolean(state.boolean(-1)) }
            throw mismatch(field, of: name, "boolean")
        }
    }

    private func mismatch(_ field: String, of name: String, _ expected: String, hint: String = "") -> LuaRaise
    {
        let got = state.type(-1) == .number ? state.summary(-1) : runtime.operations.kindName(state, -1)
        let isTyped = field == "default" || field == "choices"
        return bad(field, of: name, "\(expected) expected, got \(got)\(isTyped ? hint : "")")
    }

    private func bad(_ field: String, of name: String, _ reason: String) -> LuaRaise {
        LuaRaise(.argument, "bad value for '\(field)' of the argument '\(name)' (\(reason))")
    }
}
