#if Journal
internal import Glibc
public import OpScript
internal import Synchronization

/// A journal in a file: an SQLite database, with large results in a folder beside it.
///
/// ```swift
/// var configuration = ScriptEngine.Configuration()
/// configuration.journal = try Journal("job.journal", Journal.Options(resumes: true))
/// ```
///
/// It serves one run. One process at a time writes to a file.
public final class Journal: RunJournal, @unchecked Sendable {
    // @unchecked because `lock` guards what decisions need, and `store` the database. A thread that needs both takes
    // `store` first.

    /// How a run uses its journal.
    public struct Options: Sendable {
        /// Whether the run continues the last one, if that did not end well.
        public var resumes = false
        /// The names of operations that run whatever is recorded, with all that depend on them.
        public var again: [String] = []
        /// By the name of an operation whose effect is not known, or by `#` and the number of its entry.
        public var resolutions: [String: Resolution] = [:]
        /// Whether bodies do not run, and the report explains which would.
        public var onlyExplains = false
        /// The only operation that is explained; nil for all.
        public var explainedName: String?
        /// Whether the report lists the files on which the run depended.
        public var listsInputs = false
        /// Whether a file system without locks is accepted.
        public var goesAnyway = false
        /// Whether ``Journal/finish(isGood:otherwise:)`` writes the end of the run: for a program that decides later
        /// whether the run ended well.
        public var isFinishedLater = false

        /// Receives the notes of the beginning, such as which run is continued, on the script thread.
        public var onNote: (@Sendable (String) -> Void)?

        /// The defaults: a new run.
        public init(resumes: Bool = false) { self.resumes = resumes }
    }

    /// The user's answer about an effect that has begun and is not known to have ended.
    public enum Resolution: Sendable {
        /// It has ended, with this result.
        case done(ScriptValue)
        /// It runs again.
        case again
    }

    /// The largest result that the database itself takes.
    static let mostResultBytes = 256 << 10

    /// Its path.
    public let path: String
    let options: Options
    /// Guards the database; held while a group is committed.
    let store = Mutex(())
    /// Guards the entries, the rows that wait and the report; held for moments.
    let lock = Mutex(())

    let recordedCount = Atomic(0)
    let upToDateCount = Atomic(0)

    // Guarded by `store`.
    var database: Database?
    private var lockDescriptor: Int32
    let usesWAL: Bool
    private var session: RunRow?
    /// The end of the run, until ``finish(isGood:otherwise:)`` writes it.
    private var pendingEnd: PendingEnd?
    var recall: LastEntries?

    // Set once before the first operation.
    /// The entries that the user has just answered with `done`.
    var answered: Set<Int64> = []
    var run: Int64 = 0
    /// When this process's part of the run began; 0 before.
    var beganAt: Int64 = 0
    /// The names of ``Options/again``, and those of earlier parts since a run ended well.
    public private(set) var firstEntries: [String: Int64] = [:]

    // Guarded by `lock`.
    var entries = EntryTable()
    var nextID: Int64 = 1
    var rows: [EntryRow] = []
    var knownFiles: [String: KnownFile] = [:]
    var filesAreLoaded = false
    var changedFiles: Set<String> = []
    /// The files that operations of this run have read with different contents.
    var filesReadTwice: Set<String> = []
    var knownDepfiles: [String: [String]]?
    var depfiles: [(path: String, inputs: [String])] = []
    var begun: [Int64: BegunBody] = [:]
    /// The bodies that have begun since the last group; those that still run get a row in the next one.
    var unwritten: [Int64: JournaledOperation] = [:]
    var report = JournalReport()
    var isTicking = false
    /// By ``JournaledOperation/identity``, the results of the effects that this process has had; nil for one whose
    /// result cannot be recorded. A further attempt of a block operation asks for its effects again.
    var endedEffects: [[UInt8]: [ScriptValue]?] = [:]
    /// By ``JournaledOperation/identity``, the effects that are not known.
    var unknownEffects: [[UInt8]: UnknownEffect] = [:]
    /// The files that dependency files have named, if they are to be listed.
    var seenInputs: Set<String> = []
    /// Outputs and dependency files as they were when their operations ended or were found up to date; the same.
    var seenOutputs: [String: FileContent] = [:]

