/// Declares the members that scripts may use on the instances of a class of the main actor; see
/// ``ScriptEngine/exposeOnMainActor(_:as:_:)``.
///
/// It is ``ScriptTypeBuilder`` with closures that belong to the main actor. They are called where Lua runs, and should
/// be short.
public struct MainActorTypeBuilder<Object: AnyObject & Sendable> {
    var builder: ScriptTypeBuilder<Object>

    // MARK: Properties

    /// A property that scripts may read: `object.name`.
    public mutating func property<Value: Sendable>(
        _ name: String,
        get: @escaping @MainActor (Object) throws -> Value
    ) {
        builder.property(name) { object in try onMainActor { try get(object) } }
    }

    /// A property that scripts may read and set: `object.name = value`.
    public mutating func property<Value: Sendable>(
        _ name: String,
        get: @escaping @MainActor (Object) throws -> Value,
        set: @escaping @MainActor (Object, Value) throws -> Void
    ) {
        builder.property(
            name,
            get: { object in try onMainActor { try get(object) } },
            set: { object, value in try onMainActor { try set(object, value) } }
        )
    }

    // MARK: Methods

    /// A method: `object:name(…)`; the closure's first argument is the object.
    public mutating func method<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @MainActor (Object, repeat each Argument) throws -> Result
    ) {
        builder.method(name) { (object: Object, arguments: repeat each Argument) in
            try onMainActor { try body(object, repeat each arguments) }
        }
    }

    /// The same for an `async` closure: its caller in Lua waits for the result.
    public mutating func method<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @MainActor (Object, repeat each Argument) async throws -> Result
    ) {
        builder.method(name) { (object: Object, arguments: repeat each Argument) async throws -> Result in
            try await body(object, repeat each arguments)
        }
    }

    // MARK: The type itself

    /// The initializer: `Type(…)` in a script.
    public mutating func initializer<each Argument: Sendable>(
        _ body: @escaping @MainActor (repeat each Argument) throws -> Object
    ) {
        builder.initializer { (arguments: repeat each Argument) in
            try onMainActor { try body(repeat each arguments) }
        }
    }

    /// A function of the type: `Type.name(…)` in a script.
    public mutating func function<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @MainActor (repeat each Argument) throws -> Result
    ) {
        builder.function(name) { (arguments: repeat each Argument) in
            try onMainActor { try body(repeat each arguments) }
        }
    }

    /// Implements an operator, as ``ScriptTypeBuilder/implement(_:_:)`` does.
    public mutating func implement<each Operand: Sendable, Result: Sendable>(
        _ symbol: ScriptOperator,
        _ body: @escaping @MainActor (repeat each Operand) throws -> Result
    ) {
        builder.implement(symbol) { (operands: repeat each Operand) in
            try onMainActor { try body(repeat each operands) }
        }
    }
}

extension ScriptEngine {
    /// Lets scripts use the instances of a class of the main actor, as ``expose(_:as:_:)`` does for others.
    ///
    /// The engine has to live on the main actor: ``Configuration/scriptExecutor`` is `.mainActor`, or `.manual` with a
    /// host that polls on the main thread. Elsewhere, a member that is not `async` raises an error with code `misuse`.
    ///
    /// ```swift
    /// @MainActor final class Window { var title = "" }
    ///
    /// var configuration = ScriptEngine.Configuration()
    /// configuration.scriptExecutor = .mainActor
    /// let engine = ScriptEngine(configuration)
    /// engine.exposeOnMainActor(Window.self) { type in
    ///     type.initializer { Window() }
    ///     type.property("title", get: { $0.title }, set: { $0.title = $1 })
    /// }
    /// ```
    /// - Parameters:
    ///   - type: The class; instances of subclasses have its members too, unless they are exposed themselves.
    ///   - name: Its name in scripts; default: its name in Swift.
    ///   - declare: Declares the members that scripts may use.
    public func exposeOnMainActor<Object: AnyObject & Sendable>(
        _ type: Object.Type,
        as name: String? = nil,
        _ declare: (inout MainActorTypeBuilder<Object>) -> Void
    ) {
        expose(type, as: name) { builder in
            var mainActorBuilder = MainActorTypeBuilder(builder: builder)
            declare(&mainActorBuilder)
            builder = mainActorBuilder.builder
        }
    }
}

/// Calls a closure of the main actor.
///
/// - Throws: Its error; code `misuse` if Lua runs elsewhere.
private func onMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) throws -> Result {
    guard MainActorScope.isInside else {
        throw ScriptError(
            .misuse,
            "an object of the main actor was used elsewhere: its engine has to live there (scriptExecutor = "
                + ".mainActor)"
        )
    }
    return try MainActor.assumeIsolated(body)
}
