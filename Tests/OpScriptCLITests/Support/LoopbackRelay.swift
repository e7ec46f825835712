import Foundation
import Glibc
import Synchronization

/// Passes connections on to a server on the loopback, until it is cut: then it closes them, and each new one at once.
final class LoopbackRelay: Sendable {
    struct Failure: Error {
        let code: Int32
    }

    private struct State {
        var isCut = false
        var isOver = false
    }

    /// The port where it listens.
    let port: UInt16
    private let server: UInt16
    private let listener: Int32
    private let state = Mutex(State())

    init(to server: UInt16) throws {
        self.server = server
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = Self.withAddress(0) { bind(descriptor, $0, $1) }
        guard descriptor >= 0, result == 0, listen(descriptor, 16) == 0 else { throw Failure(code: errno) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in pump() }
    }

    /// Closes all connections and lets none through, or lets them through again.
    func setCut(_ isCut: Bool) { state.withLock { $0.isCut = isCut } }

    /// Ends the relay.
    func close() { state.withLock { $0.isOver = true } }

    /// Both ends of a connection; what one sends is written to the other.
    private typealias Link = (client: Int32, server: Int32)

    private func pump() {
        var links: [Link] = []
        func drop(_ link: Link) {
            Glibc.close(link.client)
            Glibc.close(link.server)
            links.removeAll { $0.client == link.client }
        }
        while true {
            let (isCut, isOver) = state.withLock { ($0.isCut, $0.isOver) }
            if isCut || isOver { for link in links { drop(link) } }
            if isOver { break }
            var watched = [listener] + links.flatMap { [$0.client, $0.server] }
            var polls = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // It looks at its orders at least this often.
            guard poll(&polls, nfds_t(polls.count), 20) > 0 else { continue }
            watched = polls.filter { $0.revents != 0 }.map(\.fd)
            for link in links where watched.contains(link.client) || watched.contains(link.server) {
                if watched.contains(link.client), !Self.pass(from: link.client, to: link.server) {
                    drop(link)
                } else if watched.contains(link.server), !Self.pass(from: link.server, to: link.client) {
                    drop(link)
                }
            }
            guard watched.contains(listener) else { continue }
            let client = accept(listener, nil, nil)
            if isCut {
                Glibc.close(client)
                continue
            }
            let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            _ = Self.withAddress(server) { connect(upstream, $0, $1) }
            links.append((client, upstream))
        }
        Glibc.close(listener)
    }

    /// Passes on what has arrived; false at the end of the connection.
    private static func pass(from source: Int32, to target: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(source, &bytes, bytes.count, 0)
        var sent = 0
        while sent < count {
            let written = bytes[sent..<count].withUnsafeBytes {
                send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if written <= 0 { return false }
            sent += written
        }
        return count > 0
    }

    private static func withAddress(
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
