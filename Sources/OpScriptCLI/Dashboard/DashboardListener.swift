#if Dashboard
internal import Glibc
internal import OpScript

/// Opens the socket on which the live page's server listens.
enum DashboardListener {
    /// - Returns: The socket, which the programs of the script do not inherit, and its port.
    static func open(at address: DashboardAddress) throws(Dashboard.Failure) -> (socket: Int32, port: Int) {
        let isVersion6 = address.host.contains(":")
        let listener = socket(
            isVersion6 ? AF_INET6 : AF_INET,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        guard listener >= 0 else { throw failure(address, errno) }
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let port = isVersion6 ? listen6(listener, address) : listen4(listener, address)
        guard let port else {
            let code = errno
            close(listener)
            throw failure(address, code)
        }
        return (listener, port)
    }

    private static func listen4(_ listener: Int32, _ place: DashboardAddress) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(place.port).bigEndian
        guard inet_pton(AF_INET, place.host, &address.sin_addr) == 1 else { return noAddress() }
        guard listen(listener, on: &address) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func listen6(_ listener: Int32, _ place: DashboardAddress) -> Int? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(place.port).bigEndian
        guard inet_pton(AF_INET6, place.host, &address.sin6_addr) == 1 else { return noAddress() }
        guard listen(listener, on: &address) else { return nil }
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    private static func noAddress() -> Int? {
        errno = EINVAL
        return nil
    }

    /// Binds the socket, listens, and replaces the address by the one that the system has chosen.
    private static func listen<Address>(_ listener: Int32, on address: inout Address) -> Bool {
        var size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
    }

    private static func failure(_ address: DashboardAddress, _ code: Int32) -> Dashboard.Failure {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        let reason = code == EADDRINUSE ? "something else listens there" : SystemReason.describe(code)
        return Dashboard.Failure(message: "cannot serve the page at \(host):\(address.port): \(reason)")
    }
}
#endif
