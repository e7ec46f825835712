internal import CCrypto

/// The functions that all kinds of digests have in common.
protocol DigestSum {
    /// Takes in more bytes.
    mutating func take(_ bytes: UnsafeRawBufferPointer)
    /// The digest of all bytes so far, as lower-case hexadecimal digits. Nothing is taken in after it.
    mutating func hexadecimal() -> String
}

/// A digest that libcrypto computes.
struct LibraryDigest<Context>: DigestSum {
    private var context: Context
    private let update: (UnsafeMutablePointer<Context>, UnsafeRawPointer, Int) -> CInt
    private let finish: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Context>) -> CInt
    private let length: Int

    /// - Parameters:
    ///   - length: The number of the digest's bytes.
    ///   - start: Begins a digest. Like the two others, it cannot fail.
    init(
        _ context: Context,
        length: CInt,
        start: (UnsafeMutablePointer<Context>) -> CInt,
        update: @escaping (UnsafeMutablePointer<Context>, UnsafeRawPointer, Int) -> CInt,
        finish: @escaping (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Context>) -> CInt
    ) {
        self.context = context
        self.length = Int(length)
        self.update = update
        self.finish = finish
        _ = start(&self.context)
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        _ = update(&context, base, bytes.count)
    }

    mutating func hexadecimal() -> String {
        var digest = [UInt8](repeating: 0, count: length)
        _ = finish(&digest, &context)
        return hexadecimalDigits(of: digest)
    }
}

extension DigestAlgorithm {
    /// The digest of no bytes yet.
    func makeSum() -> any DigestSum {
        switch self {
        case .sha256:
            LibraryDigest(
                SHA256_CTX(),
                length: SHA256_DIGEST_LENGTH,
                start: { SHA256_Init($0) },
                update: { SHA256_Update($0, $1, $2) },
                finish: { SHA256_Final($0, $1) }
            )
        case .sha1:
            LibraryDigest(
                SHA_CTX(),
                length: SHA_DIGEST_LENGTH,
                start: { SHA1_Init($0) },
                update: { SHA1_Update($0, $1, $2) },
                finish: { SHA1_Final($0, $1) }
            )
        case .sha512:
            LibraryDigest(
                SHA512_CTX(),
                length: SHA512_DIGEST_LENGTH,
                start: { SHA512_Init($0) },
                update: { SHA512_Update($0, $1, $2) },
                finish: { SHA512_Final($0, $1) }
            )
        case .md5:
            LibraryDigest(
                MD5_CTX(),
                length: MD5_DIGEST_LENGTH,
                start: { MD5_Init($0) },
                update: { MD5_Update($0, $1, $2) },
                finish: { MD5_Final($0, $1) }
            )
        case .crc32: CRC32()
        }
    }
}

extension CRC32: DigestSum {
    mutating func take(_ bytes: UnsafeRawBufferPointer) { update(bytes) }

    func hexadecimal() -> String {
        hexadecimalDigits(of: withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }
}

private func hexadecimalDigits(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
        as: UTF8.self
    )
}
