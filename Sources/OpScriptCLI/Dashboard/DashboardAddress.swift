/// Where the live page is served: an IP address of this machine, and a port.
struct DashboardAddress: Equatable {
    /// The loopback, where only this machine reaches it.
    static let loopback = DashboardAddress(host: "127.0.0.1", port: 0)

    /// An IP address, without brackets.
    var host: String
    /// 0 for any port that is free.
    var port: Int

    /// The largest number of a port.
    static let lastPort = 65535

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `8080`, `127.0.0.1`, `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080` and `:8080`; nil for anything else.
    init?(_ text: String) {
        if text.isEmpty { return nil }
        var host = Substring(text)
        var port = 0
        if text.allSatisfy(\.isASCIIDigit) { host = ":" + host }
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            let digits = host[host.index(after: colon)...]
            guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit), let number = Int(digits),
                number <= Self.lastPort
            else {
                return nil
            }
            port = number
            host = host[..<colon]
        }
        if host.isEmpty || host == "localhost" { host = "127.0.0.1" }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard HostName.isAddress(host) else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Whether a word is meant as an address, right or wrong, and not as the path of a script: a number, or a host
    /// and a number, as `99999` and `0.0.0.0:99999`.
    static func isMeant(by text: String) -> Bool {
        if DashboardAddress(text) != nil { return text != "localhost" }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let port = parts.last, !port.isEmpty, port.allSatisfy(\.isASCIIDigit) else { return false }
        let host = text.dropLast(port.count + 1)
        return host.isEmpty || host == "localhost" || host.hasPrefix("[") || HostName.isAddress(host)
    }

    /// The fault of a text that is no address, and the remedy.
    static func problem(of text: String) -> String? {
        guard DashboardAddress(text) == nil else { return nil }
        if let port = text.split(separator: ":").last, port.allSatisfy(\.isASCIIDigit),
            Int(port).map({ $0 > lastPort }) ?? true
        {
            return "--dashboard is '\(text)', but a port is at most \(lastPort)."
        }
        return
            "--dashboard is '\(text)', but it must be a port, an IP address, or both: 8080, 127.0.0.1:8080, "
            + "[::1]:8080."
    }

    /// The address of the page at a port, for a browser on this machine.
    func page(port: Int, token: DashboardToken) -> String {
        // Not every browser can open the address that stands for all addresses.
        let shown = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        return "http://\(shown.contains(":") ? "[\(shown)]" : shown):\(port)/?token=\(token.text)"
    }
}

/// The host that a client says it talks to.
enum HostName {
    /// Whether a text is an IP address, without brackets.
    static func isAddress(_ text: Substring) -> Bool {
        if text.contains(":") {
            return text.allSatisfy { $0.isASCIIDigit || "abcdefABCDEF:.".contains($0) }
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.count <= 3 && part.allSatisfy(\.isASCIIDigit) && Int(part).map { $0 <= 255 } == true
            }
    }

    /// Whether a `Host` header names this machine in a way that no name server can point elsewhere: by an IP address,
    /// or as `localhost`. The port is whatever leads here, as through a tunnel.
    static func isSafe(_ header: String) -> Bool {
        var host = Substring(header)
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return false }
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return false }
            host = host[..<end].dropFirst()
            return host.contains(":") && isAddress(host)
        }
        if let colon = host.firstIndex(of: ":") {
            guard isPort(host[colon...]) else { return false }
            host = host[..<colon]
        }
        return host.lowercased() == "localhost" || isAddress(host)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.hasPrefix(":") && text.dropFirst().allSatisfy(\.isASCIIDigit)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
