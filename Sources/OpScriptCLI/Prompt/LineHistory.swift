internal import Glibc

/// The lines that a person has typed at the prompt, also in earlier sessions, oldest first.
///
/// They are in a file of the user's state folder, to which each session appends its lines.
struct LineHistory {
    /// How many lines are kept.
    static let limit = 2000

    /// Its lines; each may be several lines of Lua.
    private(set) var lines: [String] = []
    /// The file; nil if there is no place for one.
    private let path: String?

    /// Reads the file. One that has become long loses its oldest lines.
    init(path: String?) {
        self.path = path
        guard let path, let bytes = try? ScriptSource.bytes(ofFile: path) else { return }
        lines = Self.decode(bytes)
        guard lines.count > Self.limit * 2 else { return }
        lines.removeFirst(lines.count - Self.limit)
        let draft = "\(path).\(getpid())"
        guard write(lines.map(Self.encode).joined(), to: draft, O_TRUNC) else { return }
        rename(draft, path)
    }

    /// The file of this user; nil if it has no folder.
    static func defaultPath() -> String? { StateFolder.make("").map { $0 + "/history" } }

    /// Adds a line, unless it is empty, the same as the one before, or begins with a space.
    ///
    /// - Returns: Whether it was added.
    mutating func add(_ line: String) -> Bool {
        guard !line.isEmpty, line != lines.last, !line.hasPrefix(" ") else { return false }
        lines.append(line)
        if let path { _ = write(Self.encode(line), to: path, O_APPEND) }
        return true
    }

    private func write(_ text: String, to path: String, _ flag: Int32) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flag, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // One call, so that the lines of two sessions do not mix.
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }

    // MARK: The form in the file

    /// One line of the file, with its end.
    static func encode(_ line: String) -> String {
        var text = ""
        for character in line.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text + "\n"
    }

    /// The lines of a file. Unknown escapes are kept as they are.
    static func decode(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 10).map { line in
            var text: [UInt8] = []
            var isEscaped = false
            for byte in line {
                if isEscaped {
                    switch byte {
                    case UInt8(ascii: "n"): text.append(10)
                    case UInt8(ascii: "\\"): text.append(byte)
                    default: text += [UInt8(ascii: "\\"), byte]
                    }
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    text.append(byte)
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
