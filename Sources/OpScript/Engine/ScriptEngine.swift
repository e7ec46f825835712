/// A Lua state with a scheduler behind it: what a host embeds.
public final class ScriptEngine: Sendable {
    /// Makes an engine.
    public init(_ configuration: Configuration = Configuration()) {}

    /// Runs a script from a file and waits for its end.
    public func run(file: String, arguments: [String] = []) async throws -> ScriptReport {
        ScriptReport()
    }

    /// Runs source text and waits for its end; `name` is what error messages call it.
    public func run(_ source: [UInt8], named name: String, arguments: [String] = []) async throws -> ScriptReport {
        ScriptReport()
    }

    /// Runs a script to its end; an error that ended it stands in the report. For commands.
    package func report(
        source: [UInt8],
        named name: String,
        script: String?,
        interpreter: [String],
        arguments: [String]
    ) async -> ScriptReport {
        ScriptReport()
    }

    /// Cancels what runs and lets completion blocks run, as the first Ctrl-C does. From any thread.
    public func cancel() {}

    /// How far the run has come. From any thread.
    public var status: ScriptStatus { ScriptStatus() }
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
