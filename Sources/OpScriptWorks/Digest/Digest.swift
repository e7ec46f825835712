internal import Crypto
internal import OpScript
internal import SystemPackage

/// An algorithm that computes a digest of bytes.
enum DigestAlgorithm: String, Codable, CaseIterable {
    case sha256, sha1, sha512, md5, crc32

    /// The digest of no bytes yet.
    fileprivate func makeSum() -> any DigestSum {
        switch self {
        case .sha256: SHA256()
        case .sha1: Insecure.SHA1()
        case .sha512: SHA512()
        case .md5: Insecure.MD5()
        case .crc32: CRC32()
        }
    }
}

/// The digest of bytes, as lower-case hexadecimal digits.
func digest(_ algorithm: DigestAlgorithm, _ context: WorkContext, _ data: ScriptData) throws -> String {
    var sum = algorithm.makeSum()
    context.progress.totalUnitCount = Int64(data.bytes.count)
    try data.bytes.withUnsafeBytes { bytes in
        var start = 0
        while start < bytes.count {
            try context.checkCancellation()
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(pieceSize))
            sum.take(piece)
            start += piece.count
            context.progress.completedUnitCount = Int64(start)
        }
    }
    return sum.hexadecimal
}

/// The digest of a file's bytes; reads it in pieces, so memory does not depend on its size.
func digestFile(_ algorithm: DigestAlgorithm, _ context: WorkContext, _ path: FilePath) throws -> String {
    var sum = algorithm.makeSum()
    try readPieces(context, path) { sum.take($0) }
    return sum.hexadecimal
}

/// The functions that all kinds of digests have in common.
private protocol DigestSum {
    mutating func take(_ bytes: UnsafeRawBufferPointer)
    var hexadecimal: String { get }
}

extension DigestSum where Self: HashFunction {
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        update(bufferPointer: bytes)
    }

    var hexadecimal: String { hexadecimalDigits(of: finalize()) }
}

extension SHA256: DigestSum {}
extension SHA512: DigestSum {}
extension Insecure.SHA1: DigestSum {}
extension Insecure.MD5: DigestSum {}

extension CRC32: DigestSum {
    mutating func take(_ bytes: UnsafeRawBufferPointer) { update(bytes) }

    var hexadecimal: String {
        hexadecimalDigits(of: withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }
}

private func hexadecimalDigits(of bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
        as: UTF8.self
    )
}
