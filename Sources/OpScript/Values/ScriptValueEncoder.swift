/// Makes a script's values from values of `Codable` types: tables from structs and enums, arrays from arrays.
///
/// Integers stay integers and floats stay floats. A field that is nil is left out. A type that is also
/// ``ScriptConvertible`` is converted by that conformance, so bytes become a string.
public struct ScriptValueEncoder: Sendable {
    /// Makes an encoder.
    public init() {}

    /// Makes a script's value.
    ///
    /// - Throws: the error of the type's own `encode(to:)`.
    public func encode<T: Encodable>(_ value: T) throws -> ScriptValue {
        try ValueEncoder.encode(value, codingPath: [])
    }
}

/// The data that one level of encoding has collected.
private final class EncodingNode {
    enum Content {
        case nothing
        case value(ScriptValue)
        case elements([EncodingNode])
        case fields([(name: String, node: EncodingNode)])
    }

    var content: Content

    init(_ content: Content = .nothing) {
        self.content = content
    }

    /// The collected value; a type that encoded nothing at all is an empty table.
    var value: ScriptValue {
        switch content {
        case .nothing:
            return .table(ScriptTable())
        case .value(let value):
            return value
        case .elements(let nodes):
            return .array(nodes.map(\.value))
        case .fields(let fields):
            var entries: [ScriptTable.Entry] = []
            entries.reserveCapacity(fields.count)
            for (name, node) in fields {
                let value = node.value
                if case .nil = value { continue }
                entries.append(ScriptTable.Entry(key: .text(name), value: value))
            }
            return .table(ScriptTable(entries))
        }
    }

    func append(_ node: EncodingNode) {
        guard case .elements(var nodes) = content else {
            content = .elements([node])
            return
        }
        content = .nothing  // Keeps the array uniquely referenced while it grows.
        nodes.append(node)
        content = .elements(nodes)
    }

    func set(_ name: String, _ node: EncodingNode) {
        guard case .fields(var fields) = content else {
            content = .fields([(name, node)])
            return
        }
        content = .nothing
        if let index = fields.firstIndex(where: { $0.name == name }) {
            fields[index].node = node
        } else {
            fields.append((name, node))
        }
        content = .fields(fields)
    }
}

private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let node: EncodingNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func encode<T: Encodable>(_ value: T, codingPath: [any CodingKey]) throws -> ScriptValue {
        if let value = value as? any ScriptConvertible { return value.scriptValue }
        let node = EncodingNode()
        try value.encode(to: ValueEncoder(node: node, codingPath: codingPath))
        return node.value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = node.content { node.content = .fields([]) }
        return KeyedEncodingContainer(FieldWriter<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = node.content { node.content = .elements([]) }
        return ElementWriter(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { node.content = .value(.nil) }

    func encode<T: Encodable>(_ value: T) throws {
        node.content = .value(try Self.encode(value, codingPath: codingPath))
    }
}

private struct FieldWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    let codingPath: [any CodingKey]

    private func child(_ key: any CodingKey) -> ValueEncoder {
        let child = EncodingNode()
        node.set(key.stringValue, child)
        return ValueEncoder(node: child, codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) {
        node.set(key.stringValue, EncodingNode(.value(.nil)))
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let value = try ValueEncoder.encode(value, codingPath: codingPath + [key])
        node.set(key.stringValue, EncodingNode(.value(value)))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { child(SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}

private struct ElementWriter: UnkeyedEncodingContainer {
    let node: EncodingNode
    let codingPath: [any CodingKey]

    var count: Int {
        if case .elements(let nodes) = node.content { return nodes.count }
        return 0
    }

    private func child() -> ValueEncoder {
        let child = EncodingNode()
        node.append(child)
        return ValueEncoder(node: child, codingPath: codingPath)
    }

    func encodeNil() { node.append(EncodingNode(.value(.nil))) }

    func encode<T: Encodable>(_ value: T) throws {
        node.append(EncodingNode(.value(try ValueEncoder.encode(value, codingPath: codingPath))))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }

    func superEncoder() -> any Encoder { child() }
}

private struct SuperKey: CodingKey {
    let stringValue = "super"
    let intValue: Int? = nil

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
