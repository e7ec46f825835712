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
        let result = resultConverter(Result.self, name)
        let call: @Sendable ([any Sendable], WorkContext) throws -> ScriptValue = { values, context in
            let cursor = ArgumentCursor(values, context)
            return try result.encode(body(repeat cursor.take((each Argument).self)))
        }
        add(name, summary, described(parameters, (repeat (each Argument).self), name), .sync(call))
    }

    /// The same for a closure that is `async`: it holds no thread while it is suspended, and cancelling the operation cancels its task.
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
    ) {
        let result = resultConverter(Result.self, name)
        let call: @Sendable ([any Sendable], WorkContext) async throws -> ScriptValue = { values, context in
            let cursor = ArgumentCursor(values, context)
            return try result.encode(try await body(repeat cursor.take((each Argument).self)))
        }
        add(name, summary, described(parameters, (repeat (each Argument).self), name), .async(call))
    }

    private func resultConverter<Result>(_ type: Result.Type, _ name: String) -> ScriptConverter<Result> {
        guard let converter = ScriptConverter<Result>.make() else {
            preconditionFailure(
                "'\(name)' returns \(type), which cannot go to a script: make it Codable or ScriptConvertible"
            )
        }
        return converter
    }

    /// What a script has to give, by the types of the closure.
    private func described<each Argument: Sendable>(
        _ names: [String],
        _ types: (repeat (each Argument).Type),
        _ work: String
    ) -> [WorkDefinition.Parameter] {
        var parameters: [WorkDefinition.Parameter] = []
        for type in repeat each types {
            let place = parameters.count
            if let parameter = describe(
                type,
                place < names.count ? names[place] : "argument\(place + 1)",
                work
            ) {
                parameters.append(parameter)
            }
        }
        return parameters
    }

    /// nil for the context, which takes none of the script's arguments.
    private func describe<Value: Sendable>(
        _ type: Value.Type,
        _ name: String,
        _ work: String
    ) -> WorkDefinition.Parameter? {
        if type == WorkContext.self { return nil }
        guard let converter = ScriptConverter<Value>.make() else {
            preconditionFailure(
                "'\(work)' takes \(type), which cannot come from a script: make it Codable or ScriptConvertible"
            )
        }
        return WorkDefinition.Parameter(
            name: name,
            type: converter.typeName + (converter.isOptional ? "?" : ""),
            isOptional: converter.isOptional,
            decode: { value throws(ScriptConversionError) in try converter.decode(value) }
        )
    }

    private func add(
        _ name: String,
        _ summary: String,
        _ parameters: [WorkDefinition.Parameter],
        _ body: WorkDefinition.Body
    ) {
        precondition(
            name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            },
            "'\(name)' is no name for a work: use letters, digits and '_', with dots in between"
        )
        catalogue.add(WorkDefinition(name: name, summary: summary, parameters: parameters, body: body))
    }
}

/// Hands converted arguments to a closure, one after the other.
private final class ArgumentCursor {
    private let values: [any Sendable]
    private let context: WorkContext
    private var next = 0

    init(_ values: [any Sendable], _ context: WorkContext) {
        self.values = values
        self.context = context
    }

    func take<Value: Sendable>(_ type: Value.Type) -> Value {
        if let context = context as? Value { return context }
        defer { next += 1 }
        guard let value = values[next] as? Value else {
            preconditionFailure("argument \(next + 1) is no \(type), though its parameter made it")
        }
        return value
    }
}
