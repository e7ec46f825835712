#if HTTP
internal import OpScript

/// The option `form`: fields as a browser sends them, `name=value&other=a+b`, sorted by name.
struct FormText: ScriptConvertible, Equatable {
    let text: String

    static var scriptTypeName: String { "table of names and values" }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        var parts: [String] = []
        for (name, value) in try [String: ScriptValue](scriptValue: scriptValue).sorted(by: {
            $0.key < $1.key
        }) {
            // A list stands for several fields of one name.
            var values = [value]
            if case .array(let list) = value { values = list }
            for value in values {
                do throws(ScriptConversionError) {
                    parts.append(Self.encoded(Array(name.utf8)) + "=" + Self.encoded(try Self.bytes(value)))
                } catch {
                    throw error.inside(field: name)
                }
            }
        }
        text = parts.joined(separator: "&")
    }

    var scriptValue: ScriptValue { .text(text) }

    private static func bytes(_ value: ScriptValue) throws(ScriptConversionError) -> [UInt8] {
        switch value {
        case .string(let bytes): return bytes
        case .integer(let number): return Array("\(number)".utf8)
        case .number(let number): return Array("\(number)".utf8)
        case .boolean(let isTrue): return Array("\(isTrue)".utf8)
        default: throw ScriptConversionError(expected: "string, number or boolean", value: value)
        }
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var text = ""
        let digits = Array("0123456789ABCDEF")
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "*"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): text += "+"
            default:
                text += "%"
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
        return text
    }
}
#endif
