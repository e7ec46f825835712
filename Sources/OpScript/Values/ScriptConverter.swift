/// Converts values of one Swift type between scripts and closures; chosen once, when a closure is registered.
public struct ScriptConverter<Value>: Sendable {
    /// The name of such a value in scripts: `"integer"`, `"table"`.
    public let typeName: String
    /// Whether the argument may be left out.
    public let isOptional: Bool
    /// Creates a value from a script's value.
    public let decode: @Sendable (ScriptValue) throws(ScriptConversionError) -> Value
    /// Creates the value that a script receives.
    public let encode: @Sendable (Value) throws -> ScriptValue
    /// Whether functions and operations of a script cross as handles. Otherwise functions do not cross, and
    /// operations cross by their results.
    var takesHandles = false

    /// Makes a converter from its parts.
    public init(
        typeName: String,
        isOptional: Bool = false,
        decode: @escaping @Sendable (ScriptValue) throws(ScriptConversionError) -> Value,
        encode: @escaping @Sendable (Value) throws -> ScriptValue
    ) {
        self.typeName = typeName
        self.isOptional = isOptional
        self.decode = decode
        self.encode = encode
    }

    /// The converter for a type that is `ScriptConvertible`, a class of ``ScriptObject``, `Void` or `Codable`, or an
    /// optional, an array or a dictionary with string keys of such types; nil for any other type.
    ///
    /// The casts happen once here, not for each value: the returned converter calls the conformances directly.
    public static func make(for type: Value.Type = Value.self) -> ScriptConverter<Value>? {
        let converter: Any?
        if Value.self == Void.self {
            converter = ScriptConverter<Void>(typeName: "nil", decode: { _ in }, encode: { _ in .nil })
        } else if Value.self == ScriptData.self {
            converter = ScriptConverter<ScriptData>.sharing
        } else if let scalar = scalar(Value.self) {
            converter = scalar
        } else if let type = Value.self as? any ScriptContainer.Type, let container = type.makeConverter() {
            converter = container
        } else if let type = Value.self as? any ScriptConvertible.Type {
            converter = convertible(type)
        } else if let type = Value.self as? any ScriptObject.Type {
            converter = object(type)
        } else if let type = Value.self as? any Codable.Type {
            converter = codable(type)
        } else if Value.self is AnyClass {
            converter = ScriptConverter<Value>.exposed(orElse: nil)
        } else {
            converter = nil
        }
        // A `Codable` class crosses as a table, unless the script passes an exposed instance.
        if Value.self is AnyClass, Value.self is any Codable.Type,
            let table = converter as? ScriptConverter<Value>
        {
            return .exposed(orElse: table)
        }
        return converter as? ScriptConverter<Value>
    }

    /// The converter for a type that is `Decodable` alone: its values come from scripts, and never go there.
    static func decoding() -> ScriptConverter<Value>? {
        (Value.self as? any Decodable.Type).flatMap { decodable($0) as? ScriptConverter<Value> }
    }

    /// The converter for a class that the host may expose; instances cross by reference.
    private static func exposed(orElse table: ScriptConverter<Value>?) -> ScriptConverter<Value> {
        let name = String(describing: Value.self)
        return ScriptConverter<Value>(
            typeName: name,
            decode: { value throws(ScriptConversionError) in
                if case .object(let object) = value,
                    let instance = (object as? ExposedObject)?.instance as? Value
                {
                    return instance
                }
                if let table { return try table.decode(value) }
                throw ScriptConversionError(expected: name, value: value)
            },
            encode: { value in
                if let table { return try table.encode(value) }
                return .object(ExposedObject(value as AnyObject))
            }
        )
    }
}

extension ScriptConverter<ScriptData> {
    /// Passes a `Data` on as the same object.
    fileprivate static var sharing: ScriptConverter<ScriptData> {
        ScriptConverter(
            typeName: ScriptData.scriptTypeName,
            decode: { value throws(ScriptConversionError) in
                if case .data(let data) = value { return data }
                return try ScriptData(scriptValue: value)
            },
            encode: { .data($0) }
        )
    }
}

// These return `Any` because they are called with types that are known only at run time.

/// The converters of the most frequent types: finding a conformance by name searches all conformances of the
/// program.
private func scalar(_ type: Any.Type) -> Any? {
    if type == Bool.self { return convertible(Bool.self) }
    if type == Int.self { return convertible(Int.self) }
    if type == Double.self { return convertible(Double.self) }
    if type == String.self { return convertible(String.self) }
    return nil
}

private func convertible<T: ScriptConvertible>(_ type: T.Type) -> Any {
    ScriptConverter<T>(
        typeName: T.scriptTypeName,
        decode: { value throws(ScriptConversionError) in try T(scriptValue: value) },
        encode: { $0.scriptValue }
    )
}

