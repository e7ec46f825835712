internal import Glibc
internal import OpScript
internal import OpScriptWorks

/// The folder on shared storage through which a run and its jobs exchange files.
///
/// `tasks/B` holds the bodies of a batch, `results/B.I.R` the end of one of them, and `output/B.I.txt` the output of
/// its job.
/// A file is written beside its place, synced, and renamed into it, so no reader sees half of one.
struct SharedFolder: Sendable {
    /// The folder of one run.
    let path: String

    init(_ path: String) { self.path = path }

    /// Makes the folders.
    func make() throws(ScriptError) {
        var parents = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            parents += (parents.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            if parents != "/", !part.isEmpty, parents != path { mkdir(parents, 0o755) }
        }
        for folder in ["", "/tasks", "/results", "/output", "/values"] {
            guard mkdir(path + folder, 0o700) == 0 || errno == EEXIST else {
                throw ScriptError(
                    .host,
                    "cannot make the folder '\(path)\(folder)' (see --share): \(reason(errno))"
                )
            }
        }
    }

    // MARK: Tasks

    /// Writes the bodies of a batch: a table of their places in the file, and then each of them.
    func write(batch: Int, _ tasks: [TaskMessage]) throws(ScriptError) {
        let bodies = tasks.map(\.bytes)
        var bytes: [UInt8] = []
        var place = UInt64(8 * (bodies.count + 1))
        for size in bodies.map(\.count) + [0] {
            withUnsafeBytes(of: place.littleEndian) { bytes += $0 }
            place += UInt64(size)
        }
        for body in bodies { bytes += body }
        try write(bytes, to: "tasks/\(batch)")
    }

    /// One body of a batch.
    func task(batch: Int, index: Int) throws(ScriptError) -> TaskMessage {
        let name = "\(path)/tasks/\(batch)"
        let file = open(name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ScriptError(.host, "cannot read '\(name)': \(reason(errno))") }
        defer { close(file) }
        let ends = read(file, from: 8 * index, count: 16)
        let places = [0, 8].map { offset in
            (0..<8).reduce(UInt64(0)) {
                $0 | UInt64(ends.count == 16 ? ends[offset + $1] : 0) << UInt64(8 * $1)
            }
        }
        guard places[0] >= 16, places[1] >= places[0],
            let task = TaskMessage(
                read(file, from: Int(clamping: places[0]), count: Int(clamping: places[1] - places[0]))
            )
        else { throw ScriptError(.host, "'\(name)' is damaged: it has no task \(index)") }
        return task
    }

    /// The batches that an earlier run has written, each with the keys of its bodies.
    func batches() -> [Int: [[UInt8]?]] {
        var batches: [Int: [[UInt8]?]] = [:]
        for batch in names(in: "tasks").compactMap({ Int($0) }) {
            guard let bytes = contents(of: "\(path)/tasks/\(batch)"), bytes.count >= 16 else { continue }
            let start = (0..<8).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
            guard start >= 16, start % 8 == 0, start <= bytes.count else { continue }
            batches[batch] = (0..<start / 8 - 1).map { index in (try? task(batch: batch, index: index))?.key }
        }
        return batches
    }

    // MARK: Results

