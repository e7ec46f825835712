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

    /// The pieces in front of the script, and the script that follows them, as one script.
    ///
    /// Each piece keeps its own name in messages and its own local variables. As with `lua`, a syntax error
    /// in a piece is reported when its turn comes, and the script receives what is in `arg` by then.
    static func joined(
        _ pieces: [StartPiece],
        then script: ScriptSource?,
        takesArguments: Bool
    ) throws(Unusable) -> ScriptSource {
        if pieces.isEmpty, let script { return script }
        if script == nil, pieces.count == 1, case .code(let code, let name) = pieces[0] {
            return ScriptSource(bytes: RawText.bytes(of: code), chunkName: name, path: nil)
        }
        // All on one line, so that only a line `(command line)` appears at the end of a traceback.
        var joined = ScriptSource(bytes: [], chunkName: StartPiece.commandLine, path: script?.path, texts: [])
        joined.append(
            "local load, error, pcall, type, warn, unpack = load, error, pcall, type, warn, table.unpack "
        )
        for piece in pieces {
            switch piece {
            case .code(let code, let name):
                joined.append(ScriptSource(bytes: RawText.bytes(of: code), chunkName: name, path: nil))
            case .file(let path): joined.append(try .file(path))
            case .library(let global, let module):
                joined.append("do local found, value = pcall(require, ", RawText.bytes(of: module))
                joined.append(") if not found then error(value, 0) end _ENV[", RawText.bytes(of: global))
                joined.append("] = value end ")
            case .warnings: joined.append("warn('@on') ")
            }
        }
        if let script {
            joined.append("if type(arg) ~= 'table' then error(\"'arg' is not a table\", 0) end ")
            joined.append(script, arguments: takesArguments ? "unpack(arg, 1, #arg)" : "")
        }
        return joined
    }

    /// Appends Lua code, and a string behind it.
    private mutating func append(_ code: String, _ literal: [UInt8]? = nil) {
        bytes += Array(code.utf8)
        if let literal { bytes += Self.quoted(literal) }
    }

    /// Appends the call of a chunk.
    private mutating func append(_ chunk: ScriptSource, arguments: String = "") {
        append("do local chunk, message = load(", Self.skippingFirstComment(chunk.bytes))
        append(", ", RawText.bytes(of: chunk.chunkName))
        append(") if not chunk then error(message, 0) end chunk(\(arguments)) end ")
        texts.append(chunk.bytes)
    }

    /// Refuses bytes that are neither text nor a binary chunk, before Lua reports an unexpected character somewhere.
    private func checked(_ name: String) throws(Unusable) -> ScriptSource {
        if Self.skippingFirstComment(bytes).first != 0x1B, bytes.prefix(4096).contains(0) {
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

    /// A first line that begins with `#` becomes empty; the numbers of later lines do not change. Only in front of a
    /// binary chunk is it removed.
    private static func skippingFirstComment(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        guard rest.first == UInt8(ascii: "#") else { return Array(rest) }
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
        // A binary chunk has no lines.
        return Array(rest.dropFirst().first == 0x1B ? rest.dropFirst() : rest)
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
