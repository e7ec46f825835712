#if Journal
internal import CSQLite
internal import Glibc
internal import OpScript

/// The file of a journal: its lock, its format, and the ways in which it can be unusable.
enum JournalFile {
    /// The number of the format; a file of a later one is refused.
    static let format: Int64 = 3
    /// `OpSj`, by which SQLite's files recognise their program.
    private static let application: Int64 = 0x4F70_536A

    /// A file that is open for one writer.
    struct Opened {
        let database: Database
        let lock: Int32
        /// Whether commits are not synced unless they have to be.
        let usesWAL: Bool
        let notes: [String]
    }

    /// Opens a journal for writing; makes the file if there is none.
    ///
    /// - Parameter fileSystem: The number of its file system; nil to ask the kernel.
    static func open(_ path: String, goesAnyway: Bool, fileSystem: Int64? = nil) throws(ScriptError) -> Opened
    {
        var descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        let isMade = descriptor >= 0
        if !isMade { descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw cannotOpen(path, errno) }
        var notes: [String] = []
        do throws(ScriptError) {
            let isLocal = !foreign.contains(fileSystem ?? csqlite_file_system(descriptor))
            if !isLocal {
                notes.append(
                    "the journal '\(path)' is on a file system of another machine or program: "
                        + "a power failure there may damage it"
                )
            }
            try lock(descriptor, path, goesAnyway: goesAnyway)
            var isNew = try checkLength(descriptor, path)
            let database = try prepare(path, isNew: &isNew, usesWAL: isLocal)
            if isNew, !isMade {
                notes.append(
                    "note: the journal '\(path)' was empty, or its log '\(path)-wal' is missing, so nothing is known "
                        + "of earlier runs"
                )
            }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_nlink > 1 {
                notes.append(
                    "note: the journal '\(path)' has \(status.st_nlink) names (hard links): use always the same one, "
                        + "since its log is beside that"
                )
            }
            return Opened(database: database, lock: descriptor, usesWAL: isLocal, notes: notes)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Opens a journal for reading.
    static func openToRead(_ path: String) throws(ScriptError) -> Database {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw cannotOpen(path, errno) }
        defer { close(descriptor) }
        if try checkLength(descriptor, path) {
            throw ScriptError(.host, "'\(path)' is empty: nothing was recorded")
        }
        do throws(Database.Failure) {
            do throws(Database.Failure) {
                let database = try Database(path, isReadOnly: true)
                try checkFormat(database, path)
                return database
            } catch {
                // Where nothing can be written, SQLite cannot share the file with a writer, and there is none.
                guard error.isUnopenable, !hasLog(path) else { throw error }
                let database = try Database(path, isReadOnly: true, isImmutable: true)
                try checkFormat(database, path)
                return database
            }
        } catch {
            throw refusal(error, path)
        }
    }

    private static func cannotOpen(_ path: String, _ code: Int32) -> ScriptError {
        ScriptError(.host, "cannot open the journal '\(path)': \(String(cString: strerror(code)))")
    }

    /// The folder of large results: beside the file itself, whatever link leads to it.
    static func resultFolder(of path: String) -> String {
        guard let found = realpath(path, nil) else { return "\(path).results" }
        defer { free(found) }
        return "\(String(cString: found)).results"
    }

    /// An error of SQLite, in the words of a user.
    static func refusal(_ failure: Database.Failure, _ path: String) -> ScriptError {
        if failure.isDamage {
            return ScriptError(
                .host,
                "the journal '\(path)' is damaged (\(failure.message)), and nothing of it is used: move it away to "
                    + "begin a new one"
            )
        }
        let remedy =
            failure.isFull
            ? ". If there is no room, or a limit of file sizes, change that, and continue with --resume" : ""
        return ScriptError(.host, "cannot use the journal '\(path)': \(failure.message)\(remedy)")
    }

    // MARK: One writer

    private static func lock(_ descriptor: Int32, _ path: String, goesAnyway: Bool) throws(ScriptError) {
        if setLock(F_WRLCK, descriptor) { return }
        let code = errno
        if code == EAGAIN || code == EACCES {
            var writer: Int64?
            // A program that a killed run was just starting may have a copy of the lock for a moment, and a run that
            // has just begun has not said its number yet.
            for attempt in 0..<200 {
                usleep(10_000)
                if setLock(F_WRLCK, descriptor) { return }
                if attempt > 20 { writer = self.writer(path) }
                if writer != nil { break }
            }
            throw ScriptError(
                .host,
                "another run uses the journal '\(path)'"
                    + (writer.map { ": process \($0)" } ?? "") + "; wait for its end, or name another journal"
            )
        }
        if goesAnyway { return }
        throw ScriptError(
            .host,
            "the file system of the journal '\(path)' has no locks (\(String(cString: strerror(code)))), so two runs "
                + "could damage it: name another place, or say --journal-anyway"
        )
    }

    /// The process that uses a journal; nil if none has said its number.
    private static func writer(_ path: String) -> Int64? {
        let last = (try? openToRead(path)).flatMap { try? RunRow.last(in: $0) }
        guard let last, last.ended == nil, isAlive(last.pid) else { return nil }
        return last.pid
    }

    static func isAlive(_ pid: Int64) -> Bool { kill(pid_t(truncatingIfNeeded: pid), 0) == 0 }

    /// Releases the lock and closes its descriptor: a program that is just being started may have a copy of that.
    static func unlock(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        _ = setLock(F_UNLCK, descriptor)
        close(descriptor)
    }

    /// Locks a byte far behind the file, so that it meets no lock of SQLite, or unlocks it. The lock belongs to the
    /// open file, so the kernel releases it with the process.
    private static func setLock(_ kind: Int32, _ descriptor: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = 1 << 46
        range.l_len = 1
        let command: Int32 = 37  // F_OFD_SETLK, which Swift's module for the C library leaves out.
        return fcntl(descriptor, command, &range) == 0
    }

    /// File systems of other machines, or of programs, which may not keep what SQLite's write-ahead log needs.
    private static let foreign: Set<Int64> = [
        0x6969, 0x6573_5546, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x5346_414F, 0x00C3_6400,
        0x7375_7245,
        0x786F_4256, 0x0BD0_0BD0, 0x4750_4653, 0x1983_0326,
    ]

    // MARK: The format

    /// Whether the file is empty, that is new.
    ///
    /// - Throws: If it is shorter than its own header says, or is not a database.
    private static func checkLength(_ descriptor: Int32, _ path: String) throws(ScriptError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw cannotOpen(path, errno) }
        if status.st_size == 0 { return true }
        var header = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &header, 100, 0)
        guard count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
            throw damage(path, "it does not begin as one")
        }
        let pageSize = Int(header[16]) << 8 | Int(header[17])
        let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
        // A log that was not moved into the file entirely has the pages that are missing there.
        let isCounted = header[24..<28] == header[92..<96] && !hasLog(path)
        let length = (pageSize == 1 ? 65_536 : pageSize) * pages
        guard !isCounted || Int(status.st_size) >= length else {
            throw damage(path, "it has \(status.st_size) bytes instead of \(length)")
        }
        return false
    }

    private static func hasLog(_ path: String) -> Bool {
        var status = stat()
        return stat("\(path)-wal", &status) == 0 && status.st_size > 0
    }

    private static func damage(_ path: String, _ reason: String) -> ScriptError {
        ScriptError(
            .host,
            "'\(path)' is not a journal, or it is damaged: \(reason). Nothing of it is used: name another file, or "
                + "move it away to begin a new journal"
        )
    }

    private static func prepare(_ path: String, isNew: inout Bool, usesWAL: Bool) throws(ScriptError)
        -> Database
    {
        do throws(Database.Failure) {
            let database = try Database(path, isReadOnly: false)
            // Its first writer may have been killed before it made the tables.
            if !isNew { isNew = try hasNoTables(database) }
            if !isNew { try checkFormat(database, path) }
            try database.execute("PRAGMA journal_mode=\(usesWAL ? "WAL" : "DELETE")")
            try database.execute("PRAGMA synchronous=\(usesWAL ? "NORMAL" : "FULL")")
            // Seldom a checkpoint, since each one waits for the disk.
            if usesWAL { try database.execute("PRAGMA wal_autocheckpoint=8000") }
            if isNew {
                try database.execute(schema)
            } else {
                let answers = try database.rows("PRAGMA quick_check(1)") { $0.text(0) ?? "" }
                if answers != ["ok"] {
                    throw Database.Failure(code: 11, message: answers.first ?? "no answer")
                }
            }
            return database
        } catch {
            throw refusal(error, path)
        }
    }

    private static func hasNoTables(_ database: Database) throws(Database.Failure) -> Bool {
        let tables = try database.rows("SELECT count(*) FROM sqlite_master") { $0.number(0) }.first
        let application = try database.rows("PRAGMA application_id") { $0.number(0) }.first
        return tables == 0 && application == 0
    }

    private static func checkFormat(_ database: Database, _ path: String) throws(Database.Failure) {
        let application = try database.rows("PRAGMA application_id") { $0.number(0) }.first
        if application == 0, try hasNoTables(database) {
            throw Database.Failure(
                code: 1,
                message: "nothing is recorded in it, or its log '\(path)-wal' is missing"
            )
        }
        guard application == Self.application else {
            throw Database.Failure(code: 1, message: "it is a database of another program")
        }
        let version = try database.rows("PRAGMA user_version") { $0.number(0) }.first ?? 0
        guard version == format else {
            let age = version < format ? "an earlier" : "a later"
            throw Database.Failure(
                code: 1,
                message:
                    "it has the format \(version) of \(age) version of this program, which knows \(format); "
                    + "use that version, or name another journal"
            )
        }
    }

    private static var schema: String {
        "BEGIN; PRAGMA application_id=\(application); PRAGMA user_version=\(format);"
            + String(cString: csqlite_tables()) + "COMMIT;"
    }
}
#endif