    /// Opens a journal, and makes the file if there is none.
    public convenience init(_ path: String, _ options: Options = Options()) throws(ScriptError) {
        try self.init(path, options, fileSystem: nil)
    }

    /// For tests: opens it as if the file system had this number.
    init(_ path: String, _ options: Options, fileSystem: Int64?) throws(ScriptError) {
        let opened = try JournalFile.open(path, goesAnyway: options.goesAnyway, fileSystem: fileSystem)
        self.path = path
        self.options = options
        database = opened.database
        lockDescriptor = opened.lock
        usesWAL = opened.usesWAL
        report.notes = opened.notes
    }

    deinit {
        pendingEnd = nil
        database = nil
        JournalFile.unlock(lockDescriptor)
    }

    /// For tests: closes the file as the end of the process would.
    func abandon() {
        store.withLock { _ in
            lock.withLock { _ in rows = [] }
            close()
        }
    }

    /// - Precondition: `store` is held.
    private func close() {
        pendingEnd = nil
        database = nil
        JournalFile.unlock(lockDescriptor)
        lockDescriptor = -1
    }

    /// Whether its path leads to another file now, or to none.
    ///
    /// - Precondition: `store` is held.
    private var isRemoved: Bool {
        var own = stat()
        var present = stat()
        guard fstat(lockDescriptor, &own) == 0 else { return false }
        return stat(path, &present) != 0 || own.st_ino != present.st_ino || own.st_dev != present.st_dev
    }

    /// Notes that the file was removed, if that is so: all that was recorded is lost with it.
    ///
    /// - Precondition: `store` is held.
    func noteRemoval() {
        guard isRemoved else { return }
        lock.withLock { _ in
            report.problem =
                report.problem
                ?? "the journal '\(path)' was removed or replaced during the run: no later run can use the results"
        }
    }

    // MARK: RunJournal

    /// Whether bodies do not run.
    public var onlyExplains: Bool { options.onlyExplains }
    /// The only operation that is explained; nil for all.
    public var explainedName: String? { options.explainedName }
    /// The names of ``Options/again``.
    public var repeatedNames: [String] { options.again }

    /// The SHA-256 of bytes.
    public func digest(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { Digest256(of: $0) }.bytes }

    /// Whether the report lists the files on which the run depended.
    public var listsInputs: Bool { options.listsInputs }

    /// The digest of the moment when the run began, and of its file.
    public var runName: String? {
        let begun = store.withLock { _ in
            try? database?.rows("SELECT min(begun) FROM runs WHERE number=?", [.number(run)]) { $0.number(0) }
                .first
        }
        guard run > 0, let begun else { return nil }
        let digest = Array("\(begun) \(path)".utf8).withUnsafeBytes { Digest256(of: $0) }
        return String(digest.text.prefix(16))
    }

    /// Keeps a line for the report.
    public func explain(_ line: String) { lock.withLock { _ in report.explanations.append(line) } }

    /// The notes so far: which run begins or continues.
    public var notes: [String] { lock.withLock { _ in report.notes } }

    /// A run begins, or continues the last one.
    public func begin(_ script: String) throws(ScriptError) {
        let refusal = store.withLock { _ -> ScriptError? in
            do throws(Database.Failure) {
                return try beginStored(script).map { ScriptError(.argument, $0) }
            } catch {
                return JournalFile.refusal(error, path)
            }
        }
        if let refusal { throw refusal }
        if let onNote = options.onNote { for note in notes { onNote(note) } }
    }

