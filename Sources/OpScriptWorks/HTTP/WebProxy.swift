#if HTTP
internal import Glibc

/// The proxy that the environment names for a URL.
struct WebProxy: Hashable, Sendable {
    let host: String
    let port: Int
    let user: String?
    let password: String?

    /// Without name and password.
    var url: String { host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)" }

    /// - Parameter environment: Returns the value of a variable.
    /// - Throws: The name of the variable whose value is not a proxy.
    static func find(for address: WebAddress, _ environment: (String) -> String?) throws(WebProxyError)
        -> WebProxy?
    {
        func value(_ name: String) -> (String, String)? {
            for name in [name, name.uppercased()] {
                // In a CGI program, this variable has the value of the request's header `Proxy`.
                if name == "HTTP_PROXY" { continue }
                if let value = environment(name), !value.isEmpty { return (name, value) }
            }
            return nil
        }
        guard
            let (variable, text) = value(address.isSecure ? "https_proxy" : "http_proxy")
                ?? value("all_proxy")
        else {
            return nil
        }
        if let (_, list) = value("no_proxy"), isExempt(address, list) { return nil }
        let url = text.contains("://") ? text : "http://\(text)"
        guard let proxy = WebAddress(url), !proxy.isSecure else {
            throw WebProxyError(variable: variable, value: text)
        }
        let authority = url.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        var words: [String] = []
        if let at = authority.lastIndex(of: "@") {
            words = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: PercentText.bytes(of: $0), as: UTF8.self) }
        }
        return WebProxy(
            host: proxy.host,
            port: proxy.port,
            user: words.first,
            password: words.count > 1 ? words[1] : nil
        )
    }

    static func fromEnvironment(for address: WebAddress) throws(WebProxyError) -> WebProxy? {
        try find(for: address) { name in getenv(name).map { String(cString: $0) } }
    }

    /// `no_proxy`: names, which include all names below them, with an optional port; `*` means all.
    private static func isExempt(_ address: WebAddress, _ list: String) -> Bool {
        for part in list.split(whereSeparator: { $0 == "," || $0 == " " }) {
            if part == "*" { return true }
            var name = part.lowercased()
            if name.hasPrefix("*") { name.removeFirst() }
            if name.hasPrefix(".") { name.removeFirst() }
            if let colon = name.lastIndex(of: ":"), let port = Int(name[name.index(after: colon)...]),
                !name[..<colon].contains(":")
            {
                if port != address.port { continue }
                name = String(name[..<colon])
            }
            if !name.isEmpty, address.host == name || address.host.hasSuffix(".\(name)") { return true }
        }
        return false
    }
}

/// A variable of the environment whose value is not a usable proxy.
struct WebProxyError: Error {
    let variable: String
    let value: String
}
#endif
