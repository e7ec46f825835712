/// Makes values of `Codable` types from a script's values: structs and enums from tables, arrays from arrays.
///
/// A field that the type never requested is an error, so that a misspelt option does not go unnoticed. A type
/// that is also ``ScriptConvertible`` is made by that conformance.
public struct ScriptValueDecoder: Sendable {
    /// Makes a decoder.
    public init() {}

    /// Makes a value.
    ///
    /// - Throws: ``ScriptConversionError`` with the path to the value that does not fit, even if the type
    ///   itself throws.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self,
        from value: ScriptValue
    ) throws(ScriptConversionError) -> T {
        do {
            return try ValueDecoder(value: value, codingPath: []).decode(type)
        } catch let error as ScriptConversionError {
            throw error
        } catch {
            throw Self.conversionError(of: error, decoding: type, value: value)
        }
    }

    /// The name of values of a `Codable` type in scripts.
    static func typeName(of type: Any.Type) -> String {
        switch type {
        case let type as any ScriptConvertible.Type: type.scriptTypeName
        case let type as any RawRepresentable.Type: rawTypeName(of: type)
        default: "table"
        }
    }

    private static func rawTypeName<T: RawRepresentable>(of type: T.Type) -> String {
        typeName(of: T.RawValue.self)
    }

    /// Describes the error that a type's own `init(from:)` threw.
    fileprivate static func conversionError(
        of error: any Error,
        decoding type: Any.Type,
        value: ScriptValue
    ) -> ScriptConversionError {
        switch error {
        case let error as ScriptConversionError:
            return error
        case DecodingError.dataCorrupted(let context):
            if let names = rawValueNames(of: type) {
                return ScriptConversionError(expected: names, got: describe(value))
            }
            if type is any RawRepresentable.Type {
                return ScriptConversionError(expected: "valid \(type)", got: describe(value))
            }
            return ScriptConversionError(expected: "valid \(type)", got: context.debugDescription)
        case DecodingError.typeMismatch(let wanted, _), DecodingError.valueNotFound(let wanted, _):
            return ScriptConversionError(expected: typeName(of: wanted), value: value)
        case DecodingError.keyNotFound(let key, _):
            return ScriptConversionError(expected: "value", got: "nil", path: key.stringValue)
        default:
            return ScriptConversionError(expected: "valid \(type)", got: "\(error)")
        }
    }

    /// `one of 'red', 'green'` for an enum that lists its cases.
    private static func rawValueNames(of type: Any.Type) -> String? {
        func names<T: CaseIterable>(_ type: T.Type) -> [String]? {
            let values = type.allCases.compactMap { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } }
            return values.isEmpty ? nil : values
        }
        guard let type = type as? any CaseIterable.Type, let all = names(type) else { return nil }
        return "one of " + all.map { "'\($0)'" }.joined(separator: ", ")
    }

    private static func describe(_ value: ScriptValue) -> String {
        switch value {
        case .string(let bytes) where bytes.count > 80:
            "'\(String(decoding: bytes.prefix(80), as: UTF8.self))…'"
        case .string(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        default: value.typeName
        }
    }
}

