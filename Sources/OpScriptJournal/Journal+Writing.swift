#if Journal
internal import Glibc
public import OpScript
internal import Scheduling
internal import Synchronization

/// The rows that a journal writes: in groups, or at once.
extension Journal {
    /// A body that ran has ended.
    public func ended(
        _ operation: JournaledOperation,
        _ entry: Int64,
        _ end: JournaledEnd
    ) throws(ScriptError) {
        guard entry > 0 else { return }
        guard let begun = lock.withLock({ _ in self.begun.removeValue(forKey: entry) }) else { return }
        var row = EntryRow(operation, id: entry, run: run, begun: begun.at, reason: begun.reason)
        row.ended = FileReading.now
        let isOnce = operation.recording == .once
        switch end {
        case .succeeded(let results):
            row.state = Entry.State.succeeded.rawValue
            if operation.files != nil { row.files = RecordedFile.encode(recordedFiles(operation, begun)) }
            try setResult(results, of: &row, isOnce: isOnce)
        case .succeededWithout(let reason):
            row.state = Entry.State.withoutResult.rawValue
            row.error = reason
        case .failed(let text):
            row.state = Entry.State.failed.rawValue
            row.error = text
        case .interrupted(let text):
            row.state = Entry.State.interrupted.rawValue
            row.error = text
        }
        lock.withLock { _ in if row.state == Entry.State.succeeded.rawValue { report.ran += 1 } }
        if isOnce { try writeAtOnce(row) } else { add(row) }
    }

    private func setResult(_ results: [ScriptValue], of row: inout EntryRow, isOnce: Bool) throws(ScriptError)
    {
        guard let bytes = ValueBytes.encode(results) else { return }
        guard bytes.count > Self.mostResultBytes else {
            row.result = bytes
            return
        }
        let digest = bytes.withUnsafeBytes { Digest256(of: $0) }.text
        mkdir(resultFolder, 0o777)
        if FileReading.write(bytes, to: resultPath(digest), isSynced: isOnce) {
            row.resultFile = digest
            return
        }
        let reason = "its result cannot be written to '\(resultFolder)': \(String(cString: strerror(errno)))"
        row.state = Entry.State.withoutResult.rawValue
        row.error = reason
        lock.withLock { _ in report.problem = report.problem ?? reason }
    }

    /// The folder of large results.
    var resultFolder: String { "\(path).results" }

    func resultPath(_ digest: String) -> String { "\(resultFolder)/\(digest)" }

    // MARK: Groups

    /// How long a row waits at most for others.
    private static let groupTime: Int64 = 5_000_000

    /// Adds a row to the present group.
    func add(_ row: EntryRow) {
        let startsTicking = lock.withLock { _ -> Bool in
            rows.append(row)
            defer { isTicking = true }
            return !isTicking
        }
        guard startsTicking else { return }
        // Without a thread, the rows are written when the script sees the next end.
        _ = SystemThread.start(name: "journal") { self.tick() }
    }

    /// Writes the groups while there are any; the thread ends after some time without.
    private func tick() {
        var idle = 0
        while idle < 20 {
            var pause = timespec(tv_sec: 0, tv_nsec: Int(Self.groupTime))
            nanosleep(&pause, nil)
            let hadRows = lock.withLock { _ -> Bool in
                guard !rows.isEmpty else { return false }
                writeAll()
                return true
            }
            idle = hadRows ? 0 : idle + 1
        }
        lock.withLock { _ in isTicking = false }
        flush()
    }

    /// Writes the present group.
    public func flush() {
        lock.withLock { _ in if !rows.isEmpty { writeAll() } }
    }

    /// Writes everything that is not written yet, as one group.
    ///
    /// - Precondition: `lock` is held.
    func writeAll() {
        guard report.problem == nil, let database, !options.onlyExplains else {
            rows = []
            return
        }
        guard !rows.isEmpty || !changedFiles.isEmpty || !depfiles.isEmpty else { return }
        do throws(Database.Failure) {
            try database.execute("BEGIN IMMEDIATE")
            try writeParts(database)
            try database.execute("COMMIT")
            rows.removeAll(keepingCapacity: true)
            changedFiles = []
            depfiles = []
        } catch {
            try? database.execute("ROLLBACK")
            noteProblem(error)
        }
    }

    private func writeParts(_ database: Database) throws(Database.Failure) {
        for row in rows { try row.write(to: database) }
        for path in changedFiles {
            guard let file = knownFiles[path] else { continue }
            let identity = file.identity
            try database.run(
                "INSERT OR REPLACE INTO files VALUES(?,?,?,?,?,?,?,?)",
                [
                    .text(path), .number(identity.device), .number(identity.inode), .number(identity.size),
                    .number(identity.modified), .number(identity.changed), .number(file.readAt),
                    .bytes(file.digest.bytes),
                ]
            )
        }
        for (path, inputs) in depfiles {
            try database.run(
                "INSERT OR REPLACE INTO depfiles VALUES(?,?)",
                [.text(path), .init(ValueBytes.encode(inputs.map { .text($0) }))]
            )
        }
    }

    /// - Precondition: `lock` is held.
    func noteProblem(_ failure: Database.Failure) {
        guard report.problem == nil else { return }
        report.problem = JournalFile.refusal(failure, path).message + "; nothing more is recorded"
        rows = []
    }

    // MARK: At once

    /// Writes a row, with all before it, so that it survives a failure of the power.
    ///
    /// - Throws: Code `host`; the operation fails then.
    func writeAtOnce(_ row: EntryRow) throws(ScriptError) {
        let problem = lock.withLock { _ -> String? in
            rows.append(row)
            if report.problem == nil, let database {
                do throws(Database.Failure) {
                    if usesWAL { try database.execute("PRAGMA synchronous=FULL") }
                    writeAll()
                    if usesWAL { try database.execute("PRAGMA synchronous=NORMAL") }
                } catch {
                    noteProblem(error)
                }
            }
            return report.problem
        }
        if let problem {
            throw ScriptError(.host, "'\(row.name ?? row.work)' needs its journal: \(problem)")
        }
    }
}
#endif
