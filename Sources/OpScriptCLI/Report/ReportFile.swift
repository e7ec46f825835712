internal import Glibc
internal import OpScript
internal import OpScriptRecord

/// A file to which a record is written: first under a neighbouring name, then renamed when it is complete.
struct ReportFile {
    /// The reason why a report could not be written.
    struct Failure: Error {
        let message: String
    }

    let path: String
    let format: ReportFormat

    /// Checks, before the run begins, whether the file can be written.
    init(_ path: String) throws(Failure) {
        guard let format = ReportFormat(path: path) else {
            throw Failure(message: "'\(path)' has none of the endings \(ReportFormat.endings)")
        }
        self.path = path
        self.format = format
        var status = stat()
        guard RawText.withCString(folder, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR
        else {
            throw Failure(message: SystemReason.cannotWrite(path, ENOENT))
        }
        if RawText.withCString(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw Failure(message: SystemReason.cannotWrite(path, EISDIR))
        }
        guard RawText.withCString(folder, { access($0, W_OK) }) == 0 else {
            throw Failure(message: SystemReason.cannotWrite(path, errno))
        }
        if format == .svg, Graphviz.path == nil {
            throw Failure(
                message: "cannot write '\(path)': Graphviz draws it, and its command 'dot' is not installed "
                    + "(a file that ends in .dot needs no Graphviz)"
            )
        }
    }

    private var folder: String { SystemReason.folder(of: path) }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Writes the whole file; if that fails, an earlier file stays.
    func write(_ record: RunRecord) throws(Failure) {
        // Exceeding a limit of file sizes is an error here, not a signal.
        let before = signal(SIGXFSZ, SIG_IGN)
        defer { signal(SIGXFSZ, before) }
        let place = "\(folder)/.\(name).\(getpid())"
        do {
            switch format {
            case .record(let format):
                try Self.fill(place) { receive in try record.write(format, to: receive) }
            case .svg:
                let source = "\(place).dot"
                defer { RawText.withCString(source) { _ = unlink($0) } }
                try Self.fill(source) { receive in try record.writeDotToDraw(to: receive) }
                try Graphviz.draw(source, to: place)
            }
            guard
                RawText.withCString(place, { place in RawText.withCString(path) { rename(place, $0) } }) == 0
            else { throw SystemFailure(code: errno) }
        } catch {
            RawText.withCString(place) { _ = unlink($0) }
            let reason =
                (error as? SystemFailure).map { SystemReason.describe($0.code) }
                ?? (error as? Failure)?.message ?? "\(error)"
            throw Failure(message: "cannot write '\(path)': \(reason)")
        }
    }

    private struct SystemFailure: Error {
        let code: Int32
    }

    /// Creates a file and writes the bytes that `produce` returns.
    private static func fill(
        _ path: String,
        _ produce: (_ receive: @escaping ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        let descriptor = RawText.withCString(path) {
            open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw SystemFailure(code: errno) }
        do {
            try produce { bytes in
                if let code = DescriptorWriting.writeAll(bytes, to: descriptor) {
                    throw SystemFailure(code: code)
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw SystemFailure(code: errno) }
    }
}

/// The command `dot` of Graphviz.
private enum Graphviz {
    /// Its path; nil if it is not installed.
    static var path: String? {
        guard let folders = getenv("PATH") else { return nil }
        for folder in String(cString: folders).split(separator: ":") {
            let candidate = "\(folder)/dot"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return nil
    }

    /// Draws a graph.
    static func draw(_ source: String, to target: String) throws(ReportFile.Failure) {
        guard let path else { throw ReportFile.Failure(message: "Graphviz is not installed") }
        var process: pid_t = 0
        let words = [path, "-Tsvg", "-o", target, source]
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let code = posix_spawn(&process, path, nil, nil, &pointers, environ)
        guard code == 0 else { throw ReportFile.Failure(message: SystemReason.describe(code)) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw ReportFile.Failure(message: "Graphviz could not draw it") }
    }
}