private func object<T: ScriptObject>(_ type: T.Type) -> Any {
    var converter = ScriptConverter<T>(
        typeName: T.scriptTypeName,
        decode: { value throws(ScriptConversionError) in
            guard case .object(let object) = value, let instance = object as? T else {
                throw ScriptConversionError(expected: T.scriptTypeName, value: value)
            }
            return instance
        },
        encode: { .object($0) }
    )
    converter.takesHandles = type == ScriptFunction.self || type == ScriptOperation.self
    return converter
}

private func codable<T: Codable>(_ type: T.Type) -> Any {
    let coder = Coder<T>()
    return ScriptConverter<T>(
        typeName: ScriptValueDecoder.typeName(of: T.self),
        decode: coder.decode,
        encode: coder.encode
    )
}

private func decodable<T: Decodable>(_ type: T.Type) -> Any {
    let decoder = Decoder<T>()
    return ScriptConverter<T>(
        typeName: ScriptValueDecoder.typeName(of: T.self),
        decode: decoder.decode,
        encode: decoder.refuse
    )
}

/// Names a `Decodable` type in closures that go to other threads.
// @unchecked as ``Coder`` is.
private struct Decoder<T: Decodable>: @unchecked Sendable {
    @Sendable func refuse(_ value: T) throws -> ScriptValue {
        throw ScriptConversionError(expected: "Encodable type", got: "\(T.self)")
    }

    @Sendable func decode(_ value: ScriptValue) throws(ScriptConversionError) -> T {
        try ScriptValueDecoder().decode(T.self, from: value)
    }
}

/// Names a `Codable` type in closures that go to other threads.
// @unchecked because it has no state. Only a conformance that is isolated to an actor could be misused, and the cast
// that finds a conformance fails for such a one outside its actor.
private struct Coder<T: Codable>: @unchecked Sendable {
    @Sendable func decode(_ value: ScriptValue) throws(ScriptConversionError) -> T {
        try ScriptValueDecoder().decode(T.self, from: value)
    }

    @Sendable func encode(_ value: T) throws -> ScriptValue {
        try ScriptValueEncoder().encode(value)
    }
}

/// A generic type whose converter is built from that of its elements, which may be objects and `Codable`
/// types.
private protocol ScriptContainer {
    /// A `ScriptConverter<Self>`, or nil if the elements have no converter or the type converts itself.
    static func makeConverter() -> Any?
}

extension Optional: ScriptContainer {
    fileprivate static func makeConverter() -> Any? {
        guard let wrapped = ScriptConverter<Wrapped>.make() else { return nil }
        var converter = ScriptConverter<Wrapped?>(
            typeName: wrapped.typeName,
            isOptional: true,
            decode: { value throws(ScriptConversionError) in
                switch value {
                case .nil, .null: nil
                default: try wrapped.decode(value)
                }
            },
            encode: { try $0.map(wrapped.encode) ?? .nil }
        )
        converter.takesHandles = wrapped.takesHandles
        return converter
    }
}

extension Array: ScriptContainer {
    fileprivate static func makeConverter() -> Any? {
        guard !(Element.self is any ScriptConvertible.Type), let element = ScriptConverter<Element>.make()
        else { return nil }
        let typeName = "array of \(element.typeName)"
        var converter = ScriptConverter<[Element]>(
            typeName: typeName,
            decode: { value throws(ScriptConversionError) in
                var result: [Element] = []
                for (offset, value) in try value.elements(expected: typeName).enumerated() {
                    do throws(ScriptConversionError) {
                        result.append(try element.decode(value))
                    } catch {
                        throw error.inside(index: offset + 1)
                    }
                }
                return result
            },
            encode: { .array(try $0.map(element.encode)) }
        )
        converter.takesHandles = element.takesHandles
        return converter
    }
}

extension Dictionary: ScriptContainer {
    fileprivate static func makeConverter() -> Any? {
        guard Key.self == String.self, !(Value.self is any ScriptConvertible.Type),
            let element = ScriptConverter<Value>.make()
        else { return nil }
        let typeName = "table of \(element.typeName)"
        var converter = ScriptConverter<[String: Value]>(
            typeName: typeName,
            decode: { value throws(ScriptConversionError) in
                var result: [String: Value] = [:]
                for (name, value) in try value.namedFields(expected: typeName) {
                    do throws(ScriptConversionError) {
                        result[name] = try element.decode(value)
                    } catch {
                        throw error.inside(field: name)
                    }
                }
                return result
            },
            encode: { values in
                let entries = try values.map { name, value in
                    ScriptTable.Entry(key: .text(name), value: try element.encode(value))
                }
                return .table(ScriptTable(entries))
            }
        )
        converter.takesHandles = element.takesHandles
        return converter
    }
}
