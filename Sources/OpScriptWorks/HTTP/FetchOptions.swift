#if HTTP
internal import OpScript
internal import SystemPackage

/// The options of `http.get`.
struct FetchOptions: ScriptConvertible {
    /// Names and values to send, in this order.
    var headers: [(name: String, value: String)] = []
    /// The file for the body; without it, the body stays in memory.
    var file: FilePath?
    /// Seconds that the whole request may take.
    var timeout: Double?

    static var scriptTypeName: String { "table of options" }

    /// The most bytes of a body that stays in memory.
    var limit = MemoryRoom.standardLimit

    private static let names = ["headers", "to", "timeout", "limit"]

    init() {}

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        for (name, value) in try [String: ScriptValue](scriptValue: scriptValue).sorted(by: {
            $0.key < $1.key
        }) {
            do throws(ScriptConversionError) {
                switch name {
                case "headers": headers = try Self.headers(value)
                case "to": file = try FilePath(scriptValue: value)
                case "timeout":
                    let seconds = try Double(scriptValue: value)
                    guard seconds > 0 else {
                        throw ScriptConversionError(expected: "seconds above 0", got: "\(seconds)")
                    }
                    timeout = seconds
                case "limit": limit = try limitOption(value)
                default:
                    throw ScriptConversionError(
                        expected: "",
                        got: "unknown option '\(name)'" + suggestion(forOption: name, among: Self.names)
                    )
                }
            } catch {
                throw error.expected.isEmpty ? error : error.inside(field: name)
            }
        }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }

    private static func headers(_ value: ScriptValue) throws(ScriptConversionError) -> [(String, String)] {
        var headers: [(String, String)] = []
        for (name, value) in try [String: ScriptValue](scriptValue: value).sorted(by: { $0.key < $1.key }) {
            guard isToken(name) else {
                throw ScriptConversionError(expected: "name of a header", got: "'\(name)'")
            }
            let text: String
            switch value {
            case .integer(let number): text = "\(number)"
            case .string(let bytes):
                guard bytes.allSatisfy({ $0 == 9 || ($0 >= 0x20 && $0 != 0x7f) }) else {
                    throw ScriptConversionError(expected: "one line of text", got: "control characters")
                        .inside(field: name)
                }
                text = String(decoding: bytes, as: UTF8.self)
            default: throw ScriptConversionError(expected: "string", value: value).inside(field: name)
            }
            headers.append((name, text))
        }
        return headers
    }

    /// The names that RFC 9110 allows.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
#endif