    /// Notes that a body has failed, so that no later run waits for it.
    func markFailed(batch: Int, index: Int) {
        let file = open("\(path)/results/\(batch).\(index).failed", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    /// The bodies for which that was noted.
    func failed() -> Set<BatchPlace> {
        Set(
            names(in: "results").compactMap { name -> BatchPlace? in
                let parts = name.split(separator: ".")
                guard parts.count == 3, parts[2] == "failed", let batch = Int(parts[0]),
                    let index = Int(parts[1])
                else { return nil }
                return BatchPlace(batch: batch, index: index)
            }
        )
    }

    func write(_ report: TaskReport, as name: ResultName) throws(ScriptError) {
        try write(report.bytes, to: "results/\(name.text)")
    }

    /// The results that are there.
    func results() -> [ResultName] {
        names(in: "results").compactMap { ResultName($0) }.sorted {
            ($0.batch, $0.index, $0.restarts) < ($1.batch, $1.index, $1.restarts)
        }
    }

    /// Reads a result; nil if it cannot be read.
    func result(_ name: ResultName) -> TaskReport? {
        contents(of: "\(path)/results/\(name.text)").flatMap { TaskReport($0) }
    }

    func remove(_ name: ResultName) { unlink("\(path)/results/\(name.text)") }

    /// The end of what a job wrote; empty if there is nothing.
    func outputEnd(batch: Int, index: Int) -> String {
        let file = open("\(path)/output/\(batch).\(index).txt", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return "" }
        let bytes = read(
            file,
            from: max(0, Int(status.st_size) - 16_384),
            count: min(16_384, Int(status.st_size))
        )
        let lines = String(decoding: bytes.suffix(16_384), as: UTF8.self).split(separator: "\n")
        return lines.suffix(40).joined(separator: "\n")
    }

    /// Removes the folder with everything in it.
    func remove() {
        for folder in ["tasks", "results", "output", "values"] {
            for name in names(in: folder) { unlink("\(path)/\(folder)/\(name)") }
            rmdir("\(path)/\(folder)")
        }
        rmdir(path)
        // The folder of all runs, if this was the only one.
        if let slash = path.lastIndex(of: "/") { rmdir(String(path[..<slash])) }
    }

    // MARK: Large values

    /// Values above this size are files, and not in a message.
    static let mostMessageBytes = 256 << 10

    /// Keeps bytes in a file that is named by their digest, and returns the name.
    ///
    /// - Parameter number: Of the body whose result it is: it is removed once it was read.
    func store(_ bytes: [UInt8], for number: UInt64? = nil) throws(ScriptError) -> String {
        try make()
        let name = (number.map { "\($0)-" } ?? "") + sha256(of: bytes)
        try write(bytes, to: "values/\(name)")
        return name
    }

    /// The bytes of such a file; nil if they are not whole. On slow storage they may become visible later.
    func stored(_ name: String) -> [UInt8]? {
        for pause in [0, 50_000, 200_000, 1_000_000, 3_000_000, 5_000_000] as [UInt32] {
            if pause > 0 { usleep(pause) }
            if let bytes = contents(of: "\(path)/values/\(name)"), name.hasSuffix(sha256(of: bytes)) {
                return bytes
            }
        }
        return nil
    }

    func removeStored(_ name: String) { unlink("\(path)/values/\(name)") }

    // MARK: Files

    private func names(in folder: String) -> [String] {
        guard let list = opendir("\(path)/\(folder)") else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private func write(_ bytes: [UInt8], to name: String) throws(ScriptError) {
        let place = "\(path)/\(name)"
        let slash = name.lastIndex(of: "/") ?? name.startIndex
        let draft = "\(path)/\(name[..<slash])/.\(name[slash...].dropFirst())-\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ScriptError(.host, "cannot write '\(place)': \(reason(errno))") }
        var rest = bytes[...]
        var code: Int32 = 0
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR {
                code = errno
                break
            }
            rest = rest.dropFirst(max(0, count))
        }
        if code == 0, fsync(file) != 0 { code = errno }
        if close(file) != 0, code == 0 { code = errno }
        if code == 0, rename(draft, place) != 0 { code = errno }
        guard code == 0 else {
            unlink(draft)
            throw ScriptError(.host, "cannot write '\(place)': \(reason(code))")
        }
    }

    private func contents(of name: String) -> [UInt8]? {
        let file = open(name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        return read(file, from: 0, count: Int(status.st_size))
    }

    private func read(_ file: Int32, from start: Int, count: Int) -> [UInt8] {
        guard count > 0, count < 1 << 32 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    file,
                    buffer.baseAddress.map { $0 + filled },
                    count - filled,
                    off_t(start + filled)
                )
                if got < 0, errno == EINTR { continue }
                if got <= 0 { return }
                filled += got
            }
        }
    }

    private func reason(_ code: Int32) -> String { ScriptError.describe(code) }
}
