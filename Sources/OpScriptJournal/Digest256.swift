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

    /// The bytes of a digest; nil if there are not 32 of them.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        let array = Array(bytes)
        words = array.withUnsafeBytes { buffer in
            (
                buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }
    }

    var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

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
        var result = [UInt8](repeating: 0, count: 32)
        _ = SHA256_Final(&result, &context)
        guard let digest = Digest256(bytes: result) else { preconditionFailure("a digest has 32 bytes") }
        return digest
    }
}
#endif
