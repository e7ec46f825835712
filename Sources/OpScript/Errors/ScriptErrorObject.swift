internal import LuaVM

/// A value that a script raised with `error`, and that is not a text: in Lua's terms, an error object.
///
/// ```swift
/// do {
///     try await engine.run(code: "error({ status = 404 })")
/// } catch let error as ScriptError {
///     let object = error.underlying as? ScriptErrorObject
///     print(object?.value ?? .nil)
/// }
/// ```
public struct ScriptErrorObject: Error, Sendable, Equatable, CustomStringConvertible {
    /// A copy of the value. A table lacks the fields that cannot cross, such as functions.
    public let value: ScriptValue

    /// Makes an error object.
    public init(_ value: ScriptValue) { self.value = value }

    /// The value as a Swift type.
    ///
    /// - Throws: ``ScriptError`` with code `argument` if the value is of another type.
    public func decode<Value: Sendable>(_ type: Value.Type = Value.self) throws -> Value {
        let converter = try valueConverter(type)
        return try OpScript.decode(value, converter, "the error object")
    }

    /// The value; the type of one that has no text. A long table is cut.
    public var description: String {
        switch value {
        case .boolean(let flag): "error object \(flag)"
        case .integer(let number): "error object \(number)"
        case .number(let number): "error object \(number)"
        case .nil, .null, .array, .table: "error object \(value.summary())"
        case .string, .data, .object: "error object of type \(value.typeName)"
        }
    }
}

extension ScriptRuntime {
    /// A copy of the value at an index, which a script raised; nil if the value cannot cross at all. [-0, +0, -]
    func errorObject(_ state: LuaState, _ index: Int32) -> ScriptErrorObject? {
        let index = state.absolute(index)
        let top = state.top
        defer { state.setTop(top) }
        guard state.ensureSpace(10) else { return nil }
        var reader = ValueReader(self, state)
        if let value = try? reader.read(index) { return ScriptErrorObject(value) }
        state.setTop(top)
        return state.type(index) == .table ? ScriptErrorObject(fieldsThatCross(state, index)) : nil
    }

    private func fieldsThatCross(_ state: LuaState, _ index: Int32) -> ScriptValue {
        var fields = ScriptTable()
        state.pushNil()
        while state.nextUnchecked(index) {
            var reader = ValueReader(self, state)
            let top = state.top
            if let key = try? reader.read(top - 1), let value = try? reader.read(top) {
                switch key {
                case .string, .integer, .number, .boolean:
                    fields.entries.append(ScriptTable.Entry(key: key, value: value))
                default: break
                }
            }
            state.setTop(top - 1)
        }
        return .table(fields)
    }
}