/// One level of decoding: a value and the path to it.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: ScriptValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// Set for a table: notes which fields the type requests.
    let fields: FieldTable?

    init(value: ScriptValue, codingPath: [any CodingKey]) {
        self.value = value
        self.codingPath = codingPath
        self.fields = FieldTable(value)
    }

    /// Decodes the value of this level, and refuses fields that were never requested.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let convertible = type as? any ScriptConvertible.Type {
            return try convert(convertible)
        }
        let result: T
        do {
            result = try T(from: self)
        } catch let error as ScriptConversionError {
            throw error
        } catch {
            let words = ScriptValueDecoder.conversionError(of: error, decoding: type, value: value)
            throw words.inside(codingPath)
        }
        if let unknown = fields?.firstUnasked {
            throw ScriptConversionError(
                expected: "",
                got: "unknown option '\(unknown)'"
                    + suggestion(forOption: unknown, among: fields?.asked ?? [])
            ).inside(codingPath)
        }
        return result
    }

    private func convert<T>(_ convertible: any ScriptConvertible.Type) throws -> T {
        do throws(ScriptConversionError) {
            if let result = try convertible.init(scriptValue: value) as? T { return result }
        } catch {
            throw error.inside(codingPath)
        }
        throw ScriptConversionError(expected: "\(T.self)", value: value).inside(codingPath)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let fields else {
            throw ScriptConversionError(expected: "table", value: value).inside(codingPath)
        }
        return KeyedDecodingContainer(FieldContainer(fields: fields, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        do throws(ScriptConversionError) {
            fields?.asksForAll()
            return ElementContainer(elements: try value.elements(expected: "array"), codingPath: codingPath)
        } catch {
            throw error.inside(codingPath)
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        fields?.asksForAll()
        return self
    }

    func decodeNil() -> Bool { value.isNothing }
}

/// The fields of a table, and which of them were requested.
private final class FieldTable {
    private let values: [String: ScriptValue]
    private(set) var asked: Set<String> = []
    private var isAskedForAll = false

    /// Nil for a value that is not a table.
    init?(_ value: ScriptValue) {
        switch value {
        case .table(let table):
            var values: [String: ScriptValue] = [:]
            for entry in table.entries {
                switch entry.key {
                case .string(let bytes): values[String(decoding: bytes, as: UTF8.self)] = entry.value
                case .integer(let index): values["\(index)"] = entry.value
                case .number(let number): values["\(number)"] = entry.value
                case .boolean(let flag): values["\(flag)"] = entry.value
                default: continue
                }
            }
            self.values = values
        case .array(let elements):
            var values: [String: ScriptValue] = [:]
            for (offset, element) in elements.enumerated() { values["\(offset + 1)"] = element }
            self.values = values
        default:
            return nil
        }
    }

    func asksForAll() { isAskedForAll = true }

    var names: [String] {
        isAskedForAll = true
        return values.keys.sorted()
    }

    subscript(name: String) -> ScriptValue {
        asked.insert(name)
        return values[name] ?? .nil
    }

    var firstUnasked: String? {
        isAskedForAll || values.count <= asked.count && values.keys.allSatisfy(asked.contains)
            ? nil : values.keys.filter { !asked.contains($0) }.min()
    }
}

private struct FieldContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: FieldTable
    let codingPath: [any CodingKey]

    var allKeys: [Key] {
        fields.names.compactMap { name in Key(stringValue: name) ?? Int(name).flatMap(Key.init(intValue:)) }
    }

    func contains(_ key: Key) -> Bool {
        if case .nil = fields[key.stringValue] { return false }
        return true
    }

    private func decoder(_ key: any CodingKey) -> ValueDecoder {
        ValueDecoder(value: fields[key.stringValue], codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) -> Bool { fields[key.stringValue].isNothing }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder(PathKey(stringValue: "super")) }

    func superDecoder(forKey key: Key) -> any Decoder { decoder(key) }
}

private struct ElementContainer: UnkeyedDecodingContainer {
    let elements: [ScriptValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [ScriptValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Moves past the next element and returns its decoder.
    private mutating func next() throws -> ValueDecoder {
        let path = codingPath + [PathKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw ScriptConversionError(expected: "value", got: "the end of the array").inside(path)
        }
        defer { currentIndex += 1 }
        return ValueDecoder(value: elements[currentIndex], codingPath: path)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNothing else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next().decode(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try next() }
}

/// A place on a coding path: a field's name, or an index that counts from 0.
private struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

extension ScriptConversionError {
    /// The same error seen from the outermost table of a coding path.
    fileprivate func inside(_ codingPath: [any CodingKey]) -> ScriptConversionError {
        codingPath.reversed().reduce(self) { error, key in
            if key is PathKey, let index = key.intValue { return error.inside(index: index + 1) }
            return error.inside(field: key.stringValue)
        }
    }
}

extension ScriptValue {
    fileprivate var isNothing: Bool {
        switch self {
        case .nil, .null: true
        default: false
        }
    }
}
