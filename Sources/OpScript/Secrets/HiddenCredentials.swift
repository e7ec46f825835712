/// Hides the passwords of URLs. Other values that must not appear are in ``Secrets``.
package enum HiddenCredentials {
    /// A URL that is perhaps none, or a message that ends in one, with dots in place of everything between its scheme
    /// and its last `@`: a password may have characters that end a host.
    package static func hidden(inURL text: String) -> String {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        guard let at = text[start...].lastIndex(of: "@") else { return text }
        let before = text[start..<at]
        let name = before.firstIndex(of: ":").map { before[...$0] } ?? ""
        return text[..<start] + name + SecretTable.dots + text[at...]
    }

    /// A text in which dots replace each password of a URL: `https://name:•••@host/`.
    ///
    /// - Complexity: O(bytes).
    package static func hidden(in text: String) -> String {
        guard text.contains("://") else { return text }
        var result = ""
        var rest = Substring(text)
        while let mark = rest.firstRange(of: "://") {
            result += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            let authority = rest.prefix { !"/?#'\"".contains($0) && !$0.isWhitespace }
            guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":")
            else { continue }
            result += authority[...colon] + SecretTable.dots
            rest = rest[at...]
        }
        return result + rest
    }
}
