internal import CLinux

/// An object that is not `Sendable`, for scripts whose Lua code runs on the thread that made this value.
///
/// Scripts see the object itself, with the members that ``ScriptEngine/exposeOnThread(_:as:_:)`` declares. The engine
/// has to run its scripts on that thread: ``ScriptEngine/Configuration/scriptExecutor`` is `.manual`, and the thread
/// polls.
/// Elsewhere, a use of a member raises an error with code `misuse`.
///
/// The last reference may be released where the engine is closed, so close it on the same thread if `deinit` matters.
public final class ThreadBound<Object: AnyObject>: @unchecked Sendable {
    // @unchecked because `object` is read only on the thread that made this value, which `use` checks.
    private let object: Object
    private let thread = linux_thread_id()

    /// Binds an object to the calling thread.
    public init(_ object: Object) { self.object = object }

    /// Calls a closure with the object.
    ///
    /// - Throws: The closure's error; ``ScriptError`` with code `misuse` on another thread.
    public func use<Result>(_ body: (Object) throws -> Result) throws -> Result {
        guard linux_thread_id() == thread else {
            throw ScriptError(
                .misuse,
                "an object was used on another thread than its own: its engine has to run there (scriptExecutor = "
                    + ".manual, polled by that thread)"
            )
        }
        return try body(object)
    }
}

/// Declares the members that scripts may use on objects of one thread; see ``ScriptEngine/exposeOnThread(_:as:_:)``.
///
/// It is ``ScriptTypeBuilder`` for a class that is not `Sendable`. The closures are called where Lua runs, and should
/// be short.
public struct ThreadTypeBuilder<Object: AnyObject> {
    var builder: ScriptTypeBuilder<ThreadBound<Object>>

    // MARK: Properties

    /// A property that scripts may read: `object.name`.
    public mutating func property<Value: Sendable>(
        _ name: String,
        get: @escaping @Sendable (Object) throws -> Value
    ) {
        builder.property(name) { bound in try bound.use(get) }
    }

    /// A property that scripts may read and set: `object.name = value`.
    public mutating func property<Value: Sendable>(
        _ name: String,
        get: @escaping @Sendable (Object) throws -> Value,
        set: @escaping @Sendable (Object, Value) throws -> Void
    ) {
        builder.property(
            name,
            get: { bound in try bound.use(get) },
            set: { bound, value in try bound.use { try set($0, value) } }
        )
    }

    // MARK: Methods

    /// A method: `object:name(…)`; the closure's first argument is the object.
    public mutating func method<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (Object, repeat each Argument) throws -> Result
    ) {
        builder.method(name) { (bound: ThreadBound<Object>, arguments: repeat each Argument) in
            try bound.use { try body($0, repeat each arguments) }
        }
    }

    // MARK: The type itself

    /// The initializer: `Type(…)` in a script. The new object belongs to the thread on which the script runs.
    public mutating func initializer<each Argument: Sendable>(
        _ body: @escaping @Sendable (repeat each Argument) throws -> Object
    ) {
        builder.initializer { (arguments: repeat each Argument) in
            ThreadBound(try body(repeat each arguments))
        }
    }

    /// A function of the type: `Type.name(…)` in a script.
    public mutating func function<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        builder.function(name, body)
    }
}

extension ScriptEngine {
    /// Lets scripts use objects of a class that is not `Sendable`, each on the thread to which it belongs, as
    /// ``expose(_:as:_:)`` does for others.
    ///
    /// ```swift
    /// final class World { var gravity = 9.81 }
    ///
    /// engine.exposeOnThread(World.self) { type in
    ///     type.property("gravity", get: { $0.gravity }, set: { $0.gravity = $1 })
    /// }
    /// let world = ThreadBound(World())
    /// try await engine.set("world", world)
    /// ```
    /// - Parameters:
    ///   - type: The class. Instances of subclasses have its members, and no others.
    ///   - name: Its name in scripts; default: its name in Swift.
    ///   - declare: Declares the members that scripts may use.
    public func exposeOnThread<Object: AnyObject>(
        _ type: Object.Type,
        as name: String? = nil,
        _ declare: (inout ThreadTypeBuilder<Object>) -> Void
    ) {
        expose(ThreadBound<Object>.self, as: name ?? String(describing: type)) { builder in
            var threadBuilder = ThreadTypeBuilder(builder: builder)
            declare(&threadBuilder)
            builder = threadBuilder.builder
        }
    }
}
