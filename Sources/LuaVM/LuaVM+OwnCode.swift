internal import Synchronization

/// The compiled form of Lua text that belongs to the program: it is compiled once for all universes of the
/// process.
private final class OwnCode: Sendable {
    private struct Chunk {
        let source: String
        let bytes: [UInt8]
    }

    static let shared = OwnCode()

    /// By their names. Texts are compared and not hashed: that is one step for the same string, and many
    /// engines that are created at once do not wait for each other.
    private let compiled = Mutex<[String: [Chunk]]>([:])

    func bytes(_ source: String, _ name: String) -> [UInt8]? {
        compiled.withLock { $0[name]?.first { $0.source == source }?.bytes }
    }

    func keep(_ bytes: [UInt8], _ source: String, _ name: String) {
        compiled.withLock { compiled in
            guard compiled[name]?.contains(where: { $0.source == source }) != true else { return }
            compiled[name, default: []].append(Chunk(source: source, bytes: bytes))
        }
    }
}

extension LuaVM {
    /// Pushes the function to which Lua text of the program compiles. [-0, +1, -]
    ///
    /// The text is compiled once in a process and kept for ever, so there must be only few such texts, which
    /// never change and do not come from a script.
    /// - Parameter name: In Lua's form: `=name`.
    /// - Complexity: O(*n*) in the length of the text, but without its compilation after the first time.
    public func loadOwn(_ source: String, name: String, into state: LuaState? = nil) throws(LuaError) {
        let state = state ?? main
        if let bytes = OwnCode.shared.bytes(source, name) { return try state.undump(bytes) }
        try load(source, name: name, into: state)
        if let bytes = state.dump(-1) { OwnCode.shared.keep(bytes, source, name) }
    }
}
