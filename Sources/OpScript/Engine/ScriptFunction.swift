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
    let link: ScriptLink

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
        let given = try scriptValues(of: repeat each arguments, for: "function")
        let converter = try valueConverter(type)
        return try decode(await ask(Ask.Wanted(converter), given), converter, "the result")
    }

    /// Calls the function and returns its first results.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the function.
    ///   - first: The type that the first one must have.
    ///   - others: Those of the others. A result that is missing is nil.
    /// - Throws: ``ScriptError``, as ``callAsFunction(_:as:)``.
    public func callAsFunction<each Argument: Sendable, First: Sendable, each Other: Sendable>(
        _ arguments: repeat each Argument,
        returning first: First.Type,
        _ others: repeat (each Other).Type
    ) async throws -> (First, repeat each Other) {
        let given = try scriptValues(of: repeat each arguments, for: "function")
        let wanted = try Ask.Wanted(returning: first, repeat each others)
        var results = ResultCursor(try await ask(wanted, given))
        return try (results.next(first), repeat results.next(each others))
    }

    private func ask(_ wanted: Ask.Wanted, _ arguments: [ScriptValue]) async throws -> ScriptValue {
        try await Ask.send(link, wanted: wanted) { [reference] runtime, ask in
            runtime.run.beginAsk(ask) { try runtime.run.pushCall(reference, arguments, $0) }
        }
    }
}
