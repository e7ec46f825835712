import OpScript
import Testing

@Suite struct JSONTests {
    private func read(_ text: String) throws -> ScriptValue {
        try ScriptValue(json: Array(text.utf8))
    }

    private func complaint(_ text: String) -> String {
        complaint(Array(text.utf8))
    }

    private func complaint(_ text: [UInt8]) -> String {
        do throws(ScriptError) {
            _ = try ScriptValue(json: text)
        } catch {
            return error.message
        }
        return "no error"
    }

    private func write(_ value: ScriptValue, pretty: Bool = false) throws -> String {
        String(decoding: try value.json(pretty: pretty), as: UTF8.self)
    }

    @Test func `integers and floats are distinct up to 64 bits`() throws {
        #expect(try read("-9223372036854775808") == .integer(.min))
        #expect(try read("9223372036854775807") == .integer(.max))
        #expect(try read("9223372036854775808") == .number(9223372036854775808))
        #expect(try read("-9223372036854775809") == .number(-9223372036854775808))
        #expect(try read("1.0") == .number(1))
        #expect(try read("1e2") == .number(100))
        #expect(try read("-0") == .integer(0))
        #expect(try read("5e-324") == .number(.leastNonzeroMagnitude))
    }

    @Test func `null and empty containers keep their kind`() throws {
        #expect(try read("null") == .null)
        #expect(try read(" [ ] ") == .array([]))
        #expect(try read("{\n}") == .table([:]))
        #expect(try write(.array([])) == "[]")
        #expect(try write(.table([:])) == "{}")
        #expect(try write(.array([.nil, .null])) == "[null,null]")
    }

    @Test func `escapes become characters`() throws {
        #expect(try read(#""\u00e9\n\/\ud83d\ude00\u0000""#) == .text("é\n/😀\0"))
        #expect(
            complaint(#""\ud83d""#)
                == "invalid JSON at line 1, column 2: half of a surrogate pair, which is not a character"
        )
        #expect(complaint(#""\ud83d\u0041""#).contains("surrogate"))
        #expect(complaint(#""\udc00""#).contains("surrogate"))
        #expect(complaint(#""\u12g4""#).hasSuffix(#"after \u, got 'g'"#))
        #expect(complaint(#""\x""#).hasSuffix("unknown escape; 'x' cannot follow a backslash"))
    }

    @Test func `of two fields with one name the last counts`() throws {
        #expect(try read(#"{"a":1,"a":2}"#) == .table(["a": .integer(2)]))
        let many = (0..<40).map { "\"k\($0 % 20)\":\($0)" }.joined(separator: ",")
        guard case .table(let table) = try read("{\(many)}") else { Issue.record("no table"); return }
        #expect(table.entries.count == 20)
        #expect(table["k7"] == .integer(27))
    }

    private static let faults: [(String, String)] = [
        ("", "line 1, column 1: a value expected, got the end of the text"),
        ("[1,\n  é]", "line 2, column 3: a value expected, got 'é'"),
        ("{\"é\":1 2}", "line 1, column 8: ',' or '}' expected, got '2'"),
        ("[1,]", "line 1, column 4: a value expected, got ']'"),
        ("{\"a\":1,}", "line 1, column 8: a name in quotes expected, got '}'"),
        ("{a:1}", "line 1, column 2: a name in quotes expected, got 'a'"),
        ("{\"a\"}", "line 1, column 5: ':' expected after a name, got '}'"),
        ("01", "line 1, column 1: a number must not begin with 0 and more digits"),
        ("-", "line 1, column 2: a digit expected, got the end of the text"),
        ("1.", "line 1, column 3: a digit expected, got the end of the text"),
        ("1e+", "line 1, column 4: a digit expected, got the end of the text"),
        ("+1", "line 1, column 1: a value expected, got '+'"),
        (".5", "line 1, column 1: a value expected, got '.'"),
        ("1e400", "line 1, column 1: this number is too large for a float of 64 bits"),
        ("NaN", "line 1, column 1: a value expected, got 'N'"),
        ("nul", "line 1, column 1: a value expected, got 'n'"),
        ("1 1", "line 1, column 3: the end of the text expected, got '1'"),
        ("\"a", "line 1, column 1: this string is never closed"),
        ("\"a\nb\"", "line 1, column 3: the control character 10 inside a string; write it as an escape"),
        ("[[1]", "line 1, column 1: this array is never closed"),
        ("// x", "line 1, column 1: a value expected, got '/'"),
        ("\u{FEFF}1", "line 1, column 1: a byte order mark; save the text without one"),
    ]

    @Test func `text that is not JSON is named with line and column`() {
        for (text, sentence) in Self.faults {
            #expect(complaint(text) == "invalid JSON at " + sentence)
        }
        #expect(complaint([0x22, 0x61, 0xFF, 0x22]) == "invalid JSON at line 1, column 3: not UTF-8")
        #expect(complaint([0x22, 0xED, 0xA0, 0x80, 0x22]) == "invalid JSON at line 1, column 2: not UTF-8")
    }

    @Test func `nesting ends at 512 in both directions`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        }
        let deepest = try read(nested(512))
        #expect(try write(deepest) == nested(512))
        #expect(complaint(nested(513)).hasSuffix("nested deeper than 512 levels"))
        #expect(
            complaint(String(repeating: "[", count: 1_000_000)).hasSuffix("nested deeper than 512 levels")
        )
        #expect(throws: ScriptError.self) { try ScriptValue.array([deepest]).json() }
    }

    @Test func `writing is the same each time and reads back`() throws {
        let value: ScriptValue = .table([
            "b": .array([.number(1), .number(0.1), .number(1e300), .integer(-5)]), "a": .text("\"\\\n\u{1}é"),
            "aa": .boolean(false),
        ])
        let text = #"{"a":"\"\\\n\u0001é","aa":false,"b":[1.0,0.1,1e+300,-5]}"#
        #expect(try write(value) == text)
        #expect(try read(text) == value)
        #expect(
            try write(.table(["a": .array([.integer(1), .table([:])]), "b": .null]), pretty: true) == """
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": null
                }
                """
        )
    }

    private static let unwritable: [(ScriptValue, String)] = [
        (.table(["a": .array([.integer(1), .number(.nan)])]), "field 'a[2]': JSON has no nan"),
        (.number(.infinity), "JSON has no inf"),
        (
            .table(["a": .table(ScriptTable([.init(key: .integer(2), value: .null)]))]),
            "field 'a': a key that is a number; keys in JSON are strings, and arrays have the keys 1…n"
        ),
        (.array([.string([0xFF])]), "field '[1]': a string that is not UTF-8"),
    ]

    @Test func `a value that JSON cannot hold is named with its place`() {
        for (value, sentence) in Self.unwritable {
            do throws(ScriptError) {
                _ = try value.json()
                Issue.record("\(value) was written")
            } catch {
                #expect(error.message == "cannot encode as JSON: " + sentence)
            }
        }
    }
}
