internal import OpScript
internal import SystemPackage

/// An algorithm that computes a digest of bytes.
enum DigestAlgorithm: String, Codable, CaseIterable {
    case sha256, sha1, sha512, md5, crc32
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
    return sum.hexadecimal()
}

/// The digest of a file's bytes; reads it in pieces, so memory does not depend on its size.
func digestFile(_ algorithm: DigestAlgorithm, _ context: WorkContext, _ path: FilePath) throws -> String {
    var sum = algorithm.makeSum()
    try readPieces(context, path) { sum.take($0) }
    return sum.hexadecimal()
}
