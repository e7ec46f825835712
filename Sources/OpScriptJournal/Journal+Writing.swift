#if Journal
internal import Glibc
public import OpScript
internal import Scheduling
internal import Synchronization

/// Whether this process writes nothing more to any journal.
private let isSealed = Atomic(false)

/// The rows that a journal writes: in groups, or at once.
extension Journal {
    /// A body that ran has ended.
    public func ended(
        _ operation: JournaledOperation,
        _ entry: Int64,
        _ end: JournaledEnd
    ) throws(ScriptError) {
        if operation.recording != .never { lock.withLock { _ in report.ran += 1 } }
        guard entry > 0 else { return }
        guard let begun = lock.withLock({ _ in self.begun[entry] }) else { return }
        var row = EntryRow(operation, id: entry, run: run, begun: begun.at, reason: begun.reason)
        row.ended = FileReading.now
        let isOnce = operation.recording == .once
        switch end {
        case .succeeded(let results):
            if operation.files != nil {
                let files = recordedFiles(operation, begun)
                noteOutputs(files)
                row.files = RecordedFile.encode(files)
            }
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
        if isOnce, case .interrupted(let text) = end {
            let effect = UnknownEffect(
                entry: entry,
                name: shown(operation),
                begun: begun.at,
                run: run,
                state: text,
                isOfThisPart: true
            )
            lock.withLock { _ in unknownEffects[operation.identity] = effect }
        }
        lock.withLock { _ in
            guard row.state == Entry.State.succeeded.rawValue else { return }
            if row.isComplete { row.replaced = entries.replace(operation, by: entry) }
        }
        guard isOnce else { return add(row) }
        try writeAtOnce(row)
        switch end {
        case .succeeded(let results):
            let isRecorded = row.state == Entry.State.succeeded.rawValue
            lock.withLock { _ in endedEffects[operation.identity] = .some(isRecorded ? results : nil) }
        case .succeededWithout: lock.withLock { _ in endedEffects[operation.identity] = .some(nil) }
        case .failed, .interrupted: break
        }
    }

    private func setResult(_ results: [ScriptValue], of row: inout EntryRow, isOnce: Bool) throws(ScriptError)
    {
        guard let bytes = ValueBytes.encode(results) else {
            row.state = Entry.State.withoutResult.rawValue
            row.error = "its result is an object of the host"
            return
        }
        row.state = Entry.State.succeeded.rawValue
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
        let failure = String(cString: strerror(errno))
        row.state = Entry.State.withoutResult.rawValue
        row.error = "its result cannot be written to '\(resultFolder)': \(failure)"
        let problem =
            "the result of '\(row.name ?? row.work)' cannot be written to '\(resultFolder)': \(failure); "
            + "nothing more is recorded"
        lock.withLock { _ in report.problem = report.problem ?? problem }
    }

    /// The folder of large results.
    var resultFolder: String { JournalFile.resultFolder(of: path) }

    func resultPath(_ digest: String) -> String { "\(resultFolder)/\(digest)" }

    // MARK: Groups

    /// How long a row waits at most for others.
    private static let groupTime: Int64 = 5_000_000

    /// Adds a row to the present group.
    func add(_ row: EntryRow) {
        lock.withLock { _ in append(row) }
        startTicking()
    }

    /// Appends the row of a beginning, or of an end, which takes the place of the beginning.
    ///
    /// - Precondition: `lock` is held.
    private func append(_ row: EntryRow) {
        rows.append(row)
        guard row.state != Entry.State.begun.rawValue else { return }
        unwritten[row.id] = nil
        begun[row.id] = nil
    }

    /// Makes sure that rows are written without anything else that happens.
    func startTicking() {
        let starts = lock.withLock { _ -> Bool in
            defer { isTicking = true }
            return !isTicking
        }
        guard starts, !options.onlyExplains else { return }
        // Without a thread, the rows are written when the script sees the next end.
        _ = SystemThread.start(name: "journal") { self.tick() }
    }

    /// Writes the groups while there are any; the thread ends after some time without.
    private func tick() {
        var idle = 0
        while idle < 20 {
            var pause = timespec(tv_sec: 0, tv_nsec: Int(Self.groupTime))
            nanosleep(&pause, nil)
            let hadRows = lock.withLock { _ in !rows.isEmpty || !unwritten.isEmpty }
            if hadRows { flush() }
            idle = hadRows ? 0 : idle + 1
        }
        lock.withLock { _ in isTicking = false }
        flush()
    }

    /// Writes the present group. When it returns, all rows that were added before are committed, by this thread or by
    /// another one.
    public func flush() { store.withLock { _ in writeAll(withFiles: false) } }

    /// The rows of one commit.
    private struct Group {
        var rows: [EntryRow] = []
        var files: [(path: String, file: KnownFile)] = []
        var depfiles: [(path: String, inputs: [String])] = []
    }

    /// Writes everything that is not written yet, as one group.
    ///
    /// - Parameter withFiles: Whether files that were read are written even without a row.
    /// - Precondition: `store` is held.
    func writeAll(withFiles: Bool = true) {
        // After the end of the run there is no file: the rows of bodies that end later are dropped.
        guard let group = lock.withLock({ _ in takeGroup(withFiles: withFiles) }), let database,
            !isSealed.load(ordering: .acquiring)
        else { return }
        do throws(Database.Failure) {
            try database.run("BEGIN IMMEDIATE")
            try write(group, to: database)
            try database.run("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            noteProblem(error)
        }
    }

    /// - Precondition: `lock` is held.
    private func takeGroup(withFiles: Bool) -> Group? {
        if report.problem != nil || options.onlyExplains {
            rows = []
            unwritten = [:]
        }
        let hasFiles = !changedFiles.isEmpty || !depfiles.isEmpty
        let hasRows = !rows.isEmpty || !unwritten.isEmpty
        guard report.problem == nil, !options.onlyExplains, hasRows || (withFiles && hasFiles) else {
            return nil
        }
        var group = Group()
        group.rows.reserveCapacity(unwritten.count + rows.count)
        // Before the ends: where an end is recorded, everything that had begun before it is recorded, too.
        for (id, operation) in unwritten {
            guard let body = begun[id] else { continue }
            group.rows.append(EntryRow(operation, id: id, run: run, begun: body.at, reason: body.reason))
        }
        unwritten = [:]
        group.rows += rows
        rows = []
        swap(&group.depfiles, &depfiles)
        group.files = changedFiles.compactMap { path in knownFiles[path].map { (path, $0) } }
        changedFiles = []
        return group
    }

    private func write(_ group: Group, to database: Database) throws(Database.Failure) {
        let insertion = try database.statement(EntryRow.insertion)
        for row in group.rows { try row.write(with: insertion, to: database) }
        for (path, file) in group.files {
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
        for (path, inputs) in group.depfiles {
            try database.run(
                "INSERT OR REPLACE INTO depfiles VALUES(?,?)",
                [.text(path), .init(ValueBytes.encode(inputs.map { .text($0) }))]
            )
        }
    }

    /// Nothing more is recorded.
    func noteProblem(_ failure: Database.Failure) {
        let text = JournalFile.refusal(failure, path).message + "; nothing more is recorded"
        lock.withLock { _ in
            if report.problem == nil { report.problem = text }
            rows = []
        }
    }

    /// From now on, this process writes nothing to any journal: it ends at once, and the programs that it kills have
    /// not failed by themselves.
    public static func writeNothingMore() { isSealed.store(true, ordering: .releasing) }

    // MARK: At once

    /// Writes a row, with all before it, so that it survives a failure of the power.
    ///
    /// - Throws: Code `host`; the operation fails then.
    func writeAtOnce(_ row: EntryRow) throws(ScriptError) {
        let problem = store.withLock { _ -> String? in
            // The effects that are under way at the end are known by then: none begins later, and no end counts.
            guard let database, !isSealed.load(ordering: .acquiring) else { return "its run has ended" }
            noteRemoval()
            lock.withLock { _ in append(row) }
            do throws(Database.Failure) {
                if usesWAL { try database.execute("PRAGMA synchronous=FULL") }
                writeAll()
                if usesWAL {
                    // Out of the log, into the file itself: people copy or remove the one without the other.
                    try database.execute("PRAGMA wal_checkpoint(PASSIVE)")
                    try database.execute("PRAGMA synchronous=NORMAL")
                }
            } catch {
                noteProblem(error)
            }
            return lock.withLock { _ in report.problem }
        }
        if let problem {
            throw ScriptError(.host, "'\(row.name ?? row.work)' needs its journal: \(problem)")
        }
    }
}
#endif
