internal import Glibc
internal import Synchronization

/// A file with a name in each line, to which names are appended one by one. From any thread.
final class NameLog: Sendable {
    private let descriptor: Int32
    /// The first error number.
    private let problem = Mutex<Int32?>(nil)

    /// Opens the file, or creates it; nil, with `errno`, if that fails.
    init?(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        if descriptor < 0 { return nil }
    }

    // Also called if the file could not be opened; then `errno` stays as it is.
    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends a line at once, so that it is there even if the command is ended. A line break of the name is written
    /// as `\n`; names are compared with the lines in this form.
    func append(_ name: String) {
        let lineBreak = UInt8(ascii: "\n")
        let line = name.utf8.flatMap { $0 == lineBreak ? Array("\\n".utf8) : [$0] } + [lineBreak]
        problem.withLock { problem in
            guard problem == nil else { return }
            problem = DescriptorWriting.writeAll(line, to: descriptor)
        }
    }

    /// The error number of the first line that could not be written.
    var failure: Int32? { problem.withLock { $0 } }

    /// The names in a file; none if there is no such file. Nil, with `errno`, if it cannot be read.
    static func names(in path: String) -> Set<String>? {
        guard let file = fopen(path, "re") else { return errno == ENOENT ? [] : nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { break }
            bytes += part[..<count]
        }
        if ferror(file) != 0 { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return Set(lines.map { String(decoding: $0, as: UTF8.self) })
    }
}
