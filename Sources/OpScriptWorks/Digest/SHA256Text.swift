/// The SHA-256 of bytes, as lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String {
    var sum = DigestAlgorithm.sha256.makeSum()
    bytes.withUnsafeBytes { sum.take($0) }
    return sum.hexadecimal()
}
