#if HTTP
internal import OpScript

/// A URL that can be fetched.
struct WebAddress: ScriptConvertible, Equatable {
    /// Without a name and a password.
    let text: String
    /// For messages: the same, with the name, and dots in place of the password.
    let shownText: String
    /// `name:password` in the encoding of the header `Authorization`; nil if the URL has none.
    let credentials: String?
    let isSecure: Bool
    /// In lower case, an IPv6 address without its brackets.
    let host: String
    let port: Int

    static var scriptTypeName: String { "URL that begins with http:// or https://" }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        guard case .string(let bytes) = scriptValue else {
            throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let address = WebAddress(text) else {
            let scheme = text.prefix(8).lowercased()
            let hasBlank = text.utf8.contains { $0 <= 0x20 || $0 == 0x7f }
            let isWeb = scheme.hasPrefix("http://") || scheme.hasPrefix("https://")
            let remedy =
                hasBlank
                ? "URL without blanks (a blank in it is written %20)"
                : "URL with a host and a port up to 65535 (in a password, / is written %2F, ? %3F and # %23)"
            throw ScriptConversionError(
                expected: isWeb ? remedy : Self.scriptTypeName,
                got: "'\(HiddenCredentials.hidden(inURL: text))'"
            )
        }
        self = address
    }

    /// Nil if the text is not such a URL.
    init?(_ text: String) {
        guard let mark = text.range(of: "://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            return nil
        }
        switch text[..<mark.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        var authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
        var credentials: String?
        if let at = authority.lastIndex(of: "@") {
            credentials = Base64.text(PercentText.bytes(of: authority[..<at]))
            self.text = String(text[..<authority.startIndex] + text[authority.index(after: at)...])
            authority = authority[authority.index(after: at)...]
        } else {
            self.text = text
        }
        self.credentials = credentials
        shownText = HiddenCredentials.hidden(in: text)
        var name = authority
        var digits: Substring?
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            digits = rest.isEmpty ? nil : rest.dropFirst()
        } else if authority.contains("[") {
            return nil
        } else if let colon = authority.lastIndex(of: ":") {
            name = authority[..<colon]
            digits = authority[authority.index(after: colon)...]
        }
        guard !name.isEmpty else { return nil }
        host = name.lowercased()
        if let digits, !digits.isEmpty {
            guard let port = Int(digits), (1...65_535).contains(port) else { return nil }
            self.port = port
        } else {
            port = isSecure ? 443 : 80
        }
    }

    var scriptValue: ScriptValue { .text(text) }
}

extension String {
    /// The place of a text in this one.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

/// The encoding of RFC 4648.
private enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    static func text(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let group = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                result.append(
                    place <= part.count ? letters[group >> (18 - 6 * place) & 63] : UInt8(ascii: "=")
                )
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
#endif
