#if Journal
internal import CCrypto

/// A SHA-256 digest.
struct Digest256: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The digest of bytes.
    init(of bytes: UnsafeRawBufferPointer) {
        var sum = Digest256Sum()
        sum.take(bytes)
        self = sum.finish()
    }

    /// The 32 bytes of a digest.
    init(_ bytes: UnsafeRawBufferPointer) {
        words = (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// The bytes of a digest; nil if there are not 32 of them.
    init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self = bytes.withUnsafeBytes { Digest256($0) }
    }

    var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    /// Its first eight bytes.
    var firstWord: Int64 { Int64(bitPattern: words.0) }

    /// Lower-case hexadecimal digits.
    var text: String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func == (left: Digest256, right: Digest256) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// A digest of bytes that come in pieces.
struct Digest256Sum {
    private var context = SHA256_CTX()

    init() { _ = SHA256_Init(&context) }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        _ = SHA256_Update(&context, base, bytes.count)
    }

    mutating func finish() -> Digest256 {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            _ = SHA256_Final(bytes.baseAddress, &context)
            return Digest256(UnsafeRawBufferPointer(bytes))
        }
    }
}
#endif
