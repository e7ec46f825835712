#if HTTP
internal import OpScript

/// A URL that can be fetched.
struct WebAddress: ScriptConvertible, Equatable {
    let text: String
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
            throw ScriptConversionError(expected: Self.scriptTypeName, got: "'\(text)'")
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
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
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
        self.text = text
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
#endif
