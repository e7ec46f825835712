#if HTTP
internal import OpScript
internal import SystemPackage

/// The option `auth`: how a request says who sends it.
struct WebLogin: ScriptConvertible, Equatable {
    var user = ""
    var password = ""
    var token: String?
    var scheme = Scheme.basic

    /// The ways of proving a password.
    enum Scheme: String, CaseIterable { case basic, digest, negotiate, ntlm, any }

    static var scriptTypeName: String { "table { user, password, scheme } or { bearer }" }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        let fields = try [String: ScriptValue](scriptValue: scriptValue)
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            do throws(ScriptConversionError) {
                switch name {
                case "user": user = try Self.line(value)
                case "password": password = try Self.line(value)
                case "bearer": token = try Self.line(value)
                case "scheme":
                    let text = try String(scriptValue: value)
                    guard let scheme = Scheme(rawValue: text) else {
                        let names = Scheme.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
                        throw ScriptConversionError(expected: "one of \(names)", got: "'\(text)'")
                    }
                    self.scheme = scheme
                default:
                    let names = ["user", "password", "bearer", "scheme"]
                    throw ScriptConversionError(
                        expected: "",
                        got: "unknown option '\(name)'" + suggestion(forOption: name, among: names)
                    )
                }
            } catch {
                throw error.expected.isEmpty ? error : error.inside(field: name)
            }
        }
        guard (fields["user"] == nil) != (fields["bearer"] == nil) else {
            throw ScriptConversionError(expected: "", got: "'auth' needs either 'user' or 'bearer'")
        }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }

    /// A text without line breaks, behind which a server would read another header.
    private static func line(_ value: ScriptValue) throws(ScriptConversionError) -> String {
        let text = try String(scriptValue: value)
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw ScriptConversionError(expected: "one line of text", got: "control characters")
        }
        return text
    }
}

/// The option `cert`: the certificate by which a server recognises the client.
struct WebCertificate: ScriptConvertible, Equatable {
    var file: FilePath
    /// nil if it is in the same file.
    var key: FilePath?
    var password: String?

    static var scriptTypeName: String { "path, or table { file, key, password }" }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        if case .string = scriptValue {
            file = try FilePath(scriptValue: scriptValue)
            return
        }
        let fields = try [String: ScriptValue](scriptValue: scriptValue)
        for name in fields.keys.sorted() where !["file", "key", "password"].contains(name) {
            throw ScriptConversionError(
                expected: "",
                got: "unknown option '\(name)'"
                    + suggestion(forOption: name, among: ["file", "key", "password"])
            )
        }
        guard let path = fields["file"] else {
            throw ScriptConversionError(expected: "", got: "'cert' needs the field 'file'")
        }
        file = try FilePath(scriptValue: path)
        if let value = fields["key"] { key = try FilePath(scriptValue: value) }
        if let value = fields["password"] { password = try String(scriptValue: value) }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }
}
#endif
