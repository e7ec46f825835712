#if HTTP
internal import OpScript
internal import SystemPackage

/// The options of a request.
struct WebOptions: ScriptConvertible {
    /// Where the body of the request comes from.
    enum Body {
        case data(ScriptData)
        case json(ScriptValue)
        case form(WebForm)
        case file(FilePath)
    }

    /// Cookies: of a file, which gets the new ones, or given ones.
    enum Cookies: Equatable {
        /// They are kept for the redirects of the request.
        case ofRequest
        case file(FilePath)
        /// The value of the header.
        case given(String)
    }

    /// Names and values to send, in this order.
    var headers: [(name: String, value: String)] = []
    var body: Body?
    /// The file for the body of the answer; without it, the body stays in memory.
    var file: FilePath?
    /// Whether the file continues where an earlier attempt ended.
    var resumes = false
    /// Seconds that the whole request may take; nil for no limit.
    var timeout: Double?
    /// Seconds in which there must be a connection.
    var connectTimeout = 30.0
    /// How many redirects are followed.
    var redirects = 10
    var login: WebLogin?
    /// The URL of a proxy instead of that of the environment; empty for none.
    var proxy: String?
    /// Whether certificates are not checked.
    var isInsecure = false
    /// A file of certificates to trust instead of those of the system.
    var authority: FilePath?
    var certificate: WebCertificate?
    var usesHTTP2 = true
    /// Whether the server may compress the body, which is then unpacked.
    var isCompressed = false
    var cookies: Cookies?
    /// The most bytes of a body; nil for the standard limit in memory, and none for a file.
    var limit: Int?

    static var scriptTypeName: String { "table of options" }

    static let names = [
        "headers", "body", "json", "form", "file", "to", "resume", "timeout", "connectTimeout", "redirects",
        "auth", "proxy", "insecure", "ca", "cert", "http2", "compressed", "cookies", "limit",
    ]

    init() {}

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        try self.init([String: ScriptValue](scriptValue: scriptValue), besides: [])
    }

    /// - Parameter others: Fields that are not options, but allowed.
    init(_ fields: [String: ScriptValue], besides others: [String]) throws(ScriptConversionError) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !others.contains(name) {
            guard Self.names.contains(name) else {
                throw ScriptConversionError(
                    expected: "",
                    got: "unknown option '\(name)'" + suggestion(forOption: name, among: others + Self.names)
                )
            }
            do throws(ScriptConversionError) {
                try set(name, value)
            } catch {
                throw error.expected.isEmpty ? error : error.inside(field: name)
            }
        }
        let bodies = ["body", "file", "form", "json"].filter { fields[$0] != nil }
        guard bodies.count <= 1 else {
            throw ScriptConversionError(
                expected: "",
                got: "'\(bodies[0])' and '\(bodies[1])' both give a body"
            )
        }
        if case .form(let form)? = body, form.hasParts,
            headers.contains(where: { $0.name.lowercased() == "content-type" })
        {
            throw ScriptConversionError(
                expected: "",
                got: "a form with files or data names its own Content-Type; leave it out of 'headers'"
            )
        }
        if resumes, file == nil {
            throw ScriptConversionError(expected: "", got: "'resume' needs the option 'to'")
        }
        if resumes, isCompressed {
            throw ScriptConversionError(
                expected: "",
                got: "'resume' and 'compressed' exclude each other: a part is counted in packed bytes"
            )
        }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }

    private mutating func set(_ name: String, _ value: ScriptValue) throws(ScriptConversionError) {
        switch name {
        case "headers": headers = try Self.headers(value)
        case "body": body = .data(try ScriptData(scriptValue: value))
        case "json": body = .json(value)
        case "form": body = .form(try WebForm(scriptValue: value))
        case "file": body = .file(try FilePath(scriptValue: value))
        case "to": file = try FilePath(scriptValue: value)
        case "resume": resumes = try Bool(scriptValue: value)
        case "timeout": timeout = try Self.seconds(value)
        case "connectTimeout": connectTimeout = try Self.seconds(value)
        case "redirects": redirects = try Self.redirects(value)
        case "auth": login = try WebLogin(scriptValue: value)
        case "proxy": proxy = try Self.proxy(value)
        case "insecure": isInsecure = try Bool(scriptValue: value)
        case "ca": authority = try FilePath(scriptValue: value)
        case "cert": certificate = try WebCertificate(scriptValue: value)
        case "http2": usesHTTP2 = try Bool(scriptValue: value)
        case "compressed": isCompressed = try Bool(scriptValue: value)
        case "cookies": cookies = try Self.cookies(value)
        case "limit": limit = try limitOption(value)
        default: preconditionFailure("'\(name)' is not an option")
        }
    }

    private static func seconds(_ value: ScriptValue) throws(ScriptConversionError) -> Double {
        let seconds = try Double(scriptValue: value)
        guard seconds > 0 else {
            throw ScriptConversionError(expected: "seconds above 0", got: "\(seconds)")
        }
        return seconds
    }

    private static func redirects(_ value: ScriptValue) throws(ScriptConversionError) -> Int {
        if case .boolean(let follows) = value { return follows ? WebOptions().redirects : 0 }
        let count = try Int(scriptValue: value)
        guard (0...1000).contains(count) else {
            throw ScriptConversionError(expected: "number from 0 to 1000", got: "\(count)")
        }
        return count
    }

    private static func proxy(_ value: ScriptValue) throws(ScriptConversionError) -> String {
        if case .boolean(false) = value { return "" }
        let text = try String(scriptValue: value)
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        let isURL = !text.contains("://") || schemes.contains { text.hasPrefix("\($0)://") }
        guard isURL, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), !text.contains("%00") else {
            throw ScriptConversionError(
                expected: "URL of a proxy that begins with http://, https:// or socks5:// and has no blank",
                got: "'\(HiddenCredentials.hidden(inURL: text))'"
            )
        }
        return text
    }

    private static func cookies(_ value: ScriptValue) throws(ScriptConversionError) -> Cookies? {
        switch value {
        case .boolean(let keeps): return keeps ? .ofRequest : nil
        case .string: return .file(try FilePath(scriptValue: value))
        default:
            let pairs = try headers(value).map { name, value in "\(name)=\(value)" }
            return .given(pairs.joined(separator: "; "))
        }
    }

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
}

/// The names that RFC 9110 allows.
func isToken(_ name: String) -> Bool {
    !name.isEmpty
        && name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
}
#endif
