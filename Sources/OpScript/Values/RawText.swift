/// Text of the command line, of the environment and of file names, which are bytes and need not be UTF-8.
///
/// Swift's text cannot hold other bytes, so each byte that is not part of valid UTF-8 becomes one of 128 scalars for
/// private use. Those scalars themselves are treated in the same way, so that the bytes always come back unchanged.
package enum RawText {
    private static let escapes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF
    /// The scalar of a byte b is this + b; all such bytes are above 127.
    private static let base: UInt32 = 0x10FF00

    /// The text of bytes.
    ///
    /// - Complexity: O(bytes).
    package static func text(of bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !hasEscapes(text) { return text }
        var text = String.UnicodeScalarView()
        var rest = bytes[...]
        while let byte = rest.first {
            if let scalar = scalar(at: rest, startingWith: byte) {
                text.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                if let escape = Unicode.Scalar(base + UInt32(byte)) { text.append(escape) }
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    /// The same for a C string.
    package static func text(ofCString string: UnsafePointer<CChar>) -> String {
        var count = 0
        while string[count] != 0 { count += 1 }
        return text(of: UnsafeRawBufferPointer(start: string, count: count))
    }

    /// The bytes of text that was made here, or of any other.
    ///
    /// - Complexity: O(bytes).
    package static func bytes(of text: String) -> [UInt8] {
        guard hasEscapes(text) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if escapes.contains(scalar.value) {
                bytes.append(UInt8(scalar.value - base))
            } else {
                bytes += Array(UTF8.encode(scalar) ?? UTF8.EncodedScalar())
            }
        }
        return bytes
    }

    /// Lends the bytes as a C string.
    package static func withCString<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result)
        -> Result
    {
        guard hasEscapes(text) else { return text.withCString(body) }
        return (bytes(of: text).map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("an empty allocation") }
            return body(start)
        }
    }

    /// The scalar at the beginning of bytes; nil if they are not UTF-8 there, or have an escape.
    private static func scalar(at bytes: some Collection<UInt8>, startingWith first: UInt8) -> Unicode.Scalar?
    {
        let length =
            switch first {
            case ..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        guard length > 0, let text = String(validating: bytes.prefix(length), as: UTF8.self),
            let scalar = text.unicodeScalars.first, UTF8.width(scalar) == length,
            !escapes.contains(scalar.value)
        else { return nil }
        return scalar
    }

    private static func hasEscapes(_ text: String) -> Bool {
        // All escapes begin with these two bytes.
        var last: UInt8 = 0
        for byte in text.utf8 {
            if last == 0xF4, byte == 0x8F {
                return text.unicodeScalars.contains { escapes.contains($0.value) }
            }
            last = byte
        }
        return false
    }
}
