#if Dashboard
internal import Glibc
internal import OpScript

/// Opens the socket on which the live page's server listens.
enum DashboardListener {
    /// - Returns: The socket, which the programs of the script do not inherit, and its port.
    static func open(at place: DashboardAddress) throws(Dashboard.Failure) -> (socket: Int32, port: Int) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        // Only a number is read, so no name server is asked.
        guard getaddrinfo(place.host, "\(place.port)", &hints, &found) == 0, let found else {
            throw failure(place, EINVAL)
        }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(found.pointee.ai_family, kind, 0)
        guard listener >= 0 else { throw failure(place, errno) }
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(listener, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0, listen(listener, 64) == 0,
            let port = port(of: listener)
        else {
            let code = errno
            close(listener)
            throw failure(place, code)
        }
        return (listener, port)
    }

    /// The port that the system has chosen.
    private static func port(of listener: Int32) -> Int? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        // It lies at the same place in an address of either kind.
        return code == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }

    private static func failure(_ place: DashboardAddress, _ code: Int32) -> Dashboard.Failure {
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        let reason = code == EADDRINUSE ? "something else listens there" : SystemReason.describe(code)
        return Dashboard.Failure(message: "cannot serve the page at \(host):\(place.port): \(reason)")
    }
}
#endif
