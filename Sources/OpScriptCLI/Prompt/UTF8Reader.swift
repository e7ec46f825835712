/// Reads characters from bytes that arrive one by one.
enum UTF8Reader {
    /// Takes the first character out of the bytes; nil if its end is missing. A byte that belongs to no character is
    /// U+FFFD.
    static func take(_ bytes: inout [UInt8]) -> Unicode.Scalar? {
        guard let first = bytes.first else { return nil }
        let length =
            switch first {
            case ..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let tail = bytes.dropFirst().prefix(length - 1)
        if let wrong = tail.firstIndex(where: { $0 & 0xC0 != 0x80 }) {
            bytes.removeFirst(wrong)
            return "\u{FFFD}"
        }
        guard bytes.count >= length else { return nil }
        defer { bytes.removeFirst(length) }
        return String(decoding: bytes.prefix(length), as: UTF8.self).unicodeScalars.first
    }
}
