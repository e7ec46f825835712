// @preconcurrency because the list of variables is a variable of the C library.
#if canImport(Glibc)
@preconcurrency internal import Glibc
#else
@preconcurrency internal import Darwin
#endif

/// The variables of the environment whose values are secrets.
package enum SecretVariables {
    /// The least bytes of such a value.
    static let leastBytes = 8

    /// The values of the variables whose names match one of the patterns of a shell, such as `*TOKEN*`.
    ///
    /// Short values and numbers are settings: hiding each `8080` or `true` would make texts unreadable.
    static func values(matching patterns: [String]) -> [[UInt8]] {
        guard !patterns.isEmpty, var next = list else { return [] }
        var values: [[UInt8]] = []
        while let entry = next.pointee {
            next += 1
            let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
            guard let end = bytes.firstIndex(of: UInt8(ascii: "=")), end > 0 else { continue }
            let value = Array(bytes[(end + 1)...])
            guard isSecret(value), matches(RawText.text(of: bytes[..<end]), patterns) else { continue }
            values.append(value)
        }
        return values
    }

    /// Whether a value is long enough, and no number.
    static func isSecret(_ value: [UInt8]) -> Bool {
        let value = SecretTable.trimmed(value)
        let isNumber = value.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.,:".utf8.contains(byte)
        }
        return value.count >= leastBytes && value.count <= SecretTable.mostBytes && !isNumber
    }

    private static func matches(_ name: String, _ patterns: [String]) -> Bool {
        patterns.contains { pattern in
            RawText.withCString(pattern) { pattern in
                RawText.withCString(name) { fnmatch(pattern, $0, 0) == 0 }
            }
        }
    }

    private static var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { environ }
}
