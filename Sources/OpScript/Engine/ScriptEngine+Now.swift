internal import LuaVM

/// Calls that return their result at once, on the calling thread.
///
/// They need an engine that lives on that thread: one that the host polls (`.manual`, from any thread while no other
/// one polls), or one on the main actor (`.mainActor`, from the main thread). A wait in the called code raises an error
/// there. The time of these calls is not bounded by a budget. Operations and timers that the code leaves behind
/// continue at the next ``ScriptEngine/poll(budget:)``, or when the main actor is free.
///
/// They throw ``ScriptError``: the error that was raised; code `argument` if a value is of another type; code `misuse`
/// for any other engine, on another thread, inside a closure that the engine has called, and while ``isPaused`` is
/// true, since no other code may run in the middle of a piece of the script; code `host` after the engine's end.
extension ScriptEngine {
    /// Calls a function of the script now, and returns its first result.
    ///
    /// ```swift
    /// let speed = try engine.callNow("hero.speed", terrain, as: Double.self)
    /// ```
    /// - Parameters:
    ///   - path: The name of a global; dots reach into tables.
    ///   - arguments: The arguments of the function.
    ///   - type: The type that the result must have; `Void`, the default, for none.
    public func callNow<each Argument: Sendable, Value: Sendable>(
        _ path: String,
        _ arguments: repeat each Argument,
        as type: Value.Type = Void.self
    ) throws -> Value {
        let given = try scriptValues(of: repeat each arguments, for: path)
        let converter = try valueConverter(type)
        let value = try now("callNow", Ask.Wanted(converter)) { try $0.pushCall(path, given, $1) }
        return try decode(value, converter, "the result")
    }

    /// Calls a function of the script now, and returns its first results.
    ///
    /// ```swift
    /// let (x, y) = try engine.callNow("hero.position", returning: Double.self, Double.self)
    /// ```
    /// - Parameters:
    ///   - path: The name of a global; dots reach into tables.
    ///   - arguments: The arguments of the function.
    ///   - first: The type that the first one must have.
    ///   - others: Those of the others. A result that is missing is nil.
    public func callNow<each Argument: Sendable, First: Sendable, each Other: Sendable>(
        _ path: String,
        _ arguments: repeat each Argument,
        returning first: First.Type,
        _ others: repeat (each Other).Type
    ) throws -> (First, repeat each Other) {
        let given = try scriptValues(of: repeat each arguments, for: path)
        let wanted = try Ask.Wanted(returning: first, repeat each others)
        var results = ResultCursor(try now("callNow", wanted) { try $0.pushCall(path, given, $1) })
        return try (results.next(first), repeat results.next(each others))
    }

    /// Evaluates an expression, or a chunk that returns something, now, and returns its first value.
    ///
    /// - Parameters:
    ///   - source: An expression (`"1 + 1"`), or statements with `return`.
    ///   - type: The type that the value must have; `Void`, the default, for none.
    ///   - name: The name of the source in error messages.
    public func evaluateNow<Value: Sendable>(
        _ source: String,
        as type: Value.Type = Void.self,
        named name: String = "=evaluate"
    ) throws -> Value {
        let converter = try valueConverter(type)
        let value = try now("evaluateNow", Ask.Wanted(converter)) {
            try $0.pushChunk(source, named: name, $1)
        }
        return try decode(value, converter, "the result")
    }

    /// Evaluates an expression, or a chunk that returns something, now, and returns its first values.
    ///
    /// - Parameters:
    ///   - source: An expression (`"1, 2"`), or statements with `return`.
    ///   - first: The type that the first one must have.
    ///   - others: Those of the others. A value that is missing is nil.
    ///   - name: The name of the source in error messages.
    public func evaluateNow<First: Sendable, each Other: Sendable>(
        _ source: String,
        returning first: First.Type,
        _ others: repeat (each Other).Type,
        named name: String = "=evaluate"
    ) throws -> (First, repeat each Other) {
        let wanted = try Ask.Wanted(returning: first, repeat each others)
        var results = ResultCursor(
            try now("evaluateNow", wanted) { try $0.pushChunk(source, named: name, $1) }
        )
        return try (results.next(first), repeat results.next(each others))
    }

    private func now(
        _ name: String,
        _ wanted: Ask.Wanted,
        _ prepare: @Sendable (ScriptRun, LuaState) throws -> Void
    ) throws -> ScriptValue {
        if let problem = catalogue.problem { throw problem }
        return try link.now(name, wanted, prepare)
    }

    /// Whether the time was used up in the middle of a piece of the script, which continues at the next
    /// ``poll(budget:)``, or when the main actor is free. From any thread; false for all other engines.
    public var isPaused: Bool { link.isPaused }
}

extension ScriptFunction {
    /// Calls the function now, on the calling thread, and returns its first result; see
    /// ``ScriptEngine/callNow(_:_:as:)`` for the engines that allow it, and for errors.
    public func callNow<each Argument: Sendable, Value: Sendable>(
        _ arguments: repeat each Argument,
        as type: Value.Type = Void.self
    ) throws -> Value {
        let given = try scriptValues(of: repeat each arguments, for: "function")
        let converter = try valueConverter(type)
        let value = try link.now("callNow", Ask.Wanted(converter)) { try $0.pushCall(reference, given, $1) }
        return try decode(value, converter, "the result")
    }

    /// Calls the function now, and returns its first results.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the function.
    ///   - first: The type that the first one must have.
    ///   - others: Those of the others. A result that is missing is nil.
    public func callNow<each Argument: Sendable, First: Sendable, each Other: Sendable>(
        _ arguments: repeat each Argument,
        returning first: First.Type,
        _ others: repeat (each Other).Type
    ) throws -> (First, repeat each Other) {
        let given = try scriptValues(of: repeat each arguments, for: "function")
        let wanted = try Ask.Wanted(returning: first, repeat each others)
        var results = ResultCursor(
            try link.now("callNow", wanted) { try $0.pushCall(reference, given, $1) }
        )
        return try (results.next(first), repeat results.next(each others))
    }
}

extension ScriptLink {
    /// Runs the function that `prepare` pushes on the calling thread, and returns its results.
    func now(
        _ name: String,
        _ wanted: Ask.Wanted,
        _ prepare: @Sendable (ScriptRun, LuaState) throws -> Void
    ) throws -> ScriptValue {
        if EngineScope.isInside(self) {
            throw ScriptError(
                .misuse,
                "'\(name)' was called inside a closure that the same engine has called: return from the closure first"
            )
        }
        guard let runner else { throw ScriptError.engineIsGone }
        return try runner.perform(name) { runtime in
            try runtime.run.answerNow(name, wanted) { try prepare(runtime.run, $0) }
        }
    }
}
