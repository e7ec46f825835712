#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension ScriptValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as Lua's `print` shows it; a table as the text that makes it: `{ 1, "two", three = 3 }`.
    ///
    /// Bytes that are not UTF-8 are shown as replacement characters.
    public var description: String {
        if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { literal }
    }

    /// The same, with strings in quotation marks.
    public var debugDescription: String { literal }

    private var literal: String {
        switch self {
        case .nil: "nil"
        case .null: "json.null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number(let number): Self.text(of: number)
        case .string(let bytes): Self.quoted(bytes)
        case .array(let elements): Self.braced(elements.map(\.literal))
        case .table(let table): Self.braced(table.entries.map(\.literal))
        case .data(let data): "Data (\(data.bytes.count) bytes)"
        case .object: typeName
        }
    }

    /// As Lua prints a float.
    private static func text(of number: Double) -> String {
        if number.isNaN { return number.sign == .minus ? "-nan" : "nan" }
        if number.isInfinite { return number < 0 ? "-inf" : "inf" }
        var buffer = [CChar](repeating: 0, count: 40)
        let count = withVaList([number]) { vsnprintf(&buffer, buffer.count, "%.14g", $0) }
        let text = String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.allSatisfy { $0 == "-" || $0.isNumber } ? text + ".0" : text
    }

    private static func braced(_ parts: [String]) -> String {
        parts.isEmpty ? "{}" : "{ " + parts.joined(separator: ", ") + " }"
    }

    fileprivate static func quoted(_ bytes: [UInt8]) -> String {
        var result = "\""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ", "\u{7F}": result += "\\\(scalar.value)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension ScriptTable: CustomStringConvertible {
    /// The text that makes the table: `{ 1, "two", three = 3 }`.
    public var description: String { ScriptValue.table(self).description }
}

extension ScriptTable.Entry {
    fileprivate var literal: String {
        if case .string(let bytes) = key, Self.isName(bytes) {
            return "\(String(decoding: bytes, as: UTF8.self)) = \(value.debugDescription)"
        }
        return "[\(key.debugDescription)] = \(value.debugDescription)"
    }

    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
