extension ScriptEngine {
    /// Makes a Swift closure callable by scripts as `work.NAME(…)`; it runs on a worker thread.
    ///
    /// A parameter of type ``WorkContext`` takes none of the script's arguments. Every other parameter and the result
    /// are ``ScriptConvertible``, a ``ScriptObject``, `Codable` or a ``ScriptValue``; a parameter of an optional type
    /// may be left out. Arguments are checked when the script makes the operation. Call it from any thread.
    ///
    /// An invalid registration (a name that is taken, is not a name, or hides others; a type that cannot cross) has no
    /// effect, and every later run, call and evaluation throws its error: a ``ScriptError`` with code `misuse`.
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
    ///   - replacing: Whether an existing work of this name is replaced, for operations that are made from then on.
    ///   - onlyReads: Whether it changes nothing, neither in the process nor outside: then `--plan` really calls it
    ///     where the script awaits it, and continues with its result. A plan never calls a closure that is `async`.
    ///   - mode: Its behaviour under virtual time; default: it runs for real.
    ///   - recording: How its operations are treated when a run with a journal continues.
    ///   - version: A part of their keys in a journal; another version means that nothing recorded is used.
    ///   - body: The closure.
    @inlinable
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        replacing: Bool = false,
        onlyReads: Bool = false,
        onVirtualTime mode: WorkMode = .real,
        recording: RecordingMode = .result,
        version: String? = nil,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        // Only this part is compiled in the caller, where the types are known: otherwise each call would have
        // to look up the types at run time.
        addWork(
            name,
            summary,
            parameters,
            replacing,
            onlyReads,
            mode,
            recording,
            version,
            gives: Result.self,
            takes: repeat (each Argument).self
        ) { memory in
            var arguments = ArgumentCursor(memory)
            let result = try body(repeat arguments.take((each Argument).self))
            memory.initializeMemory(as: Result.self, to: result)
        }
    }

    /// The same for a function without a summary: `engine.register("square", square)`.
    @_disfavoredOverload
    @inlinable
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        register(name, "", body)
    }

    /// The same for a function that is `async`.
    @_disfavoredOverload
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
    ) {
        register(name, "", body)
    }

    /// Adds a closure that is not `async`.
    ///
    /// - Parameter call: Takes the arguments from memory, and leaves the result there.
    @usableFromInline
    func addWork<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String,
        _ parameters: [String],
        _ replaces: Bool,
        _ onlyReads: Bool,
        _ mode: WorkMode,
        _ recording: RecordingMode,
        _ version: String?,
        gives resultType: Result.Type,
        takes argumentTypes: repeat (each Argument).Type,
        call: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Void
    ) {
        guard let converter = resultConverter(resultType, name) else { return }
        var layout = ArgumentLayout()
        repeat layout.append(each argumentTypes, named: parameters, of: name)
        let result = layout.placeResult(converter)
        let places = layout
        let body: @Sendable (WorkArguments) throws -> ScriptValue = { arguments in
            try places.withMemory { memory in
                try places.fill(memory, arguments)
                try call(memory)
                return try result.take(from: memory)
            }
        }
        add(name, summary, layout, .sync(body), replaces, onlyReads, mode, recording, version)
    }

    /// The same for a closure that is `async`: it holds no thread while it is suspended, and cancelling the operation
    /// cancels its task.
    public func register<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        replacing: Bool = false,
        onlyReads: Bool = false,
        onVirtualTime mode: WorkMode = .real,
        recording: RecordingMode = .result,
        version: String? = nil,
        _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
    ) {
        guard let result = resultConverter(Result.self, name) else { return }
        var layout = ArgumentLayout()
        repeat layout.append((each Argument).self, named: parameters, of: name)
        let places = layout
        let call: @Sendable (KeptArguments) async throws -> ScriptValue = { arguments in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: places.size, alignment: places.alignment)
            defer { memory.deallocate() }
            try arguments.lend { try places.fill(memory, $0) }
            var cursor = ArgumentCursor(memory)
            return try result.encode(try await body(repeat cursor.take((each Argument).self)))
        }
        add(name, summary, layout, .async(call), replacing, onlyReads, mode, recording, version)
    }

    /// Arranges to call `register` before a script first looks up a work whose name begins with `prefix` and a dot.
    ///
    /// Registering a work costs some microseconds; a command with many works starts faster without the works
    /// that it does not use.
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
        _ onlyReads: Bool,
        _ mode: WorkMode,
        _ recording: RecordingMode,
        _ version: String?
    ) {
        if let problem = layout.problem { return catalogue.note(problem) }
        guard Self.isName(name) else {
            return catalogue.note(
                ScriptError(
                    .misuse,
                    "'\(name)' is not a name for a work: use letters, digits and '_', with dots in between"
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
                onlyReads: onlyReads,
                body: body,
                mode: mode,
                meter: link.meter.countsMemory ? link.meter : nil,
                recording: recording,
                version: version
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
