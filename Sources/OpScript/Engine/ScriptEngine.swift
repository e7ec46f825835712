/// A Lua state with a scheduler behind it: what a host embeds.
public final class ScriptEngine: Sendable {
    /// Makes an engine.
    public init() {}
}

extension ScriptEngine {
    /// Makes a Swift closure callable by scripts as `work.NAME(…)`; it runs on a worker thread.
    ///
    /// A parameter of type ``WorkContext`` takes none of the script's arguments. Every other parameter and the result
    /// are ``ScriptConvertible``, a ``ScriptObject``, `Codable` or a ``ScriptValue``; a parameter of an optional type may be left out.
    public func register<each Argument, Result>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
    }

    /// The same for a closure that is `async`: it holds no thread.
    public func register<each Argument, Result>(
        _ name: String,
        _ summary: String = "",
        parameters: [String] = [],
        _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
    ) {
    }
}
