internal import LuaVM

/// A function of a script that Swift may keep, and call from anywhere.
///
/// A closure gets one by taking it as a parameter, a host by `engine.get("name", as: ScriptFunction.self)`. The
/// function runs where all Lua code of its engine runs, between other turns, and may wait. After the engine's end a
/// call throws. While Swift keeps a function, a wait in the script is not a deadlock: the function could still end it.
///
/// ```swift
/// engine.register("onTick") { (handler: ScriptFunction) in ticker.handler = handler }
/// try await handler("tick", 3)
/// let ok = try await handler("tock", as: Bool.self)
/// ```
public final class ScriptFunction: ScriptObject {
    /// `"function"`.
    public static let scriptTypeName = "function"
    /// None.
    public static let scriptPropertyNames: [String] = []

    let reference: LuaReference
    private let link: ScriptLink

    init(_ reference: LuaReference, _ link: ScriptLink) {
        self.reference = reference
        self.link = link
        link.hold()
    }

    deinit { link.letGo() }

    /// A function has no properties.
    public func scriptProperty(_ name: String) -> ScriptValue? { nil }

    /// Calls the function and returns its first result.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the function.
    ///   - type: The type that the result must have; `Void`, the default, for none.
    /// - Throws: ``ScriptError``: the error that the function raised; code `argument` if its result is of
    ///   another type; code `host` after the engine's end. Cancelling the task interrupts the waits inside.
    public func callAsFunction<each Argument: Sendable, Value: Sendable>(
        _ arguments: repeat each Argument,
        as type: Value.Type = Void.self
    ) async throws -> Value {
        var values: [ScriptValue] = []
        repeat values.append(try scriptValue(of: each arguments, values.count + 1, "function"))
        let given = values
        let converter = try valueConverter(type)
        let value = try await Ask.send(link, wanted: Ask.Wanted(converter)) { [reference] runtime, ask in
            runtime.run.beginAsk(ask) { state in
                reference.push(state)
                try runtime.run.pushArguments(given, of: "function", state)
            }
        }
        return try decode(value, converter, "the result")
    }
}
