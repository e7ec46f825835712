import Foundation
import Glibc

/// A connection to a server on the loopback: sends requests as they are, and reads what comes back.
final class PageClient {
    struct Failure: Error {
        let code: Int32
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let place = descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(place, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw Failure(code: code)
        }
    }

    deinit { Glibc.close(descriptor) }

    /// The status and the body of one request, on a connection of its own.
    static func ask(
        _ port: UInt16,
        _ method: String,
        _ target: String,
        headers: [String] = ["Host: 127.0.0.1"]
    ) throws -> (status: Int, head: String, body: String) {
        let client = try PageClient(port: port)
        client.send(method, target, headers + ["Connection: close"])
        client.readToEnd()
        let text = String(decoding: client.received, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        let words = parts[0].split(separator: " ")
        return (
            words.count > 1 ? Int(words[1]) ?? 0 : 0, parts[0].lowercased(),
            parts.dropFirst().joined(separator: "\r\n\r\n")
        )
    }

    func send(_ method: String, _ target: String, _ headers: [String]) {
        let text = "\(method) \(target) HTTP/1.1\r\n" + headers.map { "\($0)\r\n" }.joined() + "\r\n"
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next message of a stream of events; nil at its end.
    func nextMessage() throws -> (id: String, json: [String: Any])? {
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let found = text.firstMatch(of: #/id: (?<id>[0-9.]+)\ndata: (?<data>[^\n]*)\n\n/#) {
                received = Array(text[found.range.upperBound...].utf8)
                let value = try JSONSerialization.jsonObject(with: Data(found.data.utf8))
                return (String(found.id), value as? [String: Any] ?? [:])
            }
            if !readMore() { return nil }
        }
    }

    private func readToEnd() {
        while readMore() {}
    }

    private func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received += buffer[..<count] }
        return count > 0
    }
}
