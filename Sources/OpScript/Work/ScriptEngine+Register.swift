extension ScriptEngine {
    /// Makes a Swift closure callable by scripts as `work.NAME(…)`; it runs on a worker thread.
    ///
    /// A parameter of type ``WorkContext`` takes none of the script's arguments. Every other parameter and the result
    /// are ``ScriptConvertible``, a ``ScriptObject``, `Codable` or a ``ScriptValue``; a parameter of an optional type
    /// may be left out. Arguments are checked when the script makes the operation. Registering a name again replaces
    /// it for operations that are made from then on. From any thread.
    ///
    /// ```swift
    /// engine.register("thumbnail", "Scales an image down.") { (path: String, width: Int) throws -> String in
    ///     try makeThumbnail(path, width)
    /// }
    /// ```
    /// - Precondition: The types can cross, and the name is made of letters, digits and `_`, with dots in between.
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        let parameterPack = ParameterPack<repeat each Argument>(name: name)
        let result = resultConverter(Result.self, name)
        add(name, summary, parameters, parameterPack, isAsync: false) { arguments in
            let values = try parameterPack.prepare(arguments)
            return .sync { context in
                try result.encode(body(repeat (each values).resolve(context)))
            }
        }
    }

    /// The same for a closure that is `async`: it holds no thread while it is suspended, and cancelling the operation cancels its task.
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
    ) {
        let parameterPack = ParameterPack<repeat each Argument>(name: name)
        let result = resultConverter(Result.self, name)
        add(name, summary, parameters, parameterPack, isAsync: true) { arguments in
            let values = try parameterPack.prepare(arguments)
            return .async { context in
                try result.encode(try await body(repeat (each values).resolve(context)))
            }
        }
    }

    private func resultConverter<Result>(_ type: Result.Type, _ name: String) -> ScriptConverter<Result> {
        guard let converter = ScriptConverter<Result>.make() else {
            preconditionFailure("'\(name)' returns \(type), which cannot go to a script: make it Codable or ScriptConvertible")
        }
        return converter
    }

    private func add<each Argument: Sendable>(
        _ name: String,
        _ summary: String,
        _ names: [String],
        _ pack: ParameterPack<repeat each Argument>,
        isAsync: Bool,
        prepare: @escaping @Sendable ([ScriptValue]) throws -> WorkInvocation
    ) {
        precondition(
            name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            },
            "'\(name)' is no name for a work: use letters, digits and '_', with dots in between"
        )
        let types = pack.typeNames
        let parameters = types.indices.map { index in
            (name: index < names.count ? names[index] : "argument\(index + 1)", type: types[index])
        }
        catalogue.add(
            WorkDefinition(
                name: name,
                summary: summary,
                parameters: parameters,
                isAsync: isAsync,
                prepare: prepare,
                check: { try pack.check($0, $1) }
            )
        )
    }
}

/// How the parameters of one closure are filled.
private struct ParameterPack<each Argument: Sendable>: Sendable {
    private let parameters: (repeat Parameter<each Argument>)

    init(name: String) {
        parameters = (repeat Parameter<each Argument>(work: name))
    }

    /// Types of what the script gives.
    var typeNames: [String] {
        var names: [String] = []
        for parameter in repeat each parameters {
            if !parameter.isContext { names.append(parameter.typeName) }
        }
        return names
    }

    func prepare(_ arguments: [ScriptValue]) throws -> (repeat PreparedArgument<each Argument>) {
        let cursor = ArgumentCursor(arguments)
        let result = (repeat try (each parameters).prepare(cursor))
        try cursor.finish()
        return result
    }

    func check(_ index: Int, _ value: ScriptValue) throws {
        var place = 0
        for parameter in repeat each parameters {
            if parameter.isContext { continue }
            if place == index {
                try parameter.check(value, index)
                return
            }
            place += 1
        }
        if case .nil = value { return }
        throw ArgumentMismatch(
            argument: index + 1,
            error: ScriptConversionError(expected: "no value", value: value)
        )
    }
}

/// Goes through a script's arguments.
private final class ArgumentCursor {
    private let arguments: [ScriptValue]
    private var next = 0

    init(_ arguments: [ScriptValue]) { self.arguments = arguments }

    func take() -> (ScriptValue?, Int) {
        defer { next += 1 }
        return (next < arguments.count ? arguments[next] : nil, next)
    }

    func finish() throws {
        for index in arguments.indices.dropFirst(next) {
            if case .nil = arguments[index] { continue }
            throw ArgumentMismatch(
                argument: index + 1,
                error: ScriptConversionError(expected: "no value", value: arguments[index])
            )
        }
    }
}

private struct Parameter<Value: Sendable>: Sendable {
    let isContext: Bool
    private let converter: ScriptConverter<Value>?

    init(work: String) {
        isContext = Value.self == WorkContext.self
        converter = isContext ? nil : ScriptConverter<Value>.make()
        precondition(
            isContext || converter != nil,
            "'\(work)' takes \(Value.self), which cannot come from a script: make it Codable or ScriptConvertible"
        )
    }

    var typeName: String { (converter?.typeName ?? "") + (converter?.isOptional == true ? "?" : "") }

    func check(_ value: ScriptValue, _ index: Int) throws {
        _ = try decode(value, index)
    }

    func prepare(_ cursor: ArgumentCursor) throws -> PreparedArgument<Value> {
        if isContext { return .context }
        let (value, index) = cursor.take()
        return .value(try decode(value ?? .nil, index, isMissing: value == nil))
    }

    private func decode(_ value: ScriptValue, _ index: Int, isMissing: Bool = false) throws -> Value {
        guard let converter else { preconditionFailure("a context has no value") }
        do throws(ScriptConversionError) {
            return try converter.decode(value)
        } catch {
            var error = error
            if isMissing, error.path.isEmpty { error.got = "no value" }
            throw ArgumentMismatch(argument: index + 1, error: error)
        }
    }
}

private enum PreparedArgument<Value: Sendable>: Sendable {
    case value(Value)
    case context

    func resolve(_ context: WorkContext) -> Value {
        switch self {
        case .value(let value): return value
        case .context:
            guard let value = context as? Value else { preconditionFailure("a context is a WorkContext") }
            return value
        }
    }
}
