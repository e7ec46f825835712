/// Buffers bytes and passes them on in pieces, so that a large file is never in memory as a whole.
final class ByteOutput {
    private static let limit = 1 << 18
    private(set) var bytes: [UInt8] = []
    private let receive: ([UInt8]) throws -> Void

    init(_ receive: @escaping ([UInt8]) throws -> Void) {
        self.receive = receive
        bytes.reserveCapacity(Self.limit + 4096)
    }

    /// Passes on the buffered bytes, if there are many.
    @inline(__always)
    func flushIfLarge() throws {
        if bytes.count >= Self.limit { try flush() }
    }

    /// Passes on the buffered bytes.
    func flush() throws {
        guard !bytes.isEmpty else { return }
        try receive(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    func append(_ byte: UInt8) { bytes.append(byte) }

    func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(text: String) { bytes.append(contentsOf: text.utf8) }

    func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// A whole number in decimal.
    func append(_ number: Int64) {
        var rest = number.magnitude
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// A JSON string. Characters that could end a script element of a page, or a line, are written as
    /// escapes.
    func append(json text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Bytes that stay as they are go in pieces.
            var (begin, place) = (0, 0)
            while place < utf8.count {
                let length = Self.lengthToEscape(utf8, at: place)
                if length > 0 {
                    bytes.append(contentsOf: utf8[begin..<place])
                    append(escaped: utf8[place], utf8[place + length - 1])
                    begin = place + length
                }
                place += max(1, length)
            }
            bytes.append(contentsOf: utf8[begin...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// How many bytes the character at a place has if it must be escaped; otherwise 0.
    @inline(__always)
    private static func lengthToEscape(_ utf8: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
        switch utf8[place] {
        case 0..<0x20, 0x22, 0x26, 0x3c, 0x3e, 0x5c, 0x7f: 1
        // U+2028 and U+2029, which end lines.
        case 0xe2 where utf8[place + 1] == 0x80 && utf8[place + 2] & 0xfe == 0xa8: 3
        default: 0
        }
    }

    /// The escape of a character with this first and this last byte.
    private func append(escaped first: UInt8, _ last: UInt8) {
        switch first {
        case 0x22: append("\\\"")
        case 0x5c: append("\\\\")
        case 0x0a: append("\\n")
        case 0x0d: append("\\r")
        case 0x09: append("\\t")
        case 0xe2: append(escape: last == 0xa8 ? 0x2028 : 0x2029)
        default: append(escape: UInt32(first))
        }
    }

    /// The elements in brackets, with commas between them.
    func append<Element>(list: some Collection<Element>, _ write: (Element) -> Void) {
        append("[")
        var isFirst = true
        for element in list {
            if !isFirst { append(",") }
            isFirst = false
            write(element)
        }
        append("]")
    }

    /// A failure as the scripts of the pages read it: a JSON object.
    func append(json failure: RecordedFailure) {
        append(text: "{\"operation\":\(failure.operation ?? -1),\"moment\":\(failure.moment),\"name\":")
        append(json: failure.name)
        append(",\"place\":")
        append(json: failure.place)
        append(",\"message\":")
        append(json: failure.message)
        if let traceback = failure.traceback {
            append(",\"traceback\":")
            append(json: traceback)
        }
        if failure.isHandled { append(",\"handled\":true") }
        append("}")
    }

    private func append(escape value: UInt32) {
        append("\\u")
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Text inside an element of a page.
    func append(html text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "\""): append("&quot;")
            default: bytes.append(byte)
            }
        }
    }
}