    /// - Precondition: `store` is held.
    /// - Returns: Why the user's answers do not fit; nil if they do.
    private func beginStored(_ script: String) throws(Database.Failure) -> String? {
        guard let database, run == 0 else {
            throw Database.Failure(
                code: 1,
                message: "it has served its run; open it once more for another one"
            )
        }
        let last = try RunRow.last(in: database)
        let folder = Self.currentFolder
        var found: [String] = []
        if let last, options.resumes, !last.isGood {
            run = last.number
            let end = last.outcome ?? "was killed"
            found.append("continues run \(run) of \(JournalTime.text(last.begun)), which \(end)")
            if let before = last.folder, before != folder {
                found.append(
                    "note: run \(run) was in the folder '\(before)'; relative paths lead elsewhere now"
                )
            }
        } else {
            run = (last?.number ?? 0) + 1
            if options.resumes, let last {
                found.append("begins run \(run): run \(last.number) ended well")
            }
        }
        if options.resumes, let last, last.isOfOther(script, in: folder) {
            found.append(
                "note: run \(last.number) was one of '\(last.script ?? "?")', and this is '\(script)': give each "
                    + "script a journal of its own by --journal"
            )
        }
        // A run that only explains sees its answers, and leaves the file as it was.
        try database.run("BEGIN IMMEDIATE")
        let problem: String?
        do throws(Database.Failure) {
            problem = try beginStored(script, in: folder, after: last, found, database)
            if problem == nil, !options.onlyExplains { try database.run("COMMIT") }
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
        if problem != nil { try? database.execute("ROLLBACK") }
        return problem
    }

    /// - Precondition: `store` is held, and a transaction is open.
    private func beginStored(
        _ script: String,
        in folder: String?,
        after last: RunRow?,
        _ notes: [String],
        _ database: Database
    ) throws(Database.Failure) -> String? {
        var found = notes
        let newest = try Self.newestID(in: database)
        let first = last?.number == run ? last?.firstEntry ?? 0 : newest + 1
        firstEntries = try RunRow.standingNames(in: database)
        let standing = firstEntries.keys.filter { !options.again.contains($0) }.sorted()
        if !standing.isEmpty {
            let names = standing.map { "--again \(ShellWord.quoted($0))" }.joined(separator: ", ")
            found.append("note: '\(names)' of an earlier run still holds, since no run has ended well since")
        }
        for name in options.again { firstEntries[name] = newest + 1 }
        var next = newest + 1
        if let problem = try settleAnswers(&next) { return problem }
        let entries = try EntryTable(ofRun: run, first: first, in: database)
        lock.withLock { _ in
            report.notes += found
            nextID = next
            self.entries = entries
        }
        beganAt = FileReading.now
        if options.onlyExplains { return nil }
        session = RunRow(
            number: run,
            firstEntry: first,
            nextEntry: newest + 1,
            script: script,
            folder: folder,
            again: options.again,
            begun: beganAt
        )
        try session?.insert(into: database)
        return nil
    }

    /// The highest number that an entry has, or had before it was removed: none is used twice, since runs compare them.
    private static func newestID(in database: Database) throws(Database.Failure) -> Int64 {
        let text = """
            SELECT max(coalesce((SELECT max(id) FROM entries), 0), coalesce((SELECT max(nextentry) FROM runs), 1) - 1)
            """
        return try database.rows(text) { $0.number(0) }.first ?? 0
    }

    private static var currentFolder: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The files that a dependency file named when it was last read.
    public func knownInputs(ofDepfile path: String) -> [String] {
        if let known = lock.withLock({ _ in knownDepfiles }) { return known[path] ?? [] }
        let known = store.withLock { _ in readDepfiles() }
        lock.withLock { _ in knownDepfiles = known }
        return known[path] ?? []
    }

    private func readDepfiles() -> [String: [String]] {
        let found = try? database?.rows("SELECT path, inputs FROM depfiles") { row in
            (row.text(0) ?? "", ValueBytes.decode(row.bytes(1) ?? []) ?? [])
        }
        var known: [String: [String]] = [:]
        for (path, inputs) in found ?? [] {
            known[path] = inputs.compactMap { value in
                guard case .string(let bytes) = value else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return known
    }

    /// The run has ended; the file is closed, unless ``Options/isFinishedLater`` is true.
    public func end(_ outcome: String, isGood: Bool) -> JournalReport {
        store.withLock { _ in
            writeAll()
            if !options.onlyExplains, let database {
                // Otherwise the next run would begin anew, and repeat the other effects.
                noteOtherUnknownEffects()
                let isKnown = lock.withLock { _ in unknownEffects.isEmpty }
                noteUnknownEffects(isGood: isGood)
                pendingEnd = PendingEnd(
                    outcome: isGood && !isKnown ? "ended with an effect that is not known" : outcome,
                    isGood: isGood && isKnown,
                    database: database
                )
            }
            // Nothing else is written from now on.
            database = nil
            if !options.isFinishedLater { writeEnd() }
        }
        return lock.withLock { _ in
            report.recorded = recordedCount.load(ordering: .relaxed)
            report.upToDate = upToDateCount.load(ordering: .relaxed)
            report.unasked = entries.unaskedCount(ofRun: run)
            report.hasBegun = beganAt > 0
            report.inputs = seenInputs.sorted()
            return report
        }
    }

    /// Names the effects that are not known: those whose operations have not failed for that reason, or all, if the run
    /// would have ended well.
    ///
    /// - Precondition: `store` is held.
    private func noteUnknownEffects(isGood: Bool) {
        let effects = lock.withLock { _ in
            unknownEffects.values.filter { isGood || $0.isOfThisPart }
        }
        // An operation may have asked for an effect that it had with other arguments: then two name the same entry.
        let sorted = effects.sorted { ($0.entry, $0.isAsked ? 0 : 1) < ($1.entry, $1.isAsked ? 0 : 1) }
        let texts = sorted.indices.filter { $0 == 0 || sorted[$0].entry != sorted[$0 - 1].entry }.map {
            sorted[$0].text(isOnlyOne: isOnlyUnknown(sorted[$0].name))
        }
        lock.withLock { _ in report.unknownEffects = texts }
    }

    /// Writes the end of the run, which has ended, and closes the file. Without this call, the run counts as killed.
    /// Called once, on any thread, if ``Options/isFinishedLater`` is true.
    ///
    /// - Parameters:
    ///   - isGood: Whether it ended well after all. A run that has not, by its own report, stays so.
    ///   - otherwise: How a run ended that is not good only by `isGood`, in a few words that follow "which".
    /// - Returns: Why it cannot be written; nil if it was, or if the report has told a reason.
    public func finish(isGood: Bool, otherwise outcome: String) -> String? {
        guard options.isFinishedLater else {
            return "the engine has written the end of the run, since 'isFinishedLater' is false"
        }
        return store.withLock { _ in
            let before = lock.withLock { _ in report.problem }
            if !isGood, pendingEnd?.isGood == true {
                pendingEnd?.isGood = false
                pendingEnd?.outcome = outcome
            }
            writeEnd()
            return before == nil ? lock.withLock { _ in report.problem } : nil
        }
    }

    /// - Precondition: `store` is held.
    private func writeEnd() {
        defer { close() }
        guard let end = pendingEnd else { return }
        noteRemoval()
        guard lock.withLock({ _ in report.problem }) == nil else { return }
        do throws(Database.Failure) {
            try session?.end(end.outcome, isGood: end.isGood, at: FileReading.now, in: end.database)
        } catch {
            noteProblem(error)
        }
    }
}

/// The end of a run that is not written yet.
private struct PendingEnd {
    var outcome: String
    var isGood: Bool
    let database: Database
}

/// Moments as texts.
enum JournalTime {
    /// `2026-11-28 01:20:11`, in local time.
    static func text(_ nanoseconds: Int64) -> String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
