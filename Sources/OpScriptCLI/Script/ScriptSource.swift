internal import Glibc
internal import OpScript

/// The text of a script, and its name in error messages.
struct ScriptSource {
    var bytes: [UInt8]
    /// The name in Lua's form: `@job.lua` for a file, `=stdin` for anything else.
    var chunkName: String
    /// The path beside which `require` looks; nil if the script is not a file.
    var path: String?
    /// The texts of its pieces, as their authors wrote them.
    var texts: [[UInt8]]

    init(bytes: [UInt8], chunkName: String, path: String?, texts: [[UInt8]]? = nil) {
        self.bytes = bytes
        self.chunkName = chunkName
        self.path = path
        self.texts = texts ?? [bytes]
    }

    /// No script.
    static let none = ScriptSource(bytes: [], chunkName: "=stdin", path: nil)

    /// The reason why there is no script to run.
    struct Unusable: Error {
        /// One sentence that names the script.
        var message: String
    }

    /// Reads a script from a file.
    static func file(_ path: String) throws(Unusable) -> ScriptSource {
        let bytes = try bytes(ofFile: path)
        return try ScriptSource(bytes: bytes, chunkName: "@\(path)", path: path).checked(path)
    }

    /// Reads a script from standard input.
    static func standardInput() throws(Unusable) -> ScriptSource {
        let bytes = try readAll(STDIN_FILENO, "standard input")
        return try ScriptSource(bytes: bytes, chunkName: "=stdin", path: nil).checked("stdin")
    }

    /// The pieces of code of a command line, and the script that follows them, as one script.
    ///
    /// Each piece keeps its own name in messages and its own local variables. As with `lua`, a syntax error
    /// in a piece is reported when its turn comes.
    static func joined(_ code: [String], then script: ScriptSource?) -> ScriptSource {
        let commandLine = "=(command line)"
        var chunks = code.map {
            ScriptSource(bytes: RawText.bytes(of: $0), chunkName: commandLine, path: nil)
        }
        if let script { chunks.append(script) }
        if chunks.count == 1 { return chunks[0] }
        // All on one line, so that only a line `(command line)` appears at the end of a traceback.
        var text = Array("local load, error = load, error ".utf8)
        for chunk in chunks {
            text += Array("do local chunk, message = load(".utf8) + quoted(skippingFirstComment(chunk.bytes))
            text += Array(", ".utf8) + quoted(RawText.bytes(of: chunk.chunkName)) + Array(", 't') ".utf8)
            text += Array("if not chunk then error(message, 0) end chunk(...) end ".utf8)
        }
        return ScriptSource(
            bytes: text,
            chunkName: commandLine,
            path: script?.path,
            texts: chunks.map(\.bytes)
        )
    }

    /// Refuses bytes that are not text, before Lua reports an unexpected character somewhere.
    private func checked(_ name: String) throws(Unusable) -> ScriptSource {
        if bytes.first == 0x1B {
            throw Unusable(message: "'\(name)' is compiled Lua, not text: run the source it was made from")
        }
        if bytes.prefix(4096).contains(0) {
            throw Unusable(
                message: "'\(name)' is not a text file: it has zero bytes where Lua code should be"
            )
        }
        return self
    }

    /// Reads a whole file.
    static func bytes(ofFile path: String) throws(Unusable) -> [UInt8] {
        let descriptor = RawText.withCString(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw cannotOpen(path, errno) }
        defer { close(descriptor) }
        return try readAll(descriptor, path)
    }

    private static func readAll(_ descriptor: Int32, _ name: String) throws(Unusable) -> [UInt8] {
        var bytes: [UInt8] = []
        let piece = 65_536
        while true {
            let start = bytes.count
            guard MemoryPace().allows(growing: bytes, by: piece) else { throw cannotOpen(name, ENOMEM) }
            bytes.append(contentsOf: repeatElement(0, count: piece))
            let count = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.map { $0 + start }, piece)
            }
            let code = errno
            bytes.removeLast(piece - max(0, count))
            if count == 0 { return bytes }
            if count < 0, code != EINTR { throw cannotOpen(name, code) }
        }
    }

    private static func cannotOpen(_ path: String, _ code: Int32) -> Unusable {
        Unusable(message: "cannot open '\(path)': \(SystemReason.describe(code))")
    }

    /// A first line that begins with `#` becomes empty; the numbers of later lines do not change.
    private static func skippingFirstComment(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        guard rest.first == UInt8(ascii: "#") else { return Array(rest) }
        return Array(rest.drop { $0 != UInt8(ascii: "\n") })
    }

    /// A Lua string literal of one line with these bytes.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        var literal: [UInt8] = [UInt8(ascii: "\"")]
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                literal += [UInt8(ascii: "\\"), byte]
            case 0..<32:
                let digits = String(byte)
                literal += Array("\\\(String(repeating: "0", count: 3 - digits.count))\(digits)".utf8)
            default:
                literal.append(byte)
            }
        }
        literal.append(UInt8(ascii: "\""))
        return literal
    }
}
