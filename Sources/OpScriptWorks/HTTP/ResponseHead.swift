#if HTTP
/// The status and the headers of an answer, which arrive line by line.
///
/// A later answer to the same request (after a redirect, or after an interim one) replaces an earlier one.
struct ResponseHead: Equatable {
    /// 0 before the first answer.
    private(set) var status = 0
    /// The text beside the status, as the server sent it; empty with HTTP/2.
    private(set) var reason = ""
    /// All headers, with names in lower case.
    private(set) var fields: [Field] = []
    /// The targets of all redirects, in order.
    private(set) var locations: [String] = []
    private var isComplete = false

    struct Field: Equatable {
        var name: String
        var value: String
    }

    /// Takes in a line, with its end.
    mutating func take(_ line: some BidirectionalCollection<UInt8>) {
        let line = Self.trimmed(line, of: "\r\n")
        if line.starts(with: "HTTP/".utf8) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
            reason = words.count > 2 ? String(decoding: words[2], as: UTF8.self) : ""
            fields = []
            isComplete = false
        } else if line.isEmpty {
            isComplete = true
        } else if !isComplete, let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            // Behind the body, lines are trailers, which are not kept.
            let name = String(decoding: line[..<colon].lazy.map(Self.lowercased), as: UTF8.self)
            let value = String(decoding: Self.trimmed(line[colon...].dropFirst(), of: " \t"), as: UTF8.self)
            fields.append(Field(name: name, value: value))
            if name == "location", (300...399).contains(status) { locations.append(value) }
        }
    }

    /// The value of a header; nil if there is none.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    var isSuccess: Bool { (200...299).contains(status) }

    /// How many bytes the server has announced; 0 if it has not announced any.
    var announcedLength: Int { self["content-length"].flatMap { Int($0) } ?? 0 }

    /// Whether a redirect led to a place for the second time.
    var hasCycle: Bool { Set(locations).count < locations.count }

    /// The first byte of a part of a body (`Content-Range: bytes 5-9/10`); nil if it is not a part.
    var firstByte: Int? {
        guard status == 206, let range = self["content-range"], range.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        let first = range.utf8.dropFirst(6).prefix { $0 != UInt8(ascii: "-") }
        return Int(String(decoding: Self.trimmed(first, of: " \t"), as: UTF8.self))
    }

    /// A text by which the server recognises exactly these bytes later; nil if it has not sent one.
    var validator: String? {
        if let tag = self["etag"], !tag.hasPrefix("W/") { return tag }
        return self["last-modified"]
    }

    /// The whole size that a server names when it refuses a part (`Content-Range: bytes */10`).
    var wholeSize: Int? {
        self["content-range"].flatMap { $0.split(separator: "/").last }.flatMap { Int($0) }
    }

    /// `404 Not Found`, in the words of the standard for the usual numbers.
    var statusText: String {
        let words = Self.reasons[status] ?? reason
        return words.isEmpty ? "\(status)" : "\(status) \(words)"
    }

    private static let reasons: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        409: "Conflict",
        410: "Gone", 412: "Precondition Failed", 413: "Content Too Large", 416: "Range Not Satisfiable",
        422: "Unprocessable Content", 429: "Too Many Requests", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]

    /// Bytes without those of a set at both ends.
    private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes, of set: StaticString)
        -> Bytes.SubSequence
    {
        func isIn(_ byte: UInt8) -> Bool { set.withUTF8Buffer { $0.contains(byte) } }
        var rest = bytes[...]
        while let first = rest.first, isIn(first) { rest = rest.dropFirst() }
        while let last = rest.last, isIn(last) { rest = rest.dropLast() }
        return rest
    }

    /// Names of headers are ASCII.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
#endif
