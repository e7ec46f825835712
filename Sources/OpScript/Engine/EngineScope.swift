/// The scope in which the closures of an engine run. It shows whether a request for that engine comes from
/// inside the engine.
///
/// A request from inside could wait for the very closure that makes it. Threads of the engine and its `async`
/// closures have the scope; a task that a closure makes inherits it, and a detached task does not.
final class EngineScope: Sendable {
    @TaskLocal private static var current: EngineScope?

    private let link: ScriptLink
    /// The scope around this one: an engine may run inside a closure of another one.
    private let outer: EngineScope?

    private init(_ link: ScriptLink) {
        self.link = link
        outer = Self.current
    }

    /// Runs a body in the scope of an engine.
    static func run<Value>(in link: ScriptLink, _ body: () throws -> Value) rethrows -> Value {
        try $current.withValue(EngineScope(link)) { try body() }
    }

    /// The same for a body that is `async`.
    static func run<Value: Sendable>(
        in link: ScriptLink,
        _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(EngineScope(link)) { try await body() }
    }

    /// Whether the code that runs was called by an engine.
    static func isInside(_ link: ScriptLink) -> Bool {
        var next = current
        while let scope = next {
            if scope.link === link { return true }
            next = scope.outer
        }
        return false
    }

    /// Refuses a request for the engine if it comes from inside one of the engine's own closures.
    static func refuseRequest(_ function: String, for link: ScriptLink) throws(ScriptError) {
        guard isInside(link) else { return }
        throw ScriptError(
            .misuse,
            "'\(function)' was called inside a closure that the same engine has called, and could wait for it "
                + "for ever: return from the closure first, use a ScriptFunction that the script passes, or "
                + "use another engine"
        )
    }
}
