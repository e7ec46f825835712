extension ScriptEngine {
    /// Makes a Swift closure callable by scripts as `work.NAME(…)`; it runs on a worker thread.
    ///
    /// A parameter of type ``WorkContext`` takes none of the script's arguments. Every other parameter and the result
    /// are ``ScriptConvertible``, a ``ScriptObject``, `Codable` or a ``ScriptValue``; a parameter of an optional type
    /// may be left out. Arguments are checked when the script makes the operation. From any thread.
    ///
    /// A registration that is no good (a name that is taken, is no name, or hides others; a type that cannot cross) changes nothing, and
    /// every run, call and evaluation from then on throws it: a ``ScriptError`` with code `misuse`.
    ///
    /// ```swift
    /// engine.register("thumbnail", "Scales an image down.") { (path: String, width: Int) throws -> String in
    ///     try makeThumbnail(path, width)
    /// }
    /// ```
    /// - Parameters:
    ///   - name: Letters, digits and `_`, with dots in between.
    ///   - summary: One line for `work.describe`.
    ///   - parameters: Names of the parameters for `work.describe`.
    ///   - replacing: Whether a work of this name is replaced, for operations that are made from then on.
    ///   - mode: What it does under virtual time; default: it runs for real.
    ///   - body: What it does.
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        replacing: Bool = false,
        onVirtualTime mode: WorkMode = .real,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        guard let result = resultConverter(Result.self, name) else { return }
        var layout = ArgumentLayout()
        repeat layout.append((each Argument).self, named: parameters, of: name)
        let places = layout
        let call: @Sendable (WorkArguments) throws -> ScriptValue = { arguments in
            try withUnsafeTemporaryAllocation(byteCount: places.size, alignment: places.alignment) { buffer in
                let memory = ArgumentCursor.start(of: buffer)
                try places.fill(memory, arguments)
                var cursor = ArgumentCursor(memory)
                return try result.encode(body(repeat cursor.take((each Argument).self)))
            }
        }
        add(name, summary, layout, .sync(call), replacing, mode)
    }

    /// The same for a closure that is `async`: it holds no thread while it is suspended, and cancelling the operation cancels its task.
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        replacing: Bool = false,
        onVirtualTime mode: WorkMode = .real,
        _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
    ) {
        guard let result = resultConverter(Result.self, name) else { return }
        var layout = ArgumentLayout()
        repeat layout.append((each Argument).self, named: parameters, of: name)
        let places = layout
        let call: @Sendable (WorkArguments) async throws -> ScriptValue = { arguments in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: places.size, alignment: places.alignment)
            defer { memory.deallocate() }
            try places.fill(memory, arguments)
            var cursor = ArgumentCursor(memory)
            return try result.encode(try await body(repeat cursor.take((each Argument).self)))
        }
        add(name, summary, layout, .async(call), replacing, mode)
    }

    /// Has `register` called before a script first looks at a work whose name begins with `prefix` and a dot.
    ///
    /// To register a work costs some microseconds; a command that brings many along starts faster without those it does not use.
    package func registerGroup(_ prefix: String, _ register: @escaping @Sendable (ScriptEngine) -> Void) {
        catalogue.addGroup(prefix) { [weak self] in
            if let self { register(self) }
        }
    }

    private func resultConverter<Result>(_ type: Result.Type, _ name: String) -> ScriptConverter<Result>? {
        if let converter = ScriptConverter<Result>.make() { return converter }
        catalogue.note(
            ScriptError(
                .misuse,
                "'\(name)' returns \(type), which cannot go to a script: make it Codable or ScriptConvertible"
            )
        )
        return nil
    }

    private func add(
        _ name: String,
        _ summary: String,
        _ layout: ArgumentLayout,
        _ body: WorkDefinition.Body,
        _ replaces: Bool,
        _ mode: WorkMode
    ) {
        if let problem = layout.problem { return catalogue.note(problem) }
        guard Self.isName(name) else {
            return catalogue.note(
                ScriptError(
                    .misuse,
                    "'\(name)' is no name for a work: use letters, digits and '_', with dots in between"
                )
            )
        }
        let parameters = layout.parameters
        catalogue.add(
            WorkDefinition(
                name: name,
                summary: summary,
                parameters: parameters,
                takesContext: parameters.count < layout.places.count,
                body: body,
                mode: mode
            ),
            replaces: replaces
        )
    }

    /// Words of letters, digits and `_`, with dots in between.
    static func isName(_ name: String) -> Bool {
        name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        }
    }
}
