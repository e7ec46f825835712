#if HTTP
internal import OpScript
internal import SystemPackage

/// The option `form`: fields as a browser sends them, sorted by name.
///
/// Without files it is `name=value&other=a+b`; with files or data, each field is a part of a body of the type
/// `multipart/form-data` (RFC 7578).
struct WebForm: ScriptConvertible {
    /// The value of a field.
    enum Value: Equatable {
        case text([UInt8])
        /// Bytes with a name or a type of their own.
        case data([UInt8], name: String?, type: String?)
        case file(FilePath, name: String, type: String)
    }

    /// A piece of a body with parts.
    enum Piece: Equatable {
        case bytes([UInt8])
        case file(FilePath)
    }

    private(set) var fields: [(name: String, value: Value)] = []

    static var scriptTypeName: String { "table of names and values" }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        for (name, value) in try [String: ScriptValue](scriptValue: scriptValue).sorted(by: {
            $0.key < $1.key
        }) {
            // A list stands for several fields of one name.
            var values = [value]
            if case .array(let list) = value { values = list }
            if case .table(let table) = value, table.entries.isEmpty { values = [] }
            for value in values {
                do throws(ScriptConversionError) {
                    fields.append((name, try Self.value(value)))
                } catch {
                    throw error.inside(field: name)
                }
            }
        }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }

    private static func value(_ value: ScriptValue) throws(ScriptConversionError) -> Value {
        switch value {
        case .string(let bytes): return .text(bytes)
        case .integer(let number): return .text(Array("\(number)".utf8))
        case .number(let number): return .text(Array("\(number)".utf8))
        case .boolean(let isTrue): return .text(Array("\(isTrue)".utf8))
        case .data(let data): return .data(data.bytes, name: nil, type: nil)
        case .table: return try part(value)
        default:
            throw ScriptConversionError(
                expected: "string, number, boolean, Data or table with 'file' or 'data'",
                value: value
            )
        }
    }

    /// A table such as `{ file = "a.jpg", type = "image/jpeg" }`.
    private static func part(_ value: ScriptValue) throws(ScriptConversionError) -> Value {
        let options = try [String: ScriptValue](scriptValue: value)
        let names = ["data", "file", "name", "type"]
        for name in options.keys.sorted() where !names.contains(name) {
            throw ScriptConversionError(
                expected: "",
                got: "unknown field '\(name)'" + suggestion(for: name, among: names)
            )
        }
        let name = try text(options, "name")
        let type = try text(options, "type")
        switch (options["file"], options["data"]) {
        case (let path?, nil):
            let path = try inside("file") { () throws(ScriptConversionError) in
                try FilePath(scriptValue: path)
            }
            let last = path.lastComponent?.string ?? path.string
            return .file(path, name: name ?? last, type: type ?? "application/octet-stream")
        case (nil, let data?):
            let data = try inside("data") { () throws(ScriptConversionError) in
                try ScriptData(scriptValue: data)
            }
            return .data(data.bytes, name: name, type: type)
        default:
            throw ScriptConversionError(expected: "", got: "a table needs either 'file' or 'data'")
        }
    }

    private static func text(_ options: [String: ScriptValue], _ name: String) throws(ScriptConversionError)
        -> String?
    {
        guard let value = options[name] else { return nil }
        return try inside(name) { () throws(ScriptConversionError) in
            let text = try String(scriptValue: value)
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                throw ScriptConversionError(expected: "one line of text", got: "control characters")
            }
            return text
        }
    }

    private static func inside<Result>(
        _ field: String,
        _ read: () throws(ScriptConversionError) -> Result
    ) throws(ScriptConversionError) -> Result {
        do throws(ScriptConversionError) {
            return try read()
        } catch {
            throw error.inside(field: field)
        }
    }

    // MARK: Bodies

    /// Whether a field is a file or data, so that the body has parts.
    var hasParts: Bool {
        fields.contains { field in if case .text = field.value { false } else { true } }
    }

    /// The body of a form without parts.
    var text: String {
        fields.map { name, value in
            guard case .text(let bytes) = value else { preconditionFailure("'\(name)' is a part") }
            return Self.encoded(Array(name.utf8)) + "=" + Self.encoded(bytes)
        }
        .joined(separator: "&")
    }

    /// The body of a form with parts.
    ///
    /// - Parameter boundary: Characters that no part contains.
    func pieces(boundary: String) -> [Piece] {
        var pieces: [Piece] = []
        for (name, value) in fields {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(name))\""
            let content: Piece
            switch value {
            case .text(let bytes): content = .bytes(bytes)
            case .data(let bytes, let name, let type):
                if let name { head += "; filename=\"\(Self.quoted(name))\"" }
                if let type { head += "\r\nContent-Type: \(type)" }
                content = .bytes(bytes)
            case .file(let path, let name, let type):
                head += "; filename=\"\(Self.quoted(name))\"\r\nContent-Type: \(type)"
                content = .file(path)
            }
            pieces += [.bytes(Array("\(head)\r\n\r\n".utf8)), content, .bytes(Array("\r\n".utf8))]
        }
        return pieces + [.bytes(Array("--\(boundary)--\r\n".utf8))]
    }

    /// A name between quotation marks, as browsers write it.
    private static func quoted(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
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
