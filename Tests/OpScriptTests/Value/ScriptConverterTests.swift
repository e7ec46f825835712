import OpScript
import Testing

private final class Picture: ScriptObject {
    static let scriptTypeName = "Picture"
    static let scriptPropertyNames: [String] = []
    func scriptProperty(_ name: String) -> ScriptValue? { nil }
}

private enum Color: String, Codable, CaseIterable { case red, green }
private enum Shade: String, Codable { case light, dark }

private struct Options: Codable, Equatable {
    var width: Int
    var scale = 1.0
    var color: Color?
    var names: [String]?
    var inner: [Inner]?

    struct Inner: Codable, Equatable { var depth: UInt8 }
}

private struct Unknown {}

@Suite struct ScriptConverterTests {
    private func decode<T>(_ type: T.Type, _ value: ScriptValue) throws -> T {
        let converter = try #require(ScriptConverter<T>.make())
        return try converter.decode(value)
    }

    private func complaint<T>(_ type: T.Type, _ value: ScriptValue) throws -> String {
        let converter = try #require(ScriptConverter<T>.make())
        do throws(ScriptConversionError) {
            _ = try converter.decode(value)
        } catch {
            return error.description
        }
        return "no error"
    }

    private func encode<T>(_ value: T) throws -> ScriptValue {
        try #require(ScriptConverter<T>.make()).encode(value)
    }

    @Test func `floats with integral values are integers and strings are not`() throws {
        #expect(try decode(Int.self, .number(3.0)) == 3)
        #expect(try complaint(Int.self, .number(3.5)) == "integer expected, got 3.5")
        #expect(try complaint(Int.self, .text("3")) == "integer expected, got string")
        #expect(try complaint(Int.self, .number(.nan)) == "integer expected, got nan")
        #expect(try complaint(Int8.self, .integer(300)) == "integer from -128 to 127 expected, got 300")
        #expect(try complaint(Int.self, .number(1e19)).hasSuffix("expected, got 1e+19"))
        #expect(try complaint(UInt.self, .integer(-1)).hasSuffix("expected, got -1"))
        #expect(try encode(UInt64.max) == .number(18446744073709551615.0))
        #expect(try encode(3.0) == .number(3.0))
        #expect(try decode(Double.self, .integer(3)) == 3.0)
    }

    @Test func `a string must be UTF-8 and bytes need not`() throws {
        #expect(try complaint(String.self, .string([0xFF])) == "valid UTF-8 expected, got other bytes")
        #expect(try decode([UInt8].self, .string([0xFF])) == [0xFF])
        #expect(try decode([UInt8].self, .data(ScriptData([1]))) == [1])
        #expect(try complaint([UInt8].self, .array([])) == "string or Data expected, got table")
        #expect(try encode([UInt8]("ab".utf8)) == .text("ab"))
    }

    @Test func `a Data stays the same object and a string becomes one`() throws {
        let data = ScriptData([1, 2])
        #expect(try decode(ScriptData.self, .data(data)) === data)
        #expect(try decode(ScriptData.self, .text("a")).bytes == [97])
    }

    @Test func `an optional may be left out`() throws {
        let converter = try #require(ScriptConverter<Int?>.make())
        #expect(converter.isOptional)
        #expect(converter.typeName == "integer")
        #expect(try converter.decode(.nil) == nil)
        #expect(try converter.decode(.null) == nil)
        #expect(try converter.encode(nil) == .nil)
        #expect(try #require(ScriptConverter<Int>.make()).isOptional == false)
    }

    @Test func `an error inside an array or a table names the place`() throws {
        #expect(
            try complaint([Int].self, .array([.integer(1), .text("x")]))
                == "field '[2]': integer expected, got string"
        )
        #expect(
            try complaint([String: [Int]].self, .table(["a": .array([.nil])]))
                == "field 'a[1]': integer expected, got nil"
        )
    }

    @Test func `a packed table keeps its nils and a false length is refused`() throws {
        let packed = ScriptTable([
            .init(key: .integer(3), value: .integer(9)), .init(key: .text("n"), value: .integer(4)),
        ])
        #expect(try decode([Int?].self, .table(packed)) == [nil, nil, 9, nil])
        #expect(try decode([Int].self, .table([:])) == [])
        #expect(
            try complaint([Int].self, .table(["n": .integer(1 << 40)]))
                == "array of integer expected, got a table with other keys than 1…n"
        )
        #expect(try decode([Int].self, .table(["n": .integer(0)])) == [])
    }

    @Test func `objects cross by identity also in arrays and optionals`() throws {
        let picture = Picture()
        #expect(try decode(Picture.self, .object(picture)) === picture)
        #expect(try decode(Picture?.self, .object(picture)) === picture)
        #expect(try decode([Picture].self, .array([.object(picture)])).first === picture)
        #expect(try complaint(Picture.self, .integer(1)) == "Picture expected, got number")
        #expect(try complaint(Shade.self, .text("blue")) == "valid Shade expected, got 'blue'")
        #expect(
            try complaint([Picture].self, .array([.integer(1)]))
                == "field '[1]': Picture expected, got number"
        )
        #expect(try encode([picture]) == .array([.object(picture)]))
    }

    @Test func `nothing is nil and unfit types have no converter`() throws {
        #expect(try encode(()) == .nil)
        #expect(ScriptConverter<Unknown>.make() == nil)
        #expect(ScriptConverter<[Unknown]>.make() == nil)
        #expect(ScriptConverter<Unknown?>.make() == nil)
        #expect(ScriptConverter<[Int: Unknown]>.make() == nil)
    }

    @Test func `a struct goes across as a table and comes back`() throws {
        let options = Options(width: 3, scale: 2, color: .green, names: ["a"], inner: [.init(depth: 4)])
        let value = try encode(options)
        let expected: ScriptTable = [
            "width": .integer(3), "scale": .number(2), "color": .text("green"), "names": .array([.text("a")]),
            "inner": .array([.table(["depth": .integer(4)])]),
        ]
        #expect(value == .table(expected))
        #expect(try decode(Options.self, value) == options)
        #expect(try encode(Options(width: 1)) == .table(["width": .integer(1), "scale": .number(1)]))
    }

    private static let misfits: [(ScriptTable, String)] = [
        (["width": .text("x")], "field 'width': integer expected, got string"),
        (["scale": .integer(1)], "field 'width': integer expected, got nil"),
        (
            ["width": .integer(1), "scale": .integer(1), "color": .text("blue")],
            "field 'color': one of 'red', 'green' expected, got 'blue'"
        ),
        (
            ["width": .integer(1), "scale": .integer(1), "inner": .array([.table(["depth": .integer(-1)])])],
            "field 'inner[1].depth': integer from 0 to 255 expected, got -1"
        ),
        (
            ["width": .integer(1), "scale": .integer(1), "colour": .text("red")],
            "unknown option 'colour' (did you mean 'color'?)"
        ),
    ]

    @Test func `a table that does not fit a struct says where`() throws {
        for (table, sentence) in Self.misfits {
            #expect(try complaint(Options.self, .table(table)) == sentence)
        }
    }

    @Test func `a struct is not a number`() throws {
        #expect(try complaint(Options.self, .integer(1)) == "table expected, got number")
    }
}
