import Testing

@testable import OpScript

/// Script values as bytes.
@Suite struct ValueBytesTests {
    private static let values: [ScriptValue] = [
        .nil, .null, .boolean(true), .boolean(false), .integer(-5), .integer(.max), .number(0.1),
        .number(-0.0),
        .string([0, 255, 10]), .text(String(repeating: "x", count: 300)), .array([]),
        .array([.nil, .integer(1)]),
        .table(["b": .array([.text("c")]), "a": .table([:])]),
    ]

    @Test func `all values can be read again`() throws {
        let bytes = try #require(ValueBytes.encode(Self.values))
        #expect(ValueBytes.decode(bytes) == Self.values)
    }

    @Test func `equal tables have equal bytes, in any order of their entries`() {
        let one: ScriptTable = ["a": .integer(1), "b": .integer(2)]
        let other: ScriptTable = ["b": .integer(2), "a": .integer(1)]
        #expect(ValueBytes.encode([.table(one)]) == ValueBytes.encode([.table(other)]))
    }

    @Test func `integers and floats differ`() {
        #expect(ValueBytes.encode([.integer(1)]) != ValueBytes.encode([.number(1)]))
    }

    @Test func `objects of the host have no bytes`() {
        #expect(ValueBytes.encode([.array([.object(ResultBox())])]) == nil)
    }

    @Test func `bytes that were cut or changed are refused or read as values, and never crash`() throws {
        let bytes = try #require(ValueBytes.encode(Self.values))
        for length in 0..<bytes.count { _ = ValueBytes.decode(Array(bytes[..<length])) }
        for place in 0..<bytes.count {
            for byte in [UInt8(0), 7, 8, 127, 255] {
                var changed = bytes
                changed[place] = byte
                _ = ValueBytes.decode(changed)
            }
        }
        #expect(ValueBytes.decode([7, 255, 255, 255, 255, 15]) == nil)
        #expect(ValueBytes.decode([UInt8](repeating: 7, count: 10_000)) == nil)
    }
}
