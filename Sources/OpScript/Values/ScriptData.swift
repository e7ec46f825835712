/// A large byte buffer that crosses between scripts and Swift closures without being copied.
///
/// Immutable, hence safe to read from any thread. In a script: `#d`, `d:sub(i, j)`, `d:string()`.
public final class ScriptData: Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Takes over bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
