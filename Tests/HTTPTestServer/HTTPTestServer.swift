import Glibc
import Synchronization

/// A small HTTP server on the loopback whose behaviour, good or bad, depends on the path.
///
/// `/hello` · `/echo` (the request itself) · `/status/404` · `/redirect/3` · `/loop` · `/far/1` (redirects
/// without end) · `/short` (less than announced) · `/held` (never answers) · `/drip` (a head, half a body,
/// and then nothing) · `/big/1000` (that many bytes) · `/endless` · `/chunked` · `/garbage` · `/file/NAME` (of the
/// folder). As a proxy, it accepts every request and leads to itself.
public final class HTTPTestServer: Sendable {
    /// Its port on 127.0.0.1.
    public let port: UInt16
    /// The events of requests that do not end: `held /drip` once the client has its half, `left /drip` when
    /// it went away. For tunnels: `connect far.example:80 KEY`.
    public let events: AsyncStream<String>
    private let listener: Int32
    private let tell: AsyncStream<String>.Continuation
    private let folder: String

    /// - Parameter folder: The folder of `/file/…`.
    public init(folder: String = "/nowhere") throws {
        self.folder = folder
        (events, tell) = AsyncStream.makeStream()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isBound else { throw ServerError(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        start { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                start { [self] in
                    serve(client)
                    close(client)
                }
            }
        }
    }

    /// Accepts no more connections.
    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The URL of a path.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    // MARK: Answers

    private func serve(_ client: Int32) {
        guard let head = readHead(client) else { return }
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count == 3 else { return }
        if words[0] == "CONNECT" {
            let key = head.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("proxy-authorization: ")
            }
            tell.yield("connect \(words[1]) \(key?.split(separator: " ").last ?? "-")")
            // The tunnel leads here.
            send(client, "HTTP/1.1 200 OK\r\n\r\n")
            return serve(client)
        }
        let target = String(words[1])
        let parts = target.split(separator: "/").map(String.init)
        switch parts.first {
        case "hello": answer(client, "200 OK", "hello\n", "X-Twice: a\r\nX-Twice: b\r\n")
        case "echo": answer(client, "200 OK", head)
        case "status": answer(client, "\(parts[1]) Because", "body of \(parts[1])")
        case "redirect":
            let left = Int(parts[1]) ?? 0
            if left == 0 { return answer(client, "200 OK", "arrived") }
            answer(client, "302 Found", "", "Location: /redirect/\(left - 1)\r\n")
        case "loop": answer(client, "302 Found", "", "Location: /loop\r\n")
        case "far": answer(client, "302 Found", "", "Location: /far/\((Int(parts[1]) ?? 0) + 1)\r\n")
        case "short": send(client, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        case "held": hold(client, target)
        case "drip":
            send(client, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            hold(client, target)
        case "big":
            let count = Int(parts[1]) ?? 0
            sendBig(client, "Content-Length: \(count)", count)
        case "endless": sendBig(client, "Connection: close", .max)
        case "chunked":
            send(
                client,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
            )
        case "garbage": send(client, "this is no HTTP\r\n\r\n")
        case "file": sendFile(client, folder + "/" + parts.dropFirst().joined(separator: "/"))
        default: answer(client, "404 Not Found", "")
        }
    }

    private func answer(_ client: Int32, _ status: String, _ body: String, _ headers: String = "") {
        send(
            client,
            "HTTP/1.1 \(status)\r\n\(headers)Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    /// Until the client goes away.
    private func hold(_ client: Int32, _ target: String) {
        tell.yield("held \(target)")
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) > 0 {}
        tell.yield("left \(target)")
    }

    private func sendBig(_ client: Int32, _ header: String, _ count: Int) {
        guard send(client, "HTTP/1.1 200 OK\r\n\(header)\r\n\r\n") else { return }
        let piece = [UInt8](repeating: 120, count: 1 << 16)
        var left = count
        while left > 0, send(client, piece[..<min(left, piece.count)]) { left -= piece.count }
    }

    private func sendFile(_ client: Int32, _ path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return answer(client, "404 Not Found", "") }
        defer { close(file) }
        guard send(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n") else { return }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(file, &piece, piece.count)
            if count <= 0 || !send(client, piece[..<count]) { return }
        }
    }

    // MARK: Sockets

    private func readHead(_ client: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1 {
            bytes.append(byte)
            if bytes.suffix(4) == [13, 10, 13, 10] { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    @discardableResult
    private func send(_ client: Int32, _ text: String) -> Bool { send(client, Array(text.utf8)[...]) }

    private func send(_ client: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(client, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

/// The system refused the server.
public struct ServerError: Error {
    /// The system's error number.
    public let code: Int32
}

private func start(_ body: @escaping @Sendable () -> Void) {
    let job = Unmanaged.passRetained(Job(body: body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread,
        nil,
        { pointer in
            if let pointer { Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().body() }
            return nil
        },
        job.toOpaque()
    )
    precondition(code == 0, "no thread could be made")
    pthread_detach(thread)
}

private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }
}
