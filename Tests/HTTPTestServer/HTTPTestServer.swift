import Glibc
import Synchronization

/// A small HTTP server on the loopback whose behaviour, good or bad, depends on the path.
///
/// `/hello` · `/echo` (the request's head) · `/keep` (the connection stays open) · `/sent` (the request's method,
/// type and body) · `/packed` (in gzip, if the client takes it) · `/range/1000` (parts, of bytes that count up to
/// 250) · `/cut/1000` (half of that, and then the end) · `/edition/1000` (bytes that depend on the edition; without a
/// range half of them, and then the end) · `/part/7/1000` (a part from 7, whatever was requested) ·
/// `/locked` (for the user `me` with a digest) · `/bake` (a cookie, and a redirect to `/echo`) · `/slow` (half a
/// head, and then nothing) · `/status/404` · `/redirect/3` · `/loop` · `/far/1` (redirects without end) · `/short`
/// (less than announced) · `/held` (never answers) · `/drip` (a head, half a body, and then nothing) · `/big/1000`
/// (that many bytes) · `/endless` · `/chunked` · `/garbage` · `/file/NAME` (of the
/// folder) · `/leave/ftp/HOST/x` (a redirect to `ftp://HOST/x`). As a proxy, it accepts every request and leads to
/// itself, with a tunnel and without one; hosts whose name begins with `refused.` get no tunnel.
public final class HTTPTestServer: Sendable {
    /// Its port on 127.0.0.1.
    public let port: UInt16
    /// The events of requests that do not end: `held /drip` once the client has its half, `left /drip` when
    /// it went away. For a proxy: `connect far.example:443 KEY` or `forward http://far.example/ KEY`.
    public let events: AsyncStream<String>
    /// How many connections it has accepted.
    public var connectionCount: Int { connections.load(ordering: .acquiring) }
    private let connections = Atomic<Int>(0)
    /// The content of `/edition`; another number is another content.
    public var edition: Int {
        get { currentEdition.load(ordering: .acquiring) }
        set { currentEdition.store(newValue, ordering: .releasing) }
    }
    private let currentEdition = Atomic<Int>(1)
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
                connections.add(1, ordering: .acquiringAndReleasing)
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
        let key = header("proxy-authorization", of: head)?.split(separator: " ").last ?? "-"
        if words[0] == "CONNECT" {
            tell.yield("connect \(words[1]) \(key)")
            if words[1].hasPrefix("refused.") { return answer(client, "403 Forbidden", "") }
            // The tunnel leads here.
            send(client, "HTTP/1.1 200 OK\r\n\r\n")
            return serve(client)
        }
        var target = String(words[1])
        if target.hasPrefix("http://") {
            tell.yield("forward \(target) \(key)")
            target = String(target.dropFirst("http://".count).drop { $0 != "/" })
        }
        let parts = target.split(separator: "/").map(String.init)
        switch parts.first {
        case "hello": answer(client, "200 OK", "hello\n", "X-Twice: a\r\nX-Twice: b\r\n")
        case "echo": answer(client, "200 OK", head)
        case "keep":
            send(client, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nkept")
            serve(client)
        case "sent":
            let type = header("content-type", of: head) ?? "no type"
            let body = String(decoding: readBody(client, head), as: UTF8.self)
            answer(client, "200 OK", words[0] == "HEAD" ? "" : "\(words[0]) \(type)\n\(body)")
        case "packed": sendPacked(client, head)
        case "range": sendPart(client, head, size: Int(parts[1]) ?? 0)
        case "cut":
            let size = Int(parts[1]) ?? 0
            send(client, "HTTP/1.1 200 OK\r\n\(Self.tag)Content-Length: \(size)\r\n\r\n")
            _ = send(client, Self.counting(0..<size / 2)[...])
        case "edition": sendEdition(client, head, size: Int(parts[1]) ?? 0)
        case "part":
            let (first, size) = (Int(parts[1]) ?? 0, Int(parts[2]) ?? 0)
            sendPart(client, "Range: bytes=\(first)-\r\n", size: size)
        case "locked":
            if header("authorization", of: head)?.hasPrefix("Digest username=\"me\"") == true {
                return answer(client, "200 OK", "open")
            }
            answer(
                client,
                "401 Unauthorized",
                "locked",
                "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n"
            )
        case "bake": answer(client, "302 Found", "", "Set-Cookie: taste=sweet\r\nLocation: /echo\r\n")
        case "slow":
            send(client, "HTTP/1.1 200 OK\r\nContent-Le")
            hold(client, target)
        case "status": answer(client, "\(parts[1]) Because", "body of \(parts[1])")
        case "redirect":
            let left = Int(parts[1]) ?? 0
            if left == 0 { return answer(client, "200 OK", "arrived") }
            answer(client, "302 Found", "", "Location: /redirect/\(left - 1)\r\n")
        case "loop": answer(client, "302 Found", "", "Location: /loop\r\n")
        case "far": answer(client, "302 Found", "", "Location: /far/\((Int(parts[1]) ?? 0) + 1)\r\n")
        // `/leave/ftp/HOST/x` redirects to `ftp://HOST/x`.
        case "leave":
            let target = "\(parts[1])://\(parts.dropFirst(2).joined(separator: "/"))"
            answer(client, "302 Found", "", "Location: \(target)\r\n")
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

    private func sendPacked(_ client: Int32, _ head: String) {
        guard header("accept-encoding", of: head)?.contains("gzip") == true else {
            return answer(client, "200 OK", "packed and unpacked")
        }
        // "packed and unpacked", by gzip.
        let bytes: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 43, 72, 76, 206, 78, 77, 81, 72, 204, 75, 81, 40, 205,
            43, 0, 115, 0, 248, 10, 169, 250, 19, 0, 0, 0,
        ]
        send(client, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
        _ = send(client, bytes[...])
    }

    private func sendPart(_ client: Int32, _ head: String, size: Int) {
        guard let range = header("range", of: head), range.hasPrefix("bytes="),
            let first = Int(range.dropFirst(6).prefix { $0 != "-" })
        else {
            send(client, "HTTP/1.1 200 OK\r\n\(Self.tag)Content-Length: \(size)\r\n\r\n")
            _ = send(client, Self.counting(0..<size)[...])
            return
        }
        guard first < size else {
            return answer(client, "416 Too Far", "", "Content-Range: bytes */\(size)\r\n")
        }
        send(
            client,
            "HTTP/1.1 206 Partial Content\r\n\(Self.tag)Content-Length: \(size - first)\r\n"
                + "Content-Range: bytes \(first)-\(size - 1)/\(size)\r\n\r\n"
        )
        _ = send(client, Self.counting(first..<size)[...])
    }

    /// The validator of `/cut`, `/range` and `/part`.
    private static let tag = "ETag: \"counting\"\r\n"

    private func sendEdition(_ client: Int32, _ head: String, size: Int) {
        let edition = edition
        let bytes = Self.counting(edition..<edition + size)
        let fields = "ETag: \"\(edition)\"\r\nContent-Length:"
        guard header("range", of: head) != nil else {
            send(client, "HTTP/1.1 200 OK\r\n\(fields) \(size)\r\n\r\n")
            _ = send(client, bytes[..<(size / 2)])
            return
        }
        if header("if-range", of: head) == "\"\(edition)\"" {
            let places = "Content-Range: bytes \(size / 2)-\(size - 1)/\(size)"
            send(client, "HTTP/1.1 206 Partial Content\r\n\(places)\r\n\(fields) \(size - size / 2)\r\n\r\n")
            _ = send(client, bytes[(size / 2)...])
        } else {
            send(client, "HTTP/1.1 200 OK\r\n\(fields) \(size)\r\n\r\n")
            _ = send(client, bytes[...])
        }
    }

    /// The bytes of `/range`.
    public static func counting(_ places: Range<Int>) -> [UInt8] { places.map { UInt8($0 % 251) } }

    // MARK: Sockets

    private func header(_ name: String, of head: String) -> String? {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name):") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }

    private func readBody(_ client: Int32, _ head: String) -> [UInt8] {
        if header("expect", of: head) != nil { send(client, "HTTP/1.1 100 Continue\r\n\r\n") }
        let size = header("content-length", of: head).flatMap { Int($0) } ?? 0
        var bytes = [UInt8](repeating: 0, count: size)
        var count = 0
        while count < size {
            let more = bytes[count...].withUnsafeMutableBytes { recv(client, $0.baseAddress, $0.count, 0) }
            if more <= 0 { break }
            count += more
        }
        return Array(bytes.prefix(count))
    }

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
